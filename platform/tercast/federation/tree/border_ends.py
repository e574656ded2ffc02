"""The end of a border: its role, its state, the last hello, and actions."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tercast.federation.tree.offers import Offer


class BorderRole(enum.StrEnum):
    """The role of one end of a border."""

    ROOT = "root"
    DESIGNATED = "designated"
    STANDBY = "standby"


SessionId = tuple[int, int]
"""One opening of a border: the instance of the node that proposed it, and the number of the proposal."""

MISMATCH_TICKS = 2
"""Ticks for which a designated end stays open while the other end says that it is closed."""


@dataclass(frozen=True, slots=True)
class HeardHello:
    """The other end of a border as it describes itself."""

    offer: Offer
    border: str
    instance: int
    role: BorderRole
    is_open: bool


@dataclass(frozen=True, slots=True)
class CloseBorder:
    """Stop all events at a border in both directions; report `closed` when confirmed."""

    border: str


@dataclass(frozen=True, slots=True)
class OpenBorder:
    """Let events cross a border."""

    border: str
    session: SessionId


@dataclass(frozen=True, slots=True)
class OpeningProposal:
    """Propose to open a border; sent by the designated end."""

    border: str
    session: SessionId
    offer: Offer


@dataclass(frozen=True, slots=True)
class OpeningAgreement:
    """Agree to a proposal; sent by the root end after it has opened."""

    border: str
    session: SessionId
    offer: Offer


TreeAction = CloseBorder | OpenBorder | OpeningProposal | OpeningAgreement


@dataclass(slots=True)
class BorderEnd:
    """The end of a border at one node."""

    name: str
    cost: float
    is_up: bool = False
    role: BorderRole = BorderRole.STANDBY
    session: SessionId | None = None
    is_closing: bool = False
    heard: HeardHello | None = None
    proposed: tuple[SessionId, Offer] | None = None
    agreed: SessionId = (0, 0)
    mismatch: int = 0

    @property
    def is_open(self) -> bool:
        """Whether events may cross this end."""
        return self.session is not None

    @property
    def may_forward(self) -> bool:
        """Whether events may cross: the end is open, or its closing is not confirmed."""
        return self.session is not None or self.is_closing
