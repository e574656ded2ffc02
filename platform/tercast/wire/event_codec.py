"""An event as bytes and back: the wire format, version 1 (its page is docs/wire-format.md).

Reading is strict: one event has one form, and whatever is cut, overlong, outside a domain or left over is a
WireError with its offset; no other exception comes out, whatever the bytes are.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tercast.errors import Refused, shown
from tercast.eventspace.topic import Topic
from tercast.runtime.wording import quantity
from tercast.wire import varint
from tercast.wire.errors import UnknownSchema, WireError
from tercast.wire.event_seal import SEAL_BYTES, number_of
from tercast.wire.field_codecs import describe, field, read_text, text_bytes

LARGEST_SEQUENCE = (1 << 64) - 1
"""The largest sequence number of an event."""

MAX_PAYLOAD = 1200
"""The largest event in bytes: with all headers it stays below the 1,280 that every IPv6 link carries."""

MAX_PUBLISHER = 255
"""The longest publisher id in bytes of UTF-8."""

MAGIC = 0x54
VERSION = 1
EVENT = 1
"""The kind of message; kinds 2 and 3 are the control messages of hosts."""
SEALED_EVENT = 4
"""An event with a seal behind its values."""

_HEAD = struct.Struct(">BBIQQ")
HEAD_BYTES = _HEAD.size
"""The fixed part: what stands before the topic code."""

_KINDS = (VERSION << 4 | EVENT, VERSION << 4 | SEALED_EVENT)

_CODE_BYTES = 16  # 112 bits, the room of an IPv6 address


@dataclass(frozen=True, slots=True)
class Event:
    """What a publisher sent: (`topic`, `publisher`, `seq`) name it, `sent_at` is in microseconds since 1970.

    `code` is the topic's code at the time; `values` are in topic order.
    """

    topic: str
    code: int
    publisher: str
    seq: int
    sent_at: int
    values: Mapping[str, object]

    def __hash__(self) -> int:
        return hash((self.topic, self.publisher, self.seq))


class EventCodec:
    """Writes and reads the events of one topic."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self.fingerprint = fingerprint(topic)
        fields = [(attribute.name, field(attribute)) for attribute in topic.attributes]
        self._writers = [(name, entry.write) for name, entry in fields]
        self._readers = [(name, entry.read) for name, entry in fields]

    def encode(self, event: Event) -> bytes:
        """The bytes of `event`, whose values the topic has checked, however many bytes they are.

        Refused for a publisher id or numbers that the format has no room for.
        """
        for name, number in (("seq", event.seq), ("sent_at", event.sent_at)):
            if not 0 <= number <= LARGEST_SEQUENCE:
                raise Refused((name,), "out_of_range", f"{shown(number)} is not in 0..2**64-1", number)
        origin = origin_bytes(event.code, event.publisher)
        return self.head(event.seq, event.sent_at) + origin + self.encode_values(event.values)

    def head(self, seq: int, sent_at: int, kind: int = EVENT) -> bytes:
        """The fixed part that an event begins with."""
        return _HEAD.pack(MAGIC, VERSION << 4 | kind, self.fingerprint, seq, sent_at)

    def encode_values(self, values: Mapping[str, object]) -> bytes:
        """The part that an event ends with; `values` as the topic's check returns them."""
        return b"".join([write(values[name]) for name, write in self._writers])

    def sizes(self, values: Mapping[str, object]) -> dict[str, int]:
        """How many bytes each attribute takes."""
        return {name: len(write(values[name])) for name, write in self._writers}

    def decode_values(self, data: bytes, position: int) -> dict[str, object]:
        """The values that stand from `position` to the end of `data`."""
        values: dict[str, object] = {}
        for name, read in self._readers:
            values[name], position = read(data, position)
        if position != len(data):
            raise WireError(position, f"{quantity(len(data) - position, 'byte is', 'bytes are')} left over")
        return values


@dataclass(frozen=True, slots=True)
class Head:
    """What an event says of itself before its values, which begin at byte `position` and end at `end`.

    `key_number` is that of its seal's key; None without a seal.
    """

    schema: int
    seq: int
    sent_at: int
    code: int
    publisher: str
    position: int
    end: int
    key_number: int | None = None


def read_head(data: bytes) -> Head:
    """Read all but the values of an event. Raises WireError."""
    if len(data) > MAX_PAYLOAD:
        raise WireError(MAX_PAYLOAD, f"{len(data)} bytes; an event has at most {MAX_PAYLOAD}")
    if len(data) < HEAD_BYTES:
        raise WireError(len(data), "the event ends within the header")
    magic, kind, schema, seq, sent_at = _HEAD.unpack_from(data)
    if magic != MAGIC or kind not in _KINDS:
        raise _not_ours(magic, kind)
    code, position = varint.decode(data, HEAD_BYTES, _CODE_BYTES)
    publisher, position = _read_publisher(data, position)
    if kind == _KINDS[0]:
        return Head(schema, seq, sent_at, code, publisher, position, len(data))
    end = len(data) - SEAL_BYTES
    if end < position:
        raise WireError(len(data), "the event ends within its seal")
    return Head(schema, seq, sent_at, code, publisher, position, end, number_of(data))


Find = Callable[[int, int], "EventCodec | None"]
"""Return the codec for a topic code and a fingerprint."""


def codec_of(head: Head, find: Find) -> EventCodec:
    """Return the codec that `find` has for an event. Raises UnknownSchema where it has none."""
    codec = find(head.code, head.schema)
    if codec is None:
        raise UnknownSchema(2, f"no topic with code {head.code} and schema {head.schema:08x} is known here")
    return codec


def read_event(data: bytes, head: Head, codec: EventCodec) -> Event:
    """Read the values behind `head`. Raises WireError."""
    values = codec.decode_values(data if head.key_number is None else data[: head.end], head.position)
    return Event(codec.topic.name, head.code, head.publisher, head.seq, head.sent_at, values)


def decode(data: bytes, find: Find) -> Event:
    """The event in `data`; `find` gives the codec for a topic code and a fingerprint.

    UnknownSchema when it gives none; any other WireError for bytes that are no event.
    """
    head = read_head(data)
    return read_event(data, head, codec_of(head, find))


def fingerprint(topic: Topic) -> int:
    """32 bits that differ when name or attribute list (names, types, domains, order) of a topic differ.

    Neither code nor indexing is in it: these change while the topic stays the same.
    """
    attributes = topic.attributes
    described = text_bytes(topic.name) + varint.encode(len(attributes)) + b"".join(map(describe, attributes))
    return int.from_bytes(hashlib.sha256(described).digest()[:4], "big")


def origin_bytes(code: int, publisher: str) -> bytes:
    """The part between head and values: topic code, and publisher behind its length.

    Refused unless the publisher's id has 1 to 255 bytes of UTF-8 and no U+0000.
    """
    try:
        data = publisher.encode()
    except UnicodeEncodeError:
        raise Refused(
            ("publisher",), "bad_text", f"{shown(publisher)} is not Unicode text", publisher
        ) from None
    if not 0 < len(data) <= MAX_PUBLISHER:
        detail = f"{len(data)} bytes; a publisher's id has 1 to {MAX_PUBLISHER}"
        raise Refused(("publisher",), "out_of_range", detail, publisher)
    if 0 in data:
        raise Refused(("publisher",), "bad_text", f"{shown(publisher)} holds U+0000", publisher)
    return varint.encode(code) + len(data).to_bytes(1, "big") + data


def _read_publisher(data: bytes, position: int) -> tuple[str, int]:
    if position >= len(data):
        raise WireError(position, "the event ends before the publisher")
    length = data[position]
    if not length:
        raise WireError(position, "the publisher's id is empty")
    return read_text(data, position + 1, length, "the publisher's id"), position + 1 + length


def _not_ours(magic: int, kind: int) -> WireError:
    if magic != MAGIC:
        return WireError(0, f"an event begins with {MAGIC:#04x}, this with {magic:#04x}")
    if kind >> 4 != VERSION:
        return WireError(1, f"version {kind >> 4} of the format; this reader knows {VERSION}")
    return WireError(1, f"a message of kind {kind & 15}, not an event")
