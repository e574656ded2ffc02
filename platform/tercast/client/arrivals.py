"""Arrivals at a subscriber: datagrams, deliveries and their counters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from tercast.client.transports import SourcedTransport, Transport
from tercast.wire.errors import TransportError
from tercast.wire.event_codec import Event, EventCodec, Head


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event that reached the host at `received_at`, in microseconds since 1970.

    `subscriptions` are the matching ones, in the order of subscribing. `doubled`: the event is a duplicate.
    """

    event: Event
    received_at: int
    subscriptions: tuple[str, ...]
    doubled: bool

    @property
    def wanted(self) -> bool:
        """Whether some subscription matches the event exactly."""
        return bool(self.subscriptions)

    @property
    def delay(self) -> float:
        """Seconds between sending and receiving, by the two hosts' clocks."""
        return (self.received_at - self.event.sent_at) / 1e6


@dataclass(slots=True)
class Counters:
    """Counters of the received payloads by result.

    Each payload counts in exactly one of the fields except `received` and `delivered`. A payload that is
    `held` moves to another field later.
    """

    received: int = 0
    malformed: int = 0
    """Payloads that are not an event in the wire format."""
    unknown: int = 0
    """Events whose topic or attribute list this subscriber does not know."""
    doubled: int = 0
    """Duplicates: further copies of an event, wanted or not."""
    unwanted: int = 0
    """First copies of events that no subscription matches."""
    wanted: int = 0
    """First copies of events that at least one subscription matches."""
    rejected: int = 0
    """Events with a wrong origin or without a valid seal; see `Subscriber.rejections`."""
    held: int = 0
    """Events that wait until the platform reports the host of their advertisement."""

    @property
    def delivered(self) -> int:
        """First copies of events: expected ones and false positives."""
        return self.wanted + self.unwanted

    def to_json(self) -> dict[str, int]:
        """The counters by name, with `delivered`."""
        return {**asdict(self), "delivered": self.delivered}


@dataclass(frozen=True, slots=True)
class Arrived:
    """A datagram from address `source`, received `at` (microseconds since 1970)."""

    payload: bytes
    source: bytes | None
    at: int
    head: Head
    codec: EventCodec


ParsedPacket = tuple[bytes, bytes | None]


def receiver(transport: Transport, sourced: bool) -> Callable[[float | None], ParsedPacket | None]:
    """Return a function that receives a payload and, if available, its source address."""
    if isinstance(transport, SourcedTransport):
        return transport.receive_from
    if sourced:
        raise TransportError(
            f"{type(transport).__name__} does not report the source address of events, so their origin "
            "cannot be checked; implement `receive_from`, or create the subscriber without `origins`"
        )

    def receive(timeout: float | None) -> ParsedPacket | None:
        payload = transport.receive(timeout)
        return None if payload is None else (payload, None)

    return receive
