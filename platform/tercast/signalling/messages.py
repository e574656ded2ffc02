"""Control messages of hosts and the answers to them, as values.

The types are those of Mishra's thesis (section 5.2, table 5.1); a message carries a set of dz as there, or
the filter's text.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tercast.eventspace.dz import DzSet

PORT = 7374
"""The UDP port that control messages go to, and that answers come from."""

MAX_MESSAGE = 1200
"""The largest message in bytes: with all headers it stays below the 1,280 that every IPv6 link carries."""

MAX_CELLS = 50
"""The most cells of a dz set; a filter's encoding has no more by default."""

MAX_CELL_BITS = 112
"""The longest dz: the room of an IPv6 address."""


class MessageType(enum.IntEnum):
    """What a host asks for."""

    ADVERTISE = 0
    UNADVERTISE = 1
    SUBSCRIBE = 2
    UNSUBSCRIBE = 3
    ADDRESS = 4
    """Here I am, and this is my address."""
    LEASE = 5
    """How are the events of an advertisement to be encoded, and for how long may I rely on that?"""
    RELEASE = 6
    """I send no more events of it."""

    @property
    def withdraws(self) -> bool:
        """Whether it takes something back."""
        return self in (MessageType.UNADVERTISE, MessageType.UNSUBSCRIBE)


TopicRef = int | str
"""A topic by its code or by its name."""


@dataclass(frozen=True, slots=True)
class CellsBody:
    """A canonical set of dz of a topic; at least one."""

    topic: TopicRef
    dz: DzSet


@dataclass(frozen=True, slots=True)
class FilterText:
    """A filter over a topic's attributes, as text."""

    topic: TopicRef
    text: str


@dataclass(frozen=True, slots=True)
class NamedBody:
    """An advertisement or a subscription by the name that an answer gave it."""

    name: str


@dataclass(frozen=True, slots=True)
class AddressBody:
    """The sender's own address, packed: 4 or 16 bytes."""

    packed: bytes


@dataclass(frozen=True, slots=True)
class Holding:
    """A running publisher of an advertisement: a number of its own, and the version it uses (0: none)."""

    name: str
    holder: int
    version: int = 0


Body = CellsBody | FilterText | NamedBody | AddressBody | Holding


@dataclass(frozen=True, slots=True)
class TermsBody:
    """A lease: the encoding (with the answer's topic code), and milliseconds until it ends, and to ask again.

    `indexed` are the places of the indexed attributes in the topic's list.
    """

    version: int
    expires_ms: int
    poll_ms: int
    indexed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ControlMessage:
    """What a host asks for. `request_id` (64 bits, random) stays the same when it is sent again.

    With `confirm` the host wants a second answer when the switches have confirmed it, or it failed.
    """

    type: MessageType
    request_id: int
    body: Body
    confirm: bool = False


class ReplyStatus(enum.IntEnum):
    """What became of a message."""

    ACCEPTED = 0
    """It stands in the log; the network has yet to follow."""
    DONE = 1
    """All switches concerned have confirmed."""
    REFUSED = 2
    """It changed nothing."""
    FAILED = 3
    """It was accepted, and the network could not do it."""
    BUSY = 4
    """It changed nothing now; send it again later."""

    @property
    def final(self) -> bool:
        """Whether no further answer follows."""
        return self is not ReplyStatus.ACCEPTED


@dataclass(frozen=True, slots=True)
class ControlReply:
    """An answer. `name` is that of the advertisement, subscription or host; `code` the topic's.

    `unmatched`: a subscription that no advertisement overlaps yet. `reason` is a snake_case kind and `detail`
    a line for people, where the status is not ACCEPTED or DONE. `terms` are those of a lease.
    """

    status: ReplyStatus
    request_id: int
    name: str = ""
    code: int | None = None
    unmatched: bool = False
    reason: str = ""
    detail: str = ""
    terms: TermsBody | None = None
