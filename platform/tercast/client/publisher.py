"""Publisher of a host: check an event, compute its address, send it."""

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
    """Form of events in one encoding of a topic; replaced as a whole when the encoding changes."""

    topic: Topic
    filter: Filter
    codec: EventCodec
    origin: bytes

    def checked(self, values: Mapping[str, object], room: int) -> tuple[dict[str, Any], bytes]:
        """Return the checked values, and the event's bytes after the head; `room` limits all bytes."""
        checked = self.topic.check(values)
        if not self.filter.matches(checked):
            raise _outside(self.filter, checked)
        tail = self.origin + self.codec.encode_values(checked)
        if HEAD_BYTES + len(tail) > room:
            raise _too_large(self.codec, checked, HEAD_BYTES + len(tail), room)
        return checked, tail


class Publisher:
    """Publisher of the events of one advertisement. It is thread-safe.

    `publisher` is the advertisement's id, `advertisement` its filter. `depth` is the length of an event's dz
    (the plan's `max_dz_length`, or as many bits as fit in the address). `sequence` provides the sequence
    numbers; without one, they start at the clock. `telemetry` records each event that was sent. A `lease`
    must already be taken. The publisher sends only while it is valid, and seals events if it has a key. The
    creator of the publisher calls `keep` of the lease.
    """

    def __init__(  # noqa: PLR0917 - a fixed public signature
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
        """The topic in the current encoding of events."""
        return self._route.topic

    def publish(self, values: Mapping[str, object]) -> int:
        """Send one event and return its sequence number.

        Raises:
            Refused: The values do not fit the topic or the advertisement, or the event exceeds 1,200 bytes.
                Nothing is sent.
            LeaseLapsed: The platform has not confirmed the encoding for too long. Nothing is sent.
        """
        with self._lock:
            if self._lease is not None:
                self._lease.check()
            route = self._route
            topic = route.topic
            seal = self._seal()
            checked, tail = route.checked(values, _max_event_size(seal))
            dz = topic.event_dz(checked, self._depth)
            target = self._address.event_address(topic.code, dz)
            seq, at = self._sequence.take(), self._clock()
            self._transport.send(target, _payload(route.codec, seq, at, tail, seal))
            if self._telemetry is not None:
                self._telemetry.published(topic, self.publisher, seq, at, dz, checked)
            return seq

    def check(self, values: Mapping[str, object]) -> dict[str, Any]:
        """Return the values that `publish` would send, in normal form; Refused as in `publish`."""
        return self._route.checked(values, _max_event_size(self._seal()))[0]

    def follow(self, topic: Topic) -> None:
        """Change to another code, indexing or list of attributes of the same topic.

        After the return, no event is sent in the old encoding.

        Raises:
            Refused: The topic has another name, the code does not fit the address plan, or the filter does
                not fit the attributes. Nothing is changed.
        """
        if topic.name != self.topic.name:
            detail = (
                f"this publisher sends events of topic {shown(self.topic.name)}, not of {shown(topic.name)}"
            )
            raise Refused(("topic",), "other_topic", detail, topic.name)
        route = self._routed(topic)
        with self._lock:
            self._route = route

    def _seal(self) -> EventSeal | None:
        """The seal of the lease; None without a lease or if the topic is not sealed."""
        return None if self._lease is None else self._lease.seal

    def _routed(self, topic: Topic) -> _Route:
        self._address.check_code(topic.code, ("topic", "code"))
        parsed = Filter.parse(self._advertisement, topic)
        return _Route(topic, parsed, EventCodec(topic), origin_bytes(topic.code, self.publisher))


def _checked_depth(address: AddressPlan, depth: int | None) -> int:
    if depth is None:
        return address.dz_room
    if not 1 <= depth <= address.dz_room:
        detail = (
            f"{shown(depth)} is out of range; use a number of bits from 1 to {address.dz_room}: the prefix "
            f"{address.prefix} and the topic code leave no more for a dz"
        )
        raise Refused(("depth",), "out_of_range", detail, depth)
    return depth


def _outside(advertised: Filter, values: Mapping[str, object]) -> Refused:
    """The error for an event outside the advertisement, for the attribute closest to a match."""
    attributes = advertised.topic.attributes
    failing = [
        [attributes[a] for a, held in term if not _holds(attributes[a], held, values[attributes[a].name])]
        for term in advertised.terms
    ]
    # A text of 16 bytes or more may fail although its point, which other texts share, does not.
    attribute = (min(failing, key=len) or [a for a in attributes if _shares_point(values[a.name])])[0]
    value = values[attribute.name]
    detail = (
        f"{shown(value)} does not match the advertisement {shown(str(advertised))}; send only events that "
        "match it"
    )
    return Refused((attribute.name,), "outside_advertisement", detail, value)


def _shares_point(value: object) -> bool:
    return isinstance(value, str) and shares_point(value)


def _holds(attribute: Attribute, held: IntervalSet, value: object) -> bool:
    start, end = attribute.before(value), attribute.after(value)
    return any(low <= start and end <= high for low, high in held)


def _max_event_size(seal: EventSeal | None) -> int:
    """The maximum size of an event without its seal, in bytes."""
    return MAX_PAYLOAD if seal is None else MAX_PAYLOAD - SEAL_BYTES


def _payload(codec: EventCodec, seq: int, at: int, tail: bytes, seal: EventSeal | None) -> bytes:
    if seal is None:
        return codec.head(seq, at) + tail
    return seal.closed(codec.head(seq, at, SEALED_EVENT) + tail)


def _too_large(codec: EventCodec, values: Mapping[str, object], size: int, room: int) -> Refused:
    """The error for an event of `size` bytes; it names the attribute with the most bytes."""
    sizes = codec.sizes(values)
    name = max(sizes, key=sizes.__getitem__)
    detail = (
        f"the event has {size} bytes, {sizes[name]} of them in this attribute; an event has at most {room} "
        "bytes, so shorten this value"
    )
    return Refused((name,), "too_large", detail, values[name])
