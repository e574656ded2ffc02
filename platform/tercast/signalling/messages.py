"""Control messages of hosts and the answers to them, as values.

The types are those of Mishra's thesis (section 5.2, table 5.1). A message contains a set of dz, as in the
thesis, or the text of the filter.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tercast.eventspace.dz import DzSet

PORT = 7374
"""The UDP port that control messages are sent to, and that answers are sent from."""

MAX_MESSAGE = 1200
"""The largest message in bytes. With all headers it fits the 1,280 bytes that every IPv6 link carries."""

MAX_CELLS = 50
"""The largest number of cells in a dz set. The encoding of a filter has no more by default."""

MAX_PART = 900
"""The largest part of cuts in an answer, in bytes; with all other fields and a seal it fits a message."""

MAX_CELL_BITS = 112
"""The longest dz in bits, as many as an IPv6 address has for it."""


class MessageType(enum.IntEnum):
    """Requests of a host."""

    ADVERTISE = 0
    UNADVERTISE = 1
    SUBSCRIBE = 2
    UNSUBSCRIBE = 3
    ADDRESS = 4
    """The host reports its address."""
    LEASE = 5
    """The host asks for the encoding of an advertisement's events, and for how long it is valid."""
    RELEASE = 6
    """The host sends no more events of an advertisement."""

    @property
    def withdraws(self) -> bool:
        """Whether it withdraws an advertisement or a subscription."""
        return self in (MessageType.UNADVERTISE, MessageType.UNSUBSCRIBE)


TopicRef = int | str
"""A topic by its code or by its name."""


@dataclass(frozen=True, slots=True)
class CellsBody:
    """A canonical set of dz of a topic, with at least one dz."""

    topic: TopicRef
    dz: DzSet


@dataclass(frozen=True, slots=True)
class FilterText:
    """A filter over a topic's attributes, as text."""

    topic: TopicRef
    text: str


@dataclass(frozen=True, slots=True)
class NamedBody:
    """An advertisement or a subscription, by the name in a previous answer."""

    name: str


@dataclass(frozen=True, slots=True)
class AddressBody:
    """The sender's own address, packed: 4 or 16 bytes."""

    packed: bytes


@dataclass(frozen=True, slots=True)
class RunningPublisher:
    """A running publisher of an advertisement: its own number, and its version (0: none)."""

    name: str
    holder: int
    version: int = 0


@dataclass(frozen=True, slots=True)
class CutReader:
    """A `RunningPublisher` that can read cuts, with the first byte of cuts to send."""

    name: str
    holder: int
    version: int = 0
    position: int = 0


ControlBody = CellsBody | FilterText | NamedBody | AddressBody | RunningPublisher | CutReader


@dataclass(frozen=True, slots=True)
class TermsBody:
    """A lease: the version of the encoding, and milliseconds until expiry and next poll.

    The topic code is in the answer. `indexed` are the positions of the indexed attributes in the topic's
    list.
    """

    version: int
    expires_ms: int
    poll_ms: int
    indexed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CutsPart:
    """A part of the cuts of a lease: bytes from `position`, of `size` bytes (`cut_bytes`)."""

    size: int
    position: int
    data: bytes


@dataclass(frozen=True, slots=True)
class ControlMessage:
    """A request of a host. A repeated message has the same `request_id` (64 bits, random).

    With `confirm`, the host requests a second answer after the switches have confirmed, or after a failure.
    """

    type: MessageType
    request_id: int
    body: ControlBody
    confirm: bool = False


class ReplyStatus(enum.IntEnum):
    """Outcome of a message."""

    ACCEPTED = 0
    """The request is in the log. The network has not changed yet."""
    DONE = 1
    """All switches that are concerned have confirmed."""
    REFUSED = 2
    """The request changed nothing."""
    FAILED = 3
    """The request was accepted, and the network could not carry it out."""
    BUSY = 4
    """The request changed nothing now. The host may send it again later."""

    @property
    def final(self) -> bool:
        """Whether no further answer follows."""
        return self is not ReplyStatus.ACCEPTED


@dataclass(frozen=True, slots=True)
class ControlReply:
    """An answer about the advertisement, subscription or host `name`, with the topic's `code`.

    `unmatched` means that no advertisement overlaps the subscription yet. If the status is not ACCEPTED or
    DONE, `reason` is a snake_case code, and `detail` is a line for people. `terms` is the lease, and `cuts`
    is a part of the cuts of its encoding.
    """

    status: ReplyStatus
    request_id: int
    name: str = ""
    code: int | None = None
    unmatched: bool = False
    reason: str = ""
    detail: str = ""
    terms: TermsBody | None = None
    cuts: CutsPart | None = None
