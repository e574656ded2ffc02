"""Conversion of messages between partitions to sealed bytes and back (kind 4).

Reading is strict: other bytes raise MalformedMessage, and no bytes raise another exception. A message is
sealed with the secret that both partitions share, and a counter that only grows.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from tercast.federation.messages import peer_messages as m
from tercast.federation.messages.message_fields import (
    read_cells,
    read_choice,
    read_number,
    read_offer,
    read_session,
    read_set_name,
    read_text,
    write_cells,
    write_name,
    write_offer,
    write_session,
    write_text,
)
from tercast.federation.tree.border_ends import BorderRole
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
_FAMILIES = ("ipv4", "ipv6")


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


def _hello(it: m.Hello) -> bytes:
    terms = it.terms
    state = bytes((_ROLES.index(it.role), it.is_open))
    return (
        struct.pack(
            ">BQBBB", m.PROTOCOL, it.instance, _FAMILIES.index(terms.family), terms.topic_bits, terms.dz_room
        )
        + write_text(terms.prefix)
        + write_text(it.border)
        + write_text(it.far_border)
        + write_offer(it.offer)
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
    family = read_choice(reader, _FAMILIES)
    topic_bits, dz_room = reader.byte("the topic bits"), reader.byte("the bits of a dz")
    terms = m.AddressTerms(family, read_text(reader), topic_bits, dz_room)
    border, far = read_text(reader), read_text(reader)
    offer = read_offer(reader)
    role = BorderRole(read_choice(reader, _ROLES))
    is_open = read_choice(reader, ("", "open")) == "open"
    return m.Hello(instance, terms, border, far, offer, role, is_open, read_number(reader))


def _topics(it: m.Topics) -> bytes:
    rows = (
        write_text(t.name)
        + struct.pack(">Q", t.code)
        + bytes((len(t.schema),))
        + t.schema
        + struct.pack(">IB", t.version, t.length)
        for t in it.topics
    )
    return write_session(it.session) + struct.pack(">HHH", it.part, it.parts, len(it.topics)) + b"".join(rows)


def _read_topics(reader: ByteReader) -> m.Topics:
    session = read_session(reader)
    part, parts, count = (reader.number(2, "the topics") for _ in range(3))
    return m.Topics(session, part, parts, tuple(_read_topic(reader) for _ in range(count)))


def _read_topic(reader: ByteReader) -> m.TopicTerms:
    name, code = read_text(reader), reader.number(8, "the code")
    schema = reader.take(reader.byte("the schema"), "the schema")
    return m.TopicTerms(name, code, schema, reader.number(4, "the version"), reader.byte("the length"))


def _place(it: m.SetDiff | m.SetDigest | m.Resync | m.SetSnapshot | m.SetDone | m.RefusedCells) -> bytes:
    return write_session(it.session) + write_name(it.name)


def _diff(it: m.SetDiff) -> bytes:
    numbers = struct.pack(">IIHHQ", it.from_version, it.to_version, it.part, it.parts, it.digest)
    return (
        write_session(it.session)
        + write_name(it.name)
        + numbers
        + write_cells(it.added)
        + write_cells(it.removed)
    )


def _read_diff(reader: ByteReader) -> m.SetDiff:
    session, name = read_session(reader), read_set_name(reader)
    before, after, part, parts, digest = (reader.number(size, "the versions") for size in (4, 4, 2, 2, 8))
    added, removed = read_cells(reader), read_cells(reader)
    return m.SetDiff(session, name, before, after, part, parts, added, removed, digest)


def _snapshot(it: m.SetSnapshot) -> bytes:
    numbers = struct.pack(">IHHQ", it.version, it.part, it.parts, it.digest)
    return _place(it) + numbers + write_cells(it.cells)


def _read_snapshot(reader: ByteReader) -> m.SetSnapshot:
    session, name = read_session(reader), read_set_name(reader)
    version, part, parts, digest = (reader.number(size, "the version") for size in (4, 2, 2, 8))
    return m.SetSnapshot(session, name, version, part, parts, read_cells(reader), digest)


def _read_digest(reader: ByteReader) -> m.SetDigest:
    session, name = read_session(reader), read_set_name(reader)
    return m.SetDigest(session, name, *(reader.number(size, "the digest") for size in (4, 8, 4)))


_T = m.PeerMessageType

_WRITERS: dict[type, tuple[int, Callable[..., bytes]]] = {
    m.Hello: (_T.HELLO, _hello),
    m.Propose: (_T.PROPOSE, lambda it: write_session(it.session) + write_offer(it.offer)),
    m.Agree: (_T.AGREE, lambda it: write_session(it.session) + write_offer(it.offer)),
    m.Topics: (_T.TOPICS, _topics),
    m.SetDiff: (_T.DIFF, _diff),
    m.SetDigest: (
        _T.DIGEST,
        lambda it: (
            write_session(it.session)
            + write_name(it.name)
            + struct.pack(">IQI", it.version, it.digest, it.count)
        ),
    ),
    m.Resync: (_T.RESYNC, _place),
    m.SetSnapshot: (_T.SNAPSHOT, _snapshot),
    m.SetDone: (
        _T.DONE,
        lambda it: _place(it) + struct.pack(">I", it.version),
    ),
    m.RefusedCells: (
        _T.REFUSED,
        lambda it: (
            write_session(it.session)
            + write_name(it.name)
            + struct.pack(">I", it.version)
            + write_text(it.reason.encode()[:200].decode(errors="ignore"))
        ),
    ),
    m.Goodbye: (_T.GOODBYE, lambda it: struct.pack(">Qd", it.instance, it.restart)),
    m.Acknowledge: (_T.ACKNOWLEDGE, lambda it: write_session(it.session)),
}

_READERS: dict[int, Callable[[ByteReader], m.PeerMessage]] = {
    _T.HELLO: _read_hello,
    _T.PROPOSE: lambda r: m.Propose(read_session(r), read_offer(r)),
    _T.AGREE: lambda r: m.Agree(read_session(r), read_offer(r)),
    _T.TOPICS: _read_topics,
    _T.DIFF: _read_diff,
    _T.DIGEST: _read_digest,
    _T.RESYNC: lambda r: m.Resync(read_session(r), read_set_name(r)),
    _T.SNAPSHOT: _read_snapshot,
    _T.DONE: lambda r: m.SetDone(read_session(r), read_set_name(r), r.number(4, "the version")),
    _T.REFUSED: lambda r: m.RefusedCells(
        read_session(r), read_set_name(r), r.number(4, "the version"), read_text(r)
    ),
    _T.GOODBYE: lambda r: m.Goodbye(r.number(8, "the instance"), read_number(r)),
    _T.ACKNOWLEDGE: lambda r: m.Acknowledge(read_session(r)),
}
