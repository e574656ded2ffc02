"""Conversion of control messages and answers to bytes and back (docs/signalling.md).

Reading is strict as for events, because one message has exactly one form. Other bytes raise MalformedMessage.
No bytes raise another exception.
"""

from __future__ import annotations

from dataclasses import dataclass

from tercast.signalling import bodies
from tercast.signalling.byte_reader import ByteReader
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.messages import MAX_MESSAGE, ControlMessage, ControlReply, MessageType, ReplyStatus
from tercast.signalling.seal import (
    COUNTER_BYTES,
    MAX_COUNTER,
    TAG_BYTES,
    TRAILER_BYTES,
    Seal,
    Sealed,
    trailer,
)
from tercast.wire import varint
from tercast.wire.event_codec import MAGIC, VERSION

MESSAGE, ANSWER = 2, 3
"""Kinds of datagram. Kind 1 is an event."""

SEALED = 1
CONFIRM = 2
HAS_CODE, UNMATCHED, HAS_TERMS, HAS_CUTS = 2, 4, 8, 16

MAX_REASON = 64
MAX_DETAIL = 600
_ID_BYTES = 8


@dataclass(frozen=True, slots=True)
class Received:
    """A received message; `sealed` is None without a seal."""

    message: ControlMessage
    sealed: Sealed | None


@dataclass(frozen=True, slots=True)
class ReceivedAnswer:
    """A received answer; `sealed` is None without a seal."""

    answer: ControlReply
    sealed: Sealed | None


def encode_message(message: ControlMessage, seal: Seal | None = None) -> bytes:
    """Convert a message to bytes; ValueError if the format has no space for it."""
    flags = SEALED * (seal is not None) | CONFIRM * message.confirm
    return _finish(_head(MESSAGE, message.type, flags, message.request_id) + bodies.write(message.body), seal)


def encode_answer(answer: ControlReply, seal: Seal | None = None) -> bytes:
    """Convert an answer to bytes; shorten its detail, and raise ValueError for other long parts."""
    if not (answer.reason.isascii() and len(answer.reason) <= MAX_REASON):
        raise ValueError(f"a reason has at most {MAX_REASON} ASCII characters")
    flags = SEALED * (seal is not None) | UNMATCHED * answer.unmatched
    flags |= HAS_CODE * (answer.code is not None) | HAS_TERMS * (answer.terms is not None)
    flags |= HAS_CUTS * (answer.cuts is not None)
    data = _head(ANSWER, answer.status, flags, answer.request_id)
    data += bodies.write_text(answer.name, 1)
    if answer.code is not None:
        data += varint.encode(answer.code)
    if answer.terms is not None:
        data += bodies.write_terms(answer.terms)
    if answer.cuts is not None:
        data += bodies.write_part(answer.cuts)
    data += bodies.write_text(answer.reason, 1) + bodies.write_text(_cut(answer.detail), 2)
    return _finish(data, seal)


def decode_message(data: bytes) -> Received:
    """Read the message in `data`; raise MalformedMessage for other bytes."""
    reader, number, flags, sealed = _open(data, MESSAGE, SEALED | CONFIRM)
    if number not in [*MessageType]:
        raise MalformedMessage(
            "unknown_type", 2, f"the message has type {number}; types are 0 to {max(MessageType)}"
        )
    type_ = MessageType(number)
    request_id = reader.number(_ID_BYTES, "the request's id")
    body = bodies.read(reader, type_)
    reader.end()
    return Received(ControlMessage(type_, request_id, body, bool(flags & CONFIRM)), sealed)


def decode_answer(data: bytes) -> ReceivedAnswer:
    """Read the answer in `data`; raise MalformedMessage for other bytes."""
    reader, number, flags, sealed = _open(data, ANSWER, SEALED | HAS_CODE | UNMATCHED | HAS_TERMS | HAS_CUTS)
    if number not in [*ReplyStatus]:
        raise MalformedMessage(
            "unknown_status", 2, f"the answer has status {number}; statuses are 0 to {max(ReplyStatus)}"
        )
    request_id = reader.number(_ID_BYTES, "the request's id")
    name = reader.text(reader.byte("the name"), "the name")
    code = reader.code() if flags & HAS_CODE else None
    terms = bodies.read_terms(reader) if flags & HAS_TERMS else None
    cuts = bodies.read_part(reader) if flags & HAS_CUTS else None
    at = reader.position
    reason = reader.text(reader.byte("the reason"), "the reason")
    if not reason.isascii() or len(reason) > MAX_REASON:
        raise MalformedMessage(
            "bad_text", at, f"the reason has more than {MAX_REASON} characters or is not ASCII"
        )
    detail = reader.text(reader.number(2, "the detail"), "the detail")
    reader.end()
    unmatched = bool(flags & UNMATCHED)
    said = (name, code, unmatched, reason, detail)
    return ReceivedAnswer(ControlReply(ReplyStatus(number), request_id, *said, terms, cuts), sealed)


def _head(kind: int, number: int, flags: int, request_id: int) -> bytes:
    if not 0 <= request_id < 1 << 8 * _ID_BYTES:
        raise ValueError("the id of a request does not fit 64 bits")
    return bytes((MAGIC, VERSION << 4 | kind, number, flags)) + request_id.to_bytes(_ID_BYTES, "big")


def _finish(data: bytes, seal: Seal | None) -> bytes:
    if seal is not None:
        data += trailer(data, seal)
    if len(data) > MAX_MESSAGE:
        raise ValueError(f"the message has {len(data)} bytes; at most {MAX_MESSAGE} are allowed")
    return data


def _open(data: bytes, kind: int, known: int) -> tuple[ByteReader, int, int, Sealed | None]:
    """Check the head; return a reader that ends before the seal, type or status, flags and seal."""
    if len(data) > MAX_MESSAGE:
        raise MalformedMessage(
            "too_large", MAX_MESSAGE, f"the message has {len(data)} bytes; at most {MAX_MESSAGE} are allowed"
        )
    reader = ByteReader(data)
    magic, version, number, flags = reader.take(4, "the head")
    if magic != MAGIC:
        rule = f"the first byte is {magic:#04x}; a message begins with {MAGIC:#04x}"
        raise MalformedMessage("not_ours", 0, rule)
    if version >> 4 != VERSION:
        raise MalformedMessage(
            "unknown_version", 1, f"the format has version {version >> 4}; this reader supports {VERSION}"
        )
    if version & 15 != kind:
        raise MalformedMessage(
            "unknown_kind", 1, f"the datagram has kind {version & 15}; this reader expects {kind}"
        )
    if flags & ~known:
        raise MalformedMessage("unknown_flags", 3, f"the flags are {flags:#04x}; allowed are {known:#04x}")
    if not flags & SEALED:
        return reader, number, flags, None
    end = len(data) - TRAILER_BYTES
    if end < reader.position:
        raise MalformedMessage("truncated", len(data), "the message ends within its seal")
    counter = int.from_bytes(data[end : end + COUNTER_BYTES], "big")
    if counter > MAX_COUNTER:
        raise MalformedMessage("bad_number", end, "the counter has more than 63 bits")
    sealed = Sealed(data[:-TAG_BYTES], counter, data[-TAG_BYTES:])
    return ByteReader(data[:end], reader.position), number, flags, sealed


def _cut(text: str) -> str:
    """Return `text` without U+0000, with at most `MAX_DETAIL` bytes of UTF-8."""
    data = text.replace("\0", " ").encode("utf-8", "backslashreplace")
    return (
        data.decode() if len(data) <= MAX_DETAIL else data[: MAX_DETAIL - 3].decode("utf-8", "ignore") + "..."
    )
