"""The publishing side of a host: check an event, find its address, send it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercast.client.lease import PublisherLease
from tercast.client.sequence import Sequence, now_us
from tercast.client.transports import Transport
from tercast.errors import Refused, shown
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.intervals import IntervalSet
from tercast.eventspace.string_attribute import shares_point
from tercast.eventspace.topic import Attribute, Topic
from tercast.filters.filter import Filter
from tercast.wire.event_codec import HEAD_BYTES, MAX_PAYLOAD, SEALED_EVENT, EventCodec, origin_bytes
from tercast.wire.event_seal import SEAL_BYTES, EventSeal

if TYPE_CHECKING:
    from tercast.client.telemetry import HostTelemetry


@dataclass(frozen=True, slots=True)
class _Route:
    """What one topic's encoding makes of events; replaced as a whole when the publisher is told another."""

    topic: Topic
    filter: Filter
    codec: EventCodec
    origin: bytes

    def checked(self, values: Mapping[str, object], room: int) -> tuple[dict[str, Any], bytes]:
        """The values as the topic has them, and the event's bytes behind the head; `room` bytes for all."""
        checked = self.topic.check(values)
        if not self.filter.matches(checked):
            raise _outside(self.filter, checked)
        tail = self.origin + self.codec.encode_values(checked)
        if HEAD_BYTES + len(tail) > room:
            raise _too_large(self.codec, checked, HEAD_BYTES + len(tail), room)
        return checked, tail


class Publisher:
    """Publishes the events of one advertisement.

    `publisher` is the advertisement's id, `advertisement` its filter, `depth` the length of an event's dz
    (the plan's `max_dz_length`, or all the room the address has). `sequence` gives the sequence numbers;
    without one they start at the clock. `telemetry` is told of each event that was sent. With a `lease`,
    taken already, it sends while that holds, and seals events where the lease has a key; whoever makes the
    publisher lets the lease `keep` it. Several threads may publish.
    """

    def __init__(  # noqa: PLR0917 - the order of the contract
        self,
        topic: Topic,
        advertisement: str | Filter,
        transport: Transport,
        address: AddressPlan,
        publisher: str,
        depth: int | None = None,
        *,
        sequence: Sequence | None = None,
        telemetry: HostTelemetry | None = None,
        lease: PublisherLease | None = None,
        clock: Callable[[], int] = now_us,
    ) -> None:
        self.publisher = publisher
        self._advertisement = str(advertisement)
        self._transport, self._address, self._clock = transport, address, clock
        self._depth = _checked_depth(address, depth)
        self._lease = lease
        self._sequence = sequence if sequence is not None else Sequence(clock=clock)
        self._telemetry = telemetry
        self._lock = threading.Lock()
        self._route = self._routed(topic)

    @property
    def topic(self) -> Topic:
        """The topic in the encoding that events go out in now."""
        return self._route.topic

    def publish(self, values: Mapping[str, object]) -> int:
        """Send one event and return its sequence number.

        Refused, and nothing sent, when the topic does not allow the values, when they lie outside the
        advertisement, or when the event is larger than 1,200 bytes. LeaseLapsed, and nothing sent, when the
        platform has not said for too long how events are encoded.
        """
        with self._lock:
            if self._lease is not None:
                self._lease.check()
            route = self._route
            topic = route.topic
            seal = self._seal()
            checked, tail = route.checked(values, _room(seal))
            dz = topic.event_dz(checked, self._depth)
            target = self._address.event_address(topic.code, dz)
            seq, at = self._sequence.take(), self._clock()
            self._transport.send(target, _payload(route.codec, seq, at, tail, seal))
            if self._telemetry is not None:
                self._telemetry.published(topic, self.publisher, seq, at, dz, checked)
            return seq

    def check(self, values: Mapping[str, object]) -> dict[str, Any]:
        """What `publish` would send: the values in their normal form; Refused as it would refuse them."""
        return self._route.checked(values, _room(self._seal()))[0]

    def follow(self, topic: Topic) -> None:
        """Change over to another code or indexing of the same topic (or to a new list of attributes).

        When it returns, no event goes out in the old encoding any more. Refused, and nothing changed, when
        the topic has another name, the plan no room for the code, or the filter does not fit the attributes.
        """
        if topic.name != self.topic.name:
            detail = f"{shown(topic.name)}; this publisher's topic is {shown(self.topic.name)}"
            raise Refused(("topic",), "other_topic", detail, topic.name)
        route = self._routed(topic)
        with self._lock:
            self._route = route

    def _seal(self) -> EventSeal | None:
        """What the lease says now; without a lease events are not sealed."""
        return None if self._lease is None else self._lease.seal

    def _routed(self, topic: Topic) -> _Route:
        self._address.check_code(topic.code, ("topic", "code"))
        parsed = Filter.parse(self._advertisement, topic)
        return _Route(topic, parsed, EventCodec(topic), origin_bytes(topic.code, self.publisher))


def _checked_depth(address: AddressPlan, depth: int | None) -> int:
    if depth is None:
        return address.dz_room
    if not 1 <= depth <= address.dz_room:
        detail = f"{shown(depth)} is not in 1..{address.dz_room}, the room of {address.prefix}"
        raise Refused(("depth",), "out_of_range", detail, depth)
    return depth


def _outside(advertised: Filter, values: Mapping[str, object]) -> Refused:
    """The refusal of an event, on the attribute that stands between it and the nearest alternative."""
    attributes = advertised.topic.attributes
    failing = [
        [attributes[a] for a, held in term if not _holds(attributes[a], held, values[attributes[a].name])]
        for term in advertised.terms
    ]
    # A text of 16 bytes or more may fail though its point, which others share, does not.
    attribute = (min(failing, key=len) or [a for a in attributes if _shares_point(values[a.name])])[0]
    value = values[attribute.name]
    detail = f"{shown(value)} lies outside the advertisement {shown(str(advertised))}"
    return Refused((attribute.name,), "outside_advertisement", detail, value)


def _shares_point(value: object) -> bool:
    return isinstance(value, str) and shares_point(value)


def _holds(attribute: Attribute, held: IntervalSet, value: object) -> bool:
    start, end = attribute.before(value), attribute.after(value)
    return any(low <= start and end <= high for low, high in held)


def _room(seal: EventSeal | None) -> int:
    """Bytes that an event may have without its seal."""
    return MAX_PAYLOAD if seal is None else MAX_PAYLOAD - SEAL_BYTES


def _payload(codec: EventCodec, seq: int, at: int, tail: bytes, seal: EventSeal | None) -> bytes:
    if seal is None:
        return codec.head(seq, at) + tail
    return seal.closed(codec.head(seq, at, SEALED_EVENT) + tail)


def _too_large(codec: EventCodec, values: Mapping[str, object], size: int, room: int) -> Refused:
    """The refusal of an event of `size` bytes, on the attribute that takes most of them."""
    sizes = codec.sizes(values)
    name = max(sizes, key=sizes.__getitem__)
    detail = f"the event takes {size} bytes, {sizes[name]} of them here; the largest has {room}"
    return Refused((name,), "too_large", detail, values[name])
