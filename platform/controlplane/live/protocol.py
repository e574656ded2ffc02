"""Messages of both sides of the live stream, and the codes with which the server ends it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import IntEnum

from django.utils import timezone

from controlplane.requestlog.outbox import RETAINED_ROWS, RETAINED_TIME

LARGEST_MESSAGE = 4096
"""Largest number of characters in a client's message; valid messages are much shorter."""

REMEDY = 'send {"type": "from", "id": N} or {"type": "ping"}'

LARGEST_ID = (1 << 63) - 1


class LiveError(Exception):
    """Base class for refusals of a live stream."""


class Close(IntEnum):
    """Reason why the server ended a stream; 4xxx codes are visible to pages in browsers."""

    FAILED = 1011
    BAD_MESSAGE = 4400
    LOG_IN = 4401
    ORIGIN = 4403
    TOO_SLOW = 4408
    GAP = 4410
    TOO_MANY = 4429


class Ended(LiveError):  # noqa: N818 - named by meaning
    """End of a stream by the server: `close` is the reason for programs, `detail` for people."""

    def __init__(self, close: Close, detail: str) -> None:
        super().__init__(detail)
        self.close = close
        self.detail = detail

    @property
    def reason(self) -> str:
        """`detail`, cut to the 123 bytes that fit into a close frame."""
        return self.detail.encode()[:123].decode(errors="ignore")


@dataclass(frozen=True, slots=True)
class StreamBounds:
    """Ids of the oldest and newest event in the outbox; both are 0 if it is empty."""

    oldest: int
    newest: int


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """An outbox event, with its message (`text`) for every client."""

    id: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """The client has everything up to event `id` (None: up to the hello)."""

    id: int | None


@dataclass(frozen=True, slots=True)
class Ping:
    """The client asks whether the server responds."""


def parse(text: str) -> ResumePoint | Ping:
    """Return the client's message in `text`.

    Raises:
        Ended: The message is invalid; the text has the error and valid messages.
    """
    if len(text) > LARGEST_MESSAGE:
        raise _bad(f"a message has at most {LARGEST_MESSAGE} characters, but this one has {len(text)}")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise _bad(f"the message is not JSON; {REMEDY}") from None
    if not isinstance(message, dict):
        raise _bad(f"the message is not an object; {REMEDY}")
    match message.get("type"):
        case "from":
            return ResumePoint(_id(message.get("id")))
        case "ping":
            return Ping()
        case other:
            raise _bad(f"type {_shown(other)} is unknown; {REMEDY}")


def _id(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_ID:
        raise _bad(f"id {_shown(value)} is not valid; use null or an integer from 0 to 2^63-1")
    return value


def _bad(detail: str) -> Ended:
    return Ended(Close.BAD_MESSAGE, detail)


def _shown(value: object) -> str:
    if isinstance(value, dict | list):
        return "(an object or a list)"
    return json.dumps(value)[:40]


def event_text(id_: int, kind: str, payload: object, at: str) -> str:
    """Return the message of an event."""
    return _dump({"type": "event", "id": id_, "kind": kind, "payload": payload, "at": at})


def hello(bounds: StreamBounds) -> str:
    """Return the server's first message: contents of the outbox, and both retention limits."""
    retention = {"events": RETAINED_ROWS, "seconds": int(RETAINED_TIME.total_seconds())}
    return _dump({"type": "hello", "oldest": bounds.oldest, "newest": bounds.newest, "retention": retention})


def answer_resume(bounds: StreamBounds, id_: int) -> tuple[bool, str]:
    """Return whether a client with everything up to `id_` can continue, and the message."""
    if id_ > bounds.newest:
        return False, _reload(bounds, f"event {id_} does not exist yet; the newest is {bounds.newest}")
    if id_ == bounds.newest:
        return True, _dump({"type": "up-to-date", "newest": bounds.newest})
    if id_ < bounds.oldest - 1:
        return False, _reload(bounds, f"events before {bounds.oldest} are no longer stored")
    return True, _dump({"type": "replayed", "from": id_, "to": bounds.newest})


def _reload(bounds: StreamBounds, why: str) -> str:
    detail = f"{why}; read the state over REST, then continue from {bounds.newest}"
    return _dump({"type": "reload", "oldest": bounds.oldest, "newest": bounds.newest, "detail": detail})


def ping(newest: int) -> str:
    """Return a ping: the client has received all events up to `newest` that it may see."""
    return _dump({"type": "ping", "newest": newest, "at": timezone.now().isoformat()})


def pong() -> str:
    """Return the answer to a client's ping."""
    return _dump({"type": "pong", "at": timezone.now().isoformat()})


def error(ended: Ended) -> str:
    """Return the last message before the server ends a stream."""
    return _dump({"type": "error", "code": int(ended.close), "detail": ended.detail})


def _dump(message: dict[str, object]) -> str:
    return json.dumps(message, separators=(",", ":"))
