"""The hosts of the demo in one process: publishers that replay quotes, and subscribers that count.

It reads lines from standard input: first a plan as JSON (`mininet_labs.demo.plan`), then further plans, which
take the place of the one before, test events (`{"test": order}`), or `stop`, which ends publishing, drains
the network, and ends. It writes a line of JSON every half second: its counters, in all and by announcement,
a share of the events that it has published since the last, what became of test events, and what became of
its telemetry, which it writes below the root that the plan names.
"""

import json
import os
import selectors
import sys
import time
from dataclasses import asdict

from mininet_labs.demo.hosts import Hosts

_REPORT_EVERY_S = 0.5
_DRAIN_QUIET_S = 1.0
_DRAIN_AT_MOST_S = 10.0


class TrafficLoop:
    """Publishes at a steady pace, receives in between, reports, and drains at the end."""

    def __init__(self, hosts: Hosts, rate: float) -> None:
        self.hosts = hosts
        self.period = 1.0 / rate
        self.selector = selectors.DefaultSelector()
        for host in hosts.subscribers:
            self.selector.register(hosts.ports[host], selectors.EVENT_READ, host)
        self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ, None)
        self.stopping = False
        self.unread = b""

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
            self.hosts.receive_held()
            if now >= next_report:
                self.report()
                next_report = now + _REPORT_EVERY_S
            self.poll(min(next_send, next_report) - time.monotonic())
        for lease in self.hosts.leases.values():
            lease.close()
        self.drain()
        self.hosts.origins.close()
        self.hosts.recorder.close()
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
        """Obey what has come: a new plan, or to stop; the end of the input is one to stop."""
        chunk = os.read(sys.stdin.fileno(), 1 << 20)
        *lines, self.unread = (self.unread + chunk).split(b"\n")
        for line in lines:
            if line == b"stop":
                self.stopping = True
            else:
                told = json.loads(line)
                if "test" in told:
                    self.hosts.test(told["test"])
                else:
                    self.hosts.follow(told)
        if self.stopping or not chunk:
            self.stopping = True
            self.selector.unregister(sys.stdin.fileno())

    def drain(self) -> None:
        """Receive until all that is outstanding has come, or nothing has come for a while."""
        started = quiet_since = time.monotonic()
        while True:
            self.hosts.receive_held()
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
        samples = self.hosts.take_samples()
        told = {"final": final, "samples": samples, "telemetry": asdict(self.hosts.recorder.tally())}
        told |= {"activity": self.hosts.activity.to_json(), "tested": self.hosts.trials.take()}
        print(json.dumps({**told, **counters}), flush=True)


def main() -> None:
    """Run the hosts that the first line of standard input describes."""
    # Unbuffered: what stands behind the first line must stay for the loop to find.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as commands:
        plan = json.loads(commands.readline())
    TrafficLoop(Hosts(plan), plan["rate"]).run()


if __name__ == "__main__":
    main()
