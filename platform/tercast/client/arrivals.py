"""What arrives at a subscriber: datagrams, deliveries, and what is counted of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from tercast.client.transports import SourcedTransport, Transport
from tercast.wire.errors import TransportError
from tercast.wire.event_codec import Event, EventCodec, Head


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event as it reached the host, at `received_at` microseconds since 1970.

    `subscriptions` are those that match, in the order of subscribing. `doubled`: the event was here before.
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
    """What became of the payloads received.

    Each of them is in exactly one of the others but `delivered`; `held` ones are in another one later.
    """

    received: int = 0
    malformed: int = 0
    """No event of the wire format."""
    unknown: int = 0
    """An event of a topic, or of an attribute list, that this subscriber does not know."""
    doubled: int = 0
    """A further copy of an event, wanted or not."""
    unwanted: int = 0
    """The first copy of an event that no subscription matches."""
    wanted: int = 0
    """The first copy of an event that some subscription matches."""
    rejected: int = 0
    """An event that does not come from the host of its advertisement; `Subscriber.rejections` has reasons."""
    held: int = 0
    """An event that waits for the platform to answer which host its advertisement belongs to."""

    @property
    def delivered(self) -> int:
        """Events that the network brought: wanted and unwanted."""
        return self.wanted + self.unwanted

    def to_json(self) -> dict[str, int]:
        """The counters by name."""
        return {**asdict(self), "delivered": self.delivered}


@dataclass(frozen=True, slots=True)
class Arrived:
    """A datagram that arrived at `at` microseconds from address `source`, with its head and its codec."""

    payload: bytes
    source: bytes | None
    at: int
    head: Head
    codec: EventCodec


Found = tuple[bytes, bytes | None]


def receiver(transport: Transport, sourced: bool) -> Callable[[float | None], Found | None]:
    """Return a function that receives a payload and where it came from, as far as the transport says."""
    if isinstance(transport, SourcedTransport):
        return transport.receive_from
    if sourced:
        raise TransportError(
            f"{type(transport).__name__} does not say where events come from, so their origin cannot be "
            "checked; give it `receive_from`, or give the subscriber no `origins`"
        )

    def receive(timeout: float | None) -> Found | None:
        payload = transport.receive(timeout)
        return None if payload is None else (payload, None)

    return receive
