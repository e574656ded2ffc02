"""Conversion of messages between partitions to bytes and back, with a seal (wire format, kind 4).

Reading is strict: other bytes raise MalformedMessage, and no bytes raise another exception. A message is
sealed with the secret that both partitions share, and a counter that only grows.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from tercast.eventspace.dz import DzSet
from tercast.federation import messages as m
from tercast.federation.exchanged_sets import SetName
from tercast.federation.offers import BridgeId, Offer
from tercast.federation.partition_tree import BorderRole, SessionId
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION
from tercast.signalling.byte_reader import ByteReader
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.seal import (
    COUNTER_BYTES,
    MAX_COUNTER,
    TAG_BYTES,
    TRAILER_BYTES,
    Seal,
    Sealed,
    trailer,
)
from tercast.wire.event_codec import MAGIC, VERSION

PEER = 4
"""Kind of datagram: a message between partitions."""

_ROLES = tuple(BorderRole)
_KINDS = (ADVERTISEMENT, SUBSCRIPTION)
_FAMILIES = ("ipv4", "ipv6")
_MAX_CELLS = 0xFFFF


@dataclass(frozen=True, slots=True)
class ReceivedEnvelope:
    """A received message; its seal is not verified yet."""

    envelope: m.Envelope
    sealed: Sealed


def encode_envelope(envelope: m.Envelope, seal: Seal) -> bytes:
    """Convert a message to bytes; ValueError if it is too long."""
    kind, write = _WRITERS[type(envelope.message)]
    head = bytes((MAGIC, VERSION << 4 | PEER, kind, 0))
    numbers = struct.pack(">II", envelope.sequence, envelope.acknowledged)
    data = head + numbers + write(envelope.message)
    data += trailer(data, seal)
    if len(data) > m.MAX_PEER_MESSAGE:
        raise ValueError(f"the message has {len(data)} bytes; at most {m.MAX_PEER_MESSAGE} are allowed")
    return data


def decode_envelope(data: bytes) -> ReceivedEnvelope:
    """Read the message in `data`; raise MalformedMessage for other bytes."""
    if len(data) > m.MAX_PEER_MESSAGE:
        rule = f"the message has {len(data)} bytes; at most {m.MAX_PEER_MESSAGE} are allowed"
        raise MalformedMessage("too_large", m.MAX_PEER_MESSAGE, rule)
    end = len(data) - TRAILER_BYTES
    if end < 12:
        raise MalformedMessage("truncated", len(data), "the message ends within its head or its seal")
    reader = ByteReader(data[:end])
    magic, version, kind, flags = reader.take(4, "the head")
    if (magic, version) != (MAGIC, VERSION << 4 | PEER):
        raise MalformedMessage("not_ours", 0, "this is not a message between partitions")
    if flags:
        raise MalformedMessage("unknown_flags", 3, f"the flags are {flags:#04x}; allowed are 0x00")
    if kind not in _READERS:
        raise MalformedMessage(
            "unknown_type", 2, f"the message has type {kind}; types are 1 to {len(_READERS)}"
        )
    sequence, acknowledged = reader.number(4, "the sequence"), reader.number(4, "the acknowledgement")
    message = _READERS[kind](reader)
    reader.end()
    counter = int.from_bytes(data[end : end + COUNTER_BYTES], "big")
    if counter > MAX_COUNTER:
        raise MalformedMessage("bad_number", end, "the counter has more than 63 bits")
    sealed = Sealed(data[:-TAG_BYTES], counter, data[-TAG_BYTES:])
    return ReceivedEnvelope(m.Envelope(message, sequence, acknowledged), sealed)


def cells_size(cells: DzSet) -> int:
    """Return the number of bytes of a set of cells in a message."""
    return 2 + sum(1 + (dz.bit_length() + 6) // 8 for dz in cells)


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack(">H", len(data)) + data


def _read_text(reader: ByteReader) -> str:
    return reader.text(reader.number(2, "a text"), "a text")


def _offer(offer: Offer) -> bytes:
    head = struct.pack(">Hd", offer.root.priority, offer.cost) + _text(offer.root.uuid)
    return head + bytes((len(offer.path),)) + b"".join(map(_text, offer.path))


def _read_offer(reader: ByteReader) -> Offer:
    priority = reader.number(2, "the priority")
    cost = _read_float(reader)
    root = BridgeId(priority, _read_text(reader))
    at = reader.position
    count = reader.byte("the path")
    if not count:
        raise MalformedMessage("bad_number", at, "the path of an offer has at least one node")
    return Offer(root, cost, tuple(_read_text(reader) for _ in range(count)))


def _read_float(reader: ByteReader) -> float:
    at = reader.position
    (value,) = struct.unpack(">d", reader.take(8, "a number"))
    if not 0 <= value < float("inf"):
        raise MalformedMessage("bad_number", at, "the number is negative or not finite")
    return float(value)


def _session(session: SessionId) -> bytes:
    return struct.pack(">QI", *session)


def _read_session(reader: ByteReader) -> SessionId:
    return reader.number(8, "the session"), reader.number(4, "the session")


def _name(name: SetName) -> bytes:
    return bytes((_KINDS.index(name.kind),)) + _text(name.topic)


def _read_name(reader: ByteReader) -> SetName:
    kind = _choice(reader, _KINDS)
    return SetName(_read_text(reader), kind)


def _choice(reader: ByteReader, names: tuple[str, ...]) -> str:
    at = reader.position
    index = reader.byte("a choice")
    if index >= len(names):
        raise MalformedMessage("bad_number", at, f"the value is {index}; at most {len(names) - 1} is allowed")
    return names[index]


def _cells(cells: DzSet) -> bytes:
    if len(cells) > _MAX_CELLS:
        raise ValueError(f"the message has {len(cells)} cells; at most {_MAX_CELLS} are allowed")
    out = [struct.pack(">H", len(cells))]
    for dz in cells:
        bits = dz.bit_length() - 1
        size = (bits + 7) // 8
        out.append(bytes((bits,)) + ((dz ^ 1 << bits) << size * 8 - bits).to_bytes(size, "big"))
    return b"".join(out)


def _read_cells(reader: ByteReader) -> DzSet:
    found: list[int] = []
    for _ in range(reader.number(2, "the cells")):
        at = reader.position
        bits = reader.byte("a cell")
        if bits > 128:
            raise MalformedMessage("bad_number", at, f"a dz has {bits} bits; at most 128 are allowed")
        size = (bits + 7) // 8
        value = reader.number(size, "a cell")
        padding = size * 8 - bits
        if value & (1 << padding) - 1:
            raise MalformedMessage("bad_number", at, "the bits after a dz must be 0")
        found.append(1 << bits | value >> padding)
    return tuple(found)


def _hello(it: m.Hello) -> bytes:
    terms = it.terms
    state = bytes((_ROLES.index(it.role), it.is_open))
    return (
        struct.pack(
            ">BQBBB", m.PROTOCOL, it.instance, _FAMILIES.index(terms.family), terms.topic_bits, terms.dz_room
        )
        + _text(terms.prefix)
        + _text(it.border)
        + _text(it.far_border)
        + _offer(it.offer)
        + state
        + struct.pack(">d", it.hold)
    )


def _read_hello(reader: ByteReader) -> m.Hello:
    at = reader.position
    protocol = reader.byte("the protocol")
    if protocol != m.PROTOCOL:
        rule = f"the protocol has version {protocol}; this reader supports {m.PROTOCOL}"
        raise MalformedMessage("unknown_version", at, rule)
    instance = reader.number(8, "the instance")
    family = _choice(reader, _FAMILIES)
    topic_bits, dz_room = reader.byte("the topic bits"), reader.byte("the bits of a dz")
    terms = m.AddressTerms(family, _read_text(reader), topic_bits, dz_room)
    border, far = _read_text(reader), _read_text(reader)
    offer = _read_offer(reader)
    role = BorderRole(_choice(reader, _ROLES))
    is_open = _choice(reader, ("", "open")) == "open"
    return m.Hello(instance, terms, border, far, offer, role, is_open, _read_float(reader))


def _topics(it: m.Topics) -> bytes:
    rows = (
        _text(t.name)
        + struct.pack(">Q", t.code)
        + bytes((len(t.schema),))
        + t.schema
        + struct.pack(">IB", t.version, t.length)
        for t in it.topics
    )
    return _session(it.session) + struct.pack(">HHH", it.part, it.parts, len(it.topics)) + b"".join(rows)


def _read_topics(reader: ByteReader) -> m.Topics:
    session = _read_session(reader)
    part, parts, count = (reader.number(2, "the topics") for _ in range(3))
    return m.Topics(session, part, parts, tuple(_read_topic(reader) for _ in range(count)))


def _read_topic(reader: ByteReader) -> m.TopicTerms:
    name, code = _read_text(reader), reader.number(8, "the code")
    schema = reader.take(reader.byte("the schema"), "the schema")
    return m.TopicTerms(name, code, schema, reader.number(4, "the version"), reader.byte("the length"))


def _diff(it: m.SetDiff) -> bytes:
    numbers = struct.pack(">IIHHQ", it.from_version, it.to_version, it.part, it.parts, it.digest)
    return _session(it.session) + _name(it.name) + numbers + _cells(it.added) + _cells(it.removed)


def _read_diff(reader: ByteReader) -> m.SetDiff:
    session, name = _read_session(reader), _read_name(reader)
    numbers = [reader.number(size, "the versions") for size in (4, 4, 2, 2, 8)]
    return m.SetDiff(session, name, *numbers[:4], _read_cells(reader), _read_cells(reader), numbers[4])


def _snapshot(it: m.SetSnapshot) -> bytes:
    numbers = struct.pack(">IHHQ", it.version, it.part, it.parts, it.digest)
    return _session(it.session) + _name(it.name) + numbers + _cells(it.cells)


def _read_snapshot(reader: ByteReader) -> m.SetSnapshot:
    session, name = _read_session(reader), _read_name(reader)
    numbers = [reader.number(size, "the version") for size in (4, 2, 2, 8)]
    return m.SetSnapshot(session, name, *numbers[:3], _read_cells(reader), numbers[3])


def _read_digest(reader: ByteReader) -> m.SetDigest:
    session, name = _read_session(reader), _read_name(reader)
    return m.SetDigest(session, name, *(reader.number(size, "the digest") for size in (4, 8, 4)))


_Writer = Callable[..., bytes]
_Reader = Callable[[ByteReader], m.PeerMessage]
_T = m.PeerMessageType

_WRITERS: dict[type, tuple[int, _Writer]] = {
    m.Hello: (_T.HELLO, _hello),
    m.Propose: (_T.PROPOSE, lambda it: _session(it.session) + _offer(it.offer)),
    m.Agree: (_T.AGREE, lambda it: _session(it.session) + _offer(it.offer)),
    m.Topics: (_T.TOPICS, _topics),
    m.SetDiff: (_T.DIFF, _diff),
    m.SetDigest: (
        _T.DIGEST,
        lambda it: (
            _session(it.session) + _name(it.name) + struct.pack(">IQI", it.version, it.digest, it.count)
        ),
    ),
    m.Resync: (_T.RESYNC, lambda it: _session(it.session) + _name(it.name)),
    m.SetSnapshot: (_T.SNAPSHOT, _snapshot),
    m.Done: (_T.DONE, lambda it: _session(it.session) + _name(it.name) + struct.pack(">I", it.version)),
    m.RefusedCells: (
        _T.REFUSED,
        lambda it: (
            _session(it.session) + _name(it.name) + struct.pack(">I", it.version) + _text(it.reason[:200])
        ),
    ),
    m.Goodbye: (_T.GOODBYE, lambda it: struct.pack(">Qd", it.instance, it.restart)),
    m.Acknowledge: (_T.ACKNOWLEDGE, lambda it: _session(it.session)),
}

_READERS: dict[int, _Reader] = {
    _T.HELLO: _read_hello,
    _T.PROPOSE: lambda r: m.Propose(_read_session(r), _read_offer(r)),
    _T.AGREE: lambda r: m.Agree(_read_session(r), _read_offer(r)),
    _T.TOPICS: _read_topics,
    _T.DIFF: _read_diff,
    _T.DIGEST: _read_digest,
    _T.RESYNC: lambda r: m.Resync(_read_session(r), _read_name(r)),
    _T.SNAPSHOT: _read_snapshot,
    _T.DONE: lambda r: m.Done(_read_session(r), _read_name(r), r.number(4, "the version")),
    _T.REFUSED: lambda r: m.RefusedCells(
        _read_session(r), _read_name(r), r.number(4, "the version"), _read_text(r)
    ),
    _T.GOODBYE: lambda r: m.Goodbye(r.number(8, "the instance"), _read_float(r)),
    _T.ACKNOWLEDGE: lambda r: m.Acknowledge(_read_session(r)),
}
