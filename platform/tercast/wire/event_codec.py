"""Conversion of events to bytes and back: the wire format, version 1 (docs/wire-format.md).

Reading is strict, because one event has exactly one form. Bytes that are truncated, overlong, outside a
domain or left over raise a WireError with their offset. No bytes raise another exception.
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
"""The largest event in bytes. With all headers it fits the 1,280 bytes that every IPv6 link carries."""

MAX_PUBLISHER = 255
"""The longest publisher id, in bytes of UTF-8."""

MAGIC = 0x54
VERSION = 1
EVENT = 1
"""The kind of message. Kinds 2 and 3 are the control messages of hosts."""
SEALED_EVENT = 4
"""An event with a seal after its values."""

_HEAD = struct.Struct(">BBIQQ")
HEAD_BYTES = _HEAD.size
"""The length of the fixed part, before the topic code, in bytes."""

_KINDS = (VERSION << 4 | EVENT, VERSION << 4 | SEALED_EVENT)

_CODE_BYTES = 16  # 112 bits, as many as an IPv6 address has for it


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a publisher, identified by `topic`, `publisher` and `seq`.

    `code` is the topic's code at that time. `sent_at` is in microseconds since 1970. `values` are in the
    order of the topic.
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
        """Convert `event` to bytes of any length; the topic has checked its values.

        Raises:
            Refused: the format has no space for the publisher's id or for a number.
        """
        for name, number in (("seq", event.seq), ("sent_at", event.sent_at)):
            if not 0 <= number <= LARGEST_SEQUENCE:
                raise Refused(
                    (name,), "out_of_range", f"{shown(number)} is out of range; 0 to 2**64-1", number
                )
        origin = origin_bytes(event.code, event.publisher)
        return self.head(event.seq, event.sent_at) + origin + self.encode_values(event.values)

    def head(self, seq: int, sent_at: int, kind: int = EVENT) -> bytes:
        """Return the fixed part at the start of an event."""
        return _HEAD.pack(MAGIC, VERSION << 4 | kind, self.fingerprint, seq, sent_at)

    def encode_values(self, values: Mapping[str, object]) -> bytes:
        """Return the part at the end of an event; `values` are as the topic's check returns them."""
        return b"".join([write(values[name]) for name, write in self._writers])

    def sizes(self, values: Mapping[str, object]) -> dict[str, int]:
        """Count the bytes of each attribute."""
        return {name: len(write(values[name])) for name, write in self._writers}

    def decode_values(self, data: bytes, position: int) -> dict[str, object]:
        """Read the values between `position` and the end of `data`."""
        values: dict[str, object] = {}
        for name, read in self._readers:
            values[name], position = read(data, position)
        if position != len(data):
            raise WireError(position, f"{quantity(len(data) - position, 'byte is', 'bytes are')} left over")
        return values


@dataclass(frozen=True, slots=True)
class Head:
    """The part of an event before its values, which begin at byte `position` and end at `end`.

    `key_number` is the key number of the seal; None without a seal.
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
    """Read all parts of an event except the values. Raises WireError."""
    if len(data) > MAX_PAYLOAD:
        raise WireError(MAX_PAYLOAD, f"the event has {len(data)} bytes; at most {MAX_PAYLOAD} are allowed")
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
    """Return the codec that `find` has for an event. Raises UnknownSchema if it has none."""
    codec = find(head.code, head.schema)
    if codec is None:
        raise UnknownSchema(2, f"there is no topic with code {head.code} and schema {head.schema:08x}")
    return codec


def read_event(data: bytes, head: Head, codec: EventCodec) -> Event:
    """Read the values after `head`. Raises WireError."""
    values = codec.decode_values(data if head.key_number is None else data[: head.end], head.position)
    return Event(codec.topic.name, head.code, head.publisher, head.seq, head.sent_at, values)


def decode(data: bytes, find: Find) -> Event:
    """Read the event in `data`; `find` returns the codec for a topic code and a fingerprint.

    Raises:
        UnknownSchema: `find` returns no codec.
        WireError: the bytes are not an event.
    """
    head = read_head(data)
    return read_event(data, head, codec_of(head, find))


def fingerprint(topic: Topic) -> int:
    """Hash the name and the attributes of a topic to 32 bits (names, types, domains, order).

    The hash does not depend on the code or the indexing, because these change while the topic stays the same.
    """
    attributes = topic.attributes
    described = text_bytes(topic.name) + varint.encode(len(attributes)) + b"".join(map(describe, attributes))
    return int.from_bytes(hashlib.sha256(described).digest()[:4], "big")


def origin_bytes(code: int, publisher: str) -> bytes:
    """Return the part between head and values: topic code, length of the publisher's id, id.

    Raises:
        Refused: the publisher's id does not have 1 to 255 bytes of UTF-8, or contains U+0000.
    """
    try:
        data = publisher.encode()
    except UnicodeEncodeError:
        raise Refused(
            ("publisher",), "bad_text", f"{shown(publisher)} is not Unicode text", publisher
        ) from None
    if not 0 < len(data) <= MAX_PUBLISHER:
        detail = f"the publisher's id has {len(data)} bytes; 1 to {MAX_PUBLISHER} are allowed"
        raise Refused(("publisher",), "out_of_range", detail, publisher)
    if 0 in data:
        raise Refused(("publisher",), "bad_text", f"{shown(publisher)} contains U+0000; remove it", publisher)
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
        return WireError(0, f"the first byte is {magic:#04x}; an event begins with {MAGIC:#04x}")
    if kind >> 4 != VERSION:
        return WireError(1, f"the format has version {kind >> 4}; this reader supports {VERSION}")
    return WireError(1, f"the message has kind {kind & 15}, so it is not an event")
