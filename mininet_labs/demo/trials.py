"""Test events in the process of the hosts: published once, with the hosts that receive them."""

import time
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from mininet_labs.demo.ledger import EventKey
from tercast.client.lease import LeaseSource, PublisherLease
from tercast.client.publisher import Publisher
from tercast.client.subscriber import Delivery, Subscriber
from tercast.client.transports import Transport
from tercast.errors import TercastError
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic

LOOK_S = 1.5
"""Seconds after which a test event reaches no more hosts."""


class Trials:
    """Publishes test events, and records their receivers for a while."""

    def __init__(
        self, ports: Mapping[str, Transport], subscribers: Mapping[str, Subscriber], source: LeaseSource
    ) -> None:
        self._ports, self._subscribers, self._source = ports, subscribers, source
        self._under_way: dict[EventKey, tuple[float, dict[str, Any]]] = {}
        self._ended: list[dict[str, Any]] = []

    def publish(self, order: Mapping[str, Any]) -> EventKey | None:
        """Publish the event of an order; return None if this fails, which `take` reports."""
        try:
            event = (order["advertisement"], self._send(order))
        except (TercastError, OSError) as error:
            problem = f"The event could not be sent: {error}. Correct this, and send it again."
            self._ended.append({"id": order["id"], "problem": problem})
            return None
        self._under_way[event] = (time.monotonic(), {"id": order["id"], "seq": event[1], "received": []})
        return event

    def arrived(self, host: str, delivery: Delivery) -> None:
        """Record that a host received an event, which may be a test event."""
        found = self._under_way.get((delivery.event.publisher, delivery.event.seq))
        if found is not None and not delivery.doubled:
            found[1]["received"].append({"host": host, "delay_ms": delivery.delay * 1000})

    def take(self) -> list[dict[str, Any]]:
        """Return the results of the test events whose time is over, each once."""
        over = time.monotonic() - LOOK_S
        for event, (at, result) in list(self._under_way.items()):
            if at < over:
                self._ended.append(result)
                del self._under_way[event]
        taken, self._ended = self._ended, []
        return taken

    def _send(self, order: Mapping[str, Any]) -> int:
        topic = Topic.from_json(order["topic"])
        lease = PublisherLease(self._source, order["advertisement"])
        with closing(lease):
            leased = lease.begin(topic)
            for subscriber in self._subscribers.values():
                subscriber.know(leased)
            publisher = Publisher(
                leased,
                order["filter"],
                self._ports[order["host"]],
                address=AddressPlan.default("ipv6"),
                publisher=order["advertisement"],
                lease=lease,
            )
            return publisher.publish(leased.check_json(order["values"]))
