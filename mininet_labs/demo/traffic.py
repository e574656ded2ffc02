"""The hosts of the demo in one process: publishers that replay quotes, and subscribers that count.

It reads one line of JSON (see `Plan`) from standard input, then commands, one a line: `stop` ends publishing,
waits until the network is drained, and ends. It writes a line of JSON with its counters every half second.
"""

import json
import os
import selectors
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tercast.eventspace import Topic
from tercast.filters import Filter

from mininet_labs.demo.ledger import Ledger
from mininet_labs.demo.quotes import replay
from tercast.addressing import AddressPlan
from tercast.client.publisher import Publisher
from tercast.client.subscriber import Subscriber
from tercast.client.transports import FabricPort

GRACE_S = 0.05
"""An event counts as lost from this long after its subscription became active."""
_REPORT_EVERY_S = 0.5
_DRAIN_QUIET_S = 1.0
_DRAIN_AT_MOST_S = 10.0


@dataclass(frozen=True, slots=True)
class Wish:
    """An active subscription of a host; `from_time` is when its events begin to count, in seconds."""

    filter: Filter
    from_time: float


class Hosts:
    """All hosts of the demo: one fabric port each, shared by the publishers and subscribers at it."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.topic = Topic.from_json(plan["topic"])
        self.address = AddressPlan.default("ipv6")
        self.ledger = Ledger()
        self.ports = {
            name: FabricPort(host["socket"], host["ip"], host["mac"]) for name, host in plan["hosts"].items()
        }
        self.wishes: dict[str, list[Wish]] = {}
        self.subscribers = {
            host: self._subscriber(host, rows) for host, rows in plan["subscriptions"].items()
        }
        self.publishers = [self._publisher(row) for row in plan["advertisements"]]

    def _subscriber(self, host: str, rows: list[dict[str, Any]]) -> Subscriber:
        self.wishes[host] = [
            Wish(Filter.parse(row["filter"], self.topic), row["active_at"] + GRACE_S) for row in rows
        ]
        filters = {row["id"]: row["filter"] for row in rows}
        return Subscriber(filters, self.topic, self.ports[host])

    def _publisher(self, row: dict[str, Any]) -> tuple[Publisher, Iterator[dict[str, Any]]]:
        publisher = Publisher(
            self.topic, row["filter"], self.ports[row["host"]], address=self.address, publisher=row["id"]
        )
        return publisher, replay(row["symbol"])

    def publish(self, turn: int) -> None:
        """Let the publisher whose turn it is send its next quote."""
        publisher, quotes = self.publishers[turn % len(self.publishers)]
        values = next(quotes)
        now = time.time()
        seq = publisher.publish(values)
        wanting = {
            host
            for host, wishes in self.wishes.items()
            if any(wish.from_time <= now and wish.filter.matches(values) for wish in wishes)
        }
        self.ledger.sent((publisher.publisher, seq), now, wanting)

    def receive(self, host: str) -> int:
        """Take all that has arrived at `host`; gives the number of events."""
        subscriber = self.subscribers[host]
        events = 0
        while (delivery := subscriber.receive_any(0.0)) is not None:
            events += 1
            self.ledger.arrived(
                (delivery.event.publisher, delivery.event.seq),
                host,
                delivery.delay * 1000,
                wanted=delivery.wanted,
                doubled=delivery.doubled,
            )
        return events

    def counters(self) -> dict[str, Any]:
        """The counters as they stand; deliveries under way for less than a second are not yet lost."""
        ledger = self.ledger
        return {
            "published": ledger.published,
            "wanted": ledger.wanted,
            "delivered": ledger.delivered,
            "lost": ledger.lost(time.time() - 1.0),
            "doubled": ledger.doubled,
            "unwanted": ledger.unwanted,
            "delay_ms": {"p50": ledger.delays_ms.at(0.5), "p99": ledger.delays_ms.at(0.99)},
        }


class Loop:
    """Publishes at a steady pace, receives in between, reports, and drains at the end."""

    def __init__(self, hosts: Hosts, rate: float) -> None:
        self.hosts = hosts
        self.period = 1.0 / rate
        self.selector = selectors.DefaultSelector()
        for host in hosts.subscribers:
            self.selector.register(hosts.ports[host], selectors.EVENT_READ, host)
        os.set_blocking(sys.stdin.fileno(), False)
        self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ, None)
        self.stopping = False

    def run(self) -> None:
        """Publish until told to stop, then drain."""
        turn = 0
        next_send = next_report = time.monotonic()
        while not self.stopping:
            now = time.monotonic()
            if now >= next_send:
                self.hosts.publish(turn)
                turn += 1
                # After a stall, go on at the pace instead of catching up in a burst.
                next_send = max(next_send + self.period, now - self.period)
            if now >= next_report:
                self.report()
                next_report = now + _REPORT_EVERY_S
            self.poll(min(next_send, next_report) - time.monotonic())
        self.drain()
        self.report(final=True)

    def poll(self, timeout: float) -> int:
        """Wait up to `timeout` seconds, take what has come; gives the number of events."""
        events = 0
        for key, _ in self.selector.select(max(0.0, timeout)):
            if key.data is None:
                self.command()
            else:
                events += self.hosts.receive(key.data)
        return events

    def command(self) -> None:
        """Read a command; the end of the input is one to stop."""
        line = sys.stdin.readline()
        if line.strip() in ("", "stop"):
            self.stopping = True
            self.selector.unregister(sys.stdin.fileno())

    def drain(self) -> None:
        """Receive until all that is outstanding has come, or nothing has come for a while."""
        started = quiet_since = time.monotonic()
        while True:
            if self.poll(0.05):
                quiet_since = time.monotonic()
            now = time.monotonic()
            quiet = now - quiet_since
            if now - started > _DRAIN_AT_MOST_S or quiet > _DRAIN_QUIET_S:
                return

    def report(self, *, final: bool = False) -> None:
        """Write the counters as a line of JSON."""
        counters = self.hosts.counters()
        if final:
            counters["lost"] = self.hosts.ledger.lost()
        print(json.dumps({"final": final, **counters}), flush=True)


def main() -> None:
    """Run the hosts that the first line of standard input describes."""
    plan = json.loads(sys.stdin.readline())
    Loop(Hosts(plan), plan["rate"]).run()


if __name__ == "__main__":
    main()
