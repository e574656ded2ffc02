"""Messages between the controllers of neighbouring partitions."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tercast.eventspace.dz import DzSet
from tercast.federation.messages.set_name import SetName
from tercast.federation.tree.border_ends import BorderRole, SessionId
from tercast.federation.tree.offers import Offer

PROTOCOL = 1

MAX_PEER_MESSAGE = 1_200
"""Largest message in bytes with its seal; it fits every IPv6 link (RFC 8200, section 5)."""


class PeerMessageType(enum.IntEnum):
    """The type of a message, its third byte."""

    HELLO = 1
    PROPOSE = 2
    AGREE = 3
    TOPICS = 4
    DIFF = 5
    DIGEST = 6
    RESYNC = 7
    SNAPSHOT = 8
    DONE = 9
    REFUSED = 10
    GOODBYE = 11
    ACKNOWLEDGE = 12


@dataclass(frozen=True, slots=True)
class AddressTerms:
    """Terms that both ends must share, because addresses of events cross the border."""

    family: str
    prefix: str
    topic_bits: int
    dz_room: int


@dataclass(frozen=True, slots=True)
class Hello:
    """Sent each second at each border: the sender, and the state of its end."""

    instance: int
    terms: AddressTerms
    border: str
    far_border: str
    offer: Offer
    role: BorderRole
    is_open: bool
    hold: float


@dataclass(frozen=True, slots=True)
class Propose:
    """The designated end proposes to open the border."""

    session: SessionId
    offer: Offer


@dataclass(frozen=True, slots=True)
class Agree:
    """The root end has opened and agrees to a proposal."""

    session: SessionId
    offer: Offer


@dataclass(frozen=True, slots=True)
class TopicTerms:
    """A topic as one partition has it; both must agree for the topic to be shared."""

    name: str
    code: int
    schema: bytes
    version: int
    length: int


@dataclass(frozen=True, slots=True)
class Topics:
    """Topics that the sender exports and imports; parts are numbered from 0."""

    session: SessionId
    part: int
    parts: int
    topics: tuple[TopicTerms, ...]


@dataclass(frozen=True, slots=True)
class SetDiff:
    """One part of a change of a set; all parts together are one change."""

    session: SessionId
    name: SetName
    from_version: int
    to_version: int
    part: int
    parts: int
    added: DzSet
    removed: DzSet
    digest: int


@dataclass(frozen=True, slots=True)
class SetDigest:
    """The version, digest and size of a set, sent every 30 s."""

    session: SessionId
    name: SetName
    version: int
    digest: int
    count: int


@dataclass(frozen=True, slots=True)
class Resync:
    """Request for the whole set, because a change did not follow or digests differed twice."""

    session: SessionId
    name: SetName


@dataclass(frozen=True, slots=True)
class SetSnapshot:
    """One part of a whole set, which replaces the set of the receiver."""

    session: SessionId
    name: SetName
    version: int
    part: int
    parts: int
    cells: DzSet
    digest: int


@dataclass(frozen=True, slots=True)
class SetDone:
    """A version of a subscription set is confirmed by all switches here and behind."""

    session: SessionId
    name: SetName
    version: int


@dataclass(frozen=True, slots=True)
class RefusedCells:
    """A change of a set was refused as a whole, with the reason."""

    session: SessionId
    name: SetName
    version: int
    reason: str


@dataclass(frozen=True, slots=True)
class Goodbye:
    """The controller stops; `restart` is the number of seconds until it is back, 0 if it leaves."""

    instance: int
    restart: float


@dataclass(frozen=True, slots=True)
class Acknowledge:
    """All stream messages of a session up to this number have arrived."""

    session: SessionId


Unnumbered = Hello | Propose | Agree | Goodbye | Acknowledge
SetMessage = SetDiff | SetDigest | Resync | SetSnapshot | SetDone | RefusedCells
Numbered = Topics | SetMessage
PeerMessage = Unnumbered | Numbered


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message with its stream sequence number (0: none) and a cumulative acknowledgement."""

    message: PeerMessage
    sequence: int = 0
    acknowledged: int = 0
