"""The hosts of the demo: publishers and subscribers at their ports, and their counters."""

import math
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from mininet_labs.demo.activity import ReportedActivity
from mininet_labs.demo.content import replay
from mininet_labs.demo.ledger import EventLedger, EventValues
from mininet_labs.demo.trials import Trials
from tercast.client.event_origins import EventOrigin, LearnedOrigins, RejectedEvent
from tercast.client.lease import PublisherLease
from tercast.client.publisher import Publisher
from tercast.client.rest_api import Api, ApiLeaseSource, ApiOrigins
from tercast.client.subscriber import Delivery, Subscriber
from tercast.client.telemetry import HostTelemetry
from tercast.client.transports import FabricPort
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.telemetry import DELIVERED, PUBLISHED
from tercast.telemetry.recorder import Recorder
from tercast.telemetry.sinks import FolderSink
from tercast.wire.errors import LeaseLapsed
from tercast.wire.packets import pack_ip

GRACE_S = 0.05
"""Seconds after the activation of a subscription; from then on, a missing event counts as lost."""

SAMPLE_EVERY = 10
"""One of so many events of a publisher is a sample for the control plane."""

_MOST_SAMPLES = 500


@dataclass(frozen=True, slots=True)
class DemoSubscription:
    """A subscription of a host; events from `begins` to `ends` count (seconds since 1970)."""

    filter: Filter
    begins: float
    ends: float

    def wants(self, values: EventValues, at: float) -> bool:
        """Whether an event of that time counts."""
        return self.begins <= at <= self.ends and self.filter.matches(values)


class Hosts:
    """All hosts of the demo: a fabric port each, for all publishers and subscribers of the host.

    Hosts without subscriptions listen too: each event that arrives there is a false positive.
    """

    def __init__(self, plan: dict[str, Any]) -> None:
        self.topic = Topic.from_json(plan["topic"])
        self.address = AddressPlan.default("ipv6")
        self.ledger = EventLedger()
        self.recorder = Recorder(FolderSink(plan["telemetry"]), "demo", datasets=(PUBLISHED, DELIVERED))
        self.telemetry = {name: HostTelemetry(self.recorder, name) for name in plan["hosts"]}
        self.ports = {
            name: FabricPort(host["socket"], host["ip"], host["mac"]) for name, host in plan["hosts"].items()
        }
        api = Api.with_token_file(plan["api"], plan["token_file"])
        self.addresses = {name: host["ip"] for name, host in plan["hosts"].items()}
        self.origins = LearnedOrigins(ApiOrigins(api).fetch)
        self.subscribers = {
            host: Subscriber(
                {}, self.topic, port, origins=self.origins, on_rejected=partial(self._rejected, host)
            )
            for host, port in self.ports.items()
        }
        self.wishes: dict[str, list[DemoSubscription]] = {}
        self.held: dict[str, set[str]] = {host: set() for host in self.ports}
        self.shared: set[str] = set()
        self.ended: dict[str, float] = {}
        self.known: dict[str, tuple[Publisher, Iterator[dict[str, Any]]]] = {}
        self.publishers: list[tuple[Publisher, Iterator[dict[str, Any]]]] = []
        self.sent: Counter[str] = Counter()
        self.samples: list[dict[str, Any]] = []
        self.activity = ReportedActivity()
        self.others: dict[str, list[tuple[str, Filter]]] = {}
        self.leases: dict[str, PublisherLease] = {}
        self.lease_source = ApiLeaseSource(api)
        self.trials = Trials(self.ports, self.subscribers, self.lease_source)
        self.follow(plan)

    def follow(self, plan: dict[str, Any]) -> None:
        """Apply a changed plan: advertisements, subscriptions and withdrawals.

        Leases report how events are encoded.
        """
        self.shared = set(plan["shared"])
        topic = Topic.from_json(plan["topic"])
        self.topic = topic
        for host in self.ports:
            self._subscribe(host, plan["subscriptions"].get(host, []))
        for row in plan["advertisements"]:
            if row["until"] is not None and row["id"] in self.leases:
                self.leases.pop(row["id"]).close()
        for row in plan["advertisements"]:
            self._place(topic.name, row["id"], row["host"])
        self.publishers = [self._publisher(row) for row in plan["advertisements"] if row["until"] is None]
        self.ended = {row["id"]: row["until"] for row in plan["advertisements"] if row["until"] is not None}
        self.others = {
            host: [(row["id"], Filter.parse(row["filter"], topic)) for row in rows]
            for host, rows in plan["others"].items()
        }
        self.ledger.revise(self.wanting)

    def _place(self, topic: str, advertisement: str, host: str) -> None:
        """Record the address of an advertisement's host before its first event."""
        if self.origins.find(topic, advertisement) is None:
            self.origins.add(topic, {advertisement: EventOrigin(pack_ip(self.addresses[host]))})

    def _subscribe(self, host: str, rows: list[dict[str, Any]]) -> None:
        self.wishes[host] = [
            DemoSubscription(
                Filter.parse(row["filter"], self.topic),
                row["active_at"] + GRACE_S,
                math.inf if row["until"] is None else row["until"],
            )
            for row in rows
        ]
        live = {row["id"]: row["filter"] for row in rows if row["until"] is None}
        subscriber, held = self.subscribers[host], self.held[host]
        for name in held - set(live):
            subscriber.unsubscribe(name)
        for name in set(live) - held:
            subscriber.subscribe(name, live[name])
        self.held[host] = set(live)

    def _publisher(self, row: dict[str, Any]) -> tuple[Publisher, Iterator[dict[str, Any]]]:
        if row["id"] not in self.known:
            port = self.ports[row["host"]]
            lease = self.leases[row["id"]] = PublisherLease(self.lease_source, row["id"])
            publisher = Publisher(
                lease.begin(self.topic),
                row["filter"],
                port,
                address=self.address,
                publisher=row["id"],
                telemetry=self.telemetry[row["host"]],
                lease=lease,
            )
            lease.keep(publisher)
            self.known[row["id"]] = (publisher, replay(row["symbol"]))
        return self.known[row["id"]]

    def wanting(self, publisher: str, values: EventValues, at: float) -> set[str]:
        """Return the hosts that expect an event of a time, if the event was advertised."""
        if at > self.ended.get(publisher, math.inf):
            return set()
        return {
            host for host, wishes in self.wishes.items() if any(wish.wants(values, at) for wish in wishes)
        }

    def publish(self, turn: int) -> None:
        """Publish the next quote of the publisher with this turn."""
        if not self.publishers:
            return
        publisher, quotes = self.publishers[turn % len(self.publishers)]
        values = next(quotes)
        now = time.time()
        wanting = self.wanting(publisher.publisher, values, now)
        try:
            seq = publisher.publish(values)
        except LeaseLapsed:
            return  # the control plane has not answered for a long time
        self.ledger.sent((publisher.publisher, seq), now, values, wanting)
        self.activity.sent(publisher.publisher, now)
        self._sample(publisher.publisher, values)

    def test(self, order: dict[str, Any]) -> None:
        """Publish a test event; an event of the demo's topic counts like all others."""
        now = time.time()
        self._place(order["topic"]["name"], order["advertisement"], order["host"])
        event = self.trials.publish(order)
        if event is not None and order["topic"]["name"] == self.topic.name:
            values = self.topic.check_json(order["values"])
            self.ledger.sent(event, now, values, self.wanting(event[0], values, now))
            self.activity.sent(event[0], now)

    def _sample(self, publisher: str, values: EventValues) -> None:
        if self.sent[publisher] % SAMPLE_EVERY == 0 and len(self.samples) < _MOST_SAMPLES:
            self.samples.append({"publisher": publisher, "values": dict(values)})
        self.sent[publisher] += 1

    def take_samples(self) -> list[dict[str, Any]]:
        """Return the samples of published events since the last call."""
        taken, self.samples = self.samples, []
        return taken

    def receive(self, host: str) -> int:
        """Receive all events that have arrived at `host`, and return their number."""
        subscriber = self.subscribers[host]
        events = 0
        while (delivery := subscriber.receive_any(0.0)) is not None:
            events += 1
            self.trials.arrived(host, delivery)
            if delivery.event.topic != self.topic.name:
                continue  # a topic that is known from a test event
            self._count_delivery(host, delivery)
            if not delivery.wanted and host in self.shared:
                continue  # a subscription of another user at this host may have caused it
            self.telemetry[host].delivered(delivery)
            self.ledger.arrived(
                (delivery.event.publisher, delivery.event.seq),
                host,
                delivery.delay * 1000,
                wanted=delivery.wanted,
                doubled=delivery.doubled,
            )
        return events

    def receive_held(self) -> None:
        """Receive the events that waited for the addresses of their publishers."""
        for host, subscriber in self.subscribers.items():
            if subscriber.counters.held:
                self.receive(host)

    def _rejected(self, host: str, rejected: RejectedEvent) -> None:
        """Record an event that a host other than its publisher's has sent."""
        self.telemetry[host].rejected(rejected.topic, rejected.reason)

    def _count_delivery(self, host: str, delivery: Delivery) -> None:
        """Count an event for all matching subscriptions of the host, also those of other users."""
        values = delivery.event.values
        others = [name for name, wanted in self.others.get(host, ()) if wanted.matches(values)]
        self.activity.arrived(host, replace(delivery, subscriptions=(*delivery.subscriptions, *others)))

    def counters(self) -> dict[str, Any]:
        """Return the counters; a missing event counts as lost after one second."""
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
