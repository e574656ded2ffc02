"""The tree of partitions: a rapid spanning tree with paths (IEEE 802.1D-2004).

`PartitionTree` is a state machine without a clock and without input or output. Each method takes one event
and returns the actions that follow. At any time, the borders that are open at both ends form no cycle,
because the end of a root border opens only after all other ends of its node are closed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tercast.federation.tree.border_ends import (
    MISMATCH_TICKS,
    BorderEnd,
    BorderRole,
    CloseBorder,
    HeardHello,
    OpenBorder,
    OpeningAgreement,
    OpeningProposal,
    SessionId,
    TreeAction,
)
from tercast.federation.tree.offers import MAX_PATH, BridgeId, Offer, short_name

BORDER_BYTES = 64
"""Length of the name of a border in a hello."""


@dataclass(slots=True)
class _Agreeing:
    """A proposal that waits until all other ends are closed."""

    border: str
    session: SessionId
    offer: Offer


@dataclass(slots=True)
class PartitionTree:
    """One node: its offer and the ends of its borders.

    After a start nothing is known about the switches, so `start` closes all borders first.
    """

    node: BridgeId
    instance: int
    ends: dict[str, BorderEnd] = field(default_factory=dict)
    root_border: str | None = None
    offer: Offer = field(init=False)
    _number: int = 0
    _agreeing: _Agreeing | None = None
    _actions: list[TreeAction] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.offer = Offer.of_root(self.node)

    def start(self, borders: Mapping[str, float]) -> list[TreeAction]:
        """Add the borders, with their costs, and close all of them."""
        for name, cost in borders.items():
            end = self.ends[name] = BorderEnd(name, cost)
            end.is_closing = True
            self._actions.append(CloseBorder(name))
        return self._pop_actions()

    def border_up(self, border: str) -> list[TreeAction]:
        """Record that a port came up."""
        self.ends[border].is_up = True
        return self._decide()

    def border_down(self, border: str) -> list[TreeAction]:
        """Record that a port went down, or that nothing was heard there for too long."""
        end = self.ends[border]
        end.is_up, end.heard = False, None
        self._close(end)
        return self._decide()

    def hear(self, border: str, hello: HeardHello) -> list[TreeAction]:
        """Take a hello of the other end."""
        end = self.ends[border]
        if not end.is_up:
            return []
        if end.heard is not None and end.heard.instance != hello.instance:
            end.agreed = (0, 0)
            self._close(end)
        end.heard = hello
        if hello.is_open or not end.is_open:
            end.mismatch = 0
        return self._decide()

    def take_proposal(self, border: str, session: SessionId, offer: Offer) -> list[TreeAction]:
        """Agree to a proposal at the root border, after all other ends are closed."""
        end = self.ends[border]
        heard = end.heard
        if heard is None or heard.instance != session[0]:
            return []
        if end.session == session:
            return [OpeningAgreement(border, session, offer)]
        is_old = session[0] == end.agreed[0] and session < end.agreed
        if is_old or (self._agreeing is not None and self._agreeing.session == session):
            return []
        if heard.offer != offer:
            end.heard = HeardHello(offer, heard.border, heard.instance, heard.role, heard.is_open)
            self._decide_roles()
        if border != self.root_border:
            return self._decide()
        end.agreed = session
        self._close_all()
        self._agreeing = _Agreeing(border, session, offer)
        return self._decide()

    def take_agreement(self, border: str, session: SessionId, offer: Offer) -> list[TreeAction]:
        """Open a designated end if the agreement quotes the current proposal."""
        end = self.ends[border]
        if end.proposed != (session, offer) or end.is_closing or end.is_open or self._agreeing is not None:
            return []
        end.proposed = None
        end.session = session
        end.mismatch = 0
        return [OpenBorder(border, session), *self._decide()]

    def closed(self, border: str) -> list[TreeAction]:
        """Record that switches have confirmed that a border is closed."""
        self.ends[border].is_closing = False
        return self._decide()

    def tick(self) -> list[TreeAction]:
        """Repeat proposals without an agreement, and notice ends that stay open on one side only."""
        for end in self.ends.values():
            if end.proposed is not None:
                self._actions.append(OpeningProposal(end.name, *end.proposed))
            if end.is_open and end.role is BorderRole.DESIGNATED and end.heard and not end.heard.is_open:
                end.mismatch += 1
                if end.mismatch > MISMATCH_TICKS:
                    self._close(end)
        return self._decide()

    def hello(self, border: str) -> HeardHello:
        """Return the hello for the other end of a border."""
        end = self.ends[border]
        return HeardHello(self.offer, short_name(border, BORDER_BYTES), self.instance, end.role, end.is_open)

    def _decide(self) -> list[TreeAction]:
        self._decide_roles()
        self._finish_agreement()
        self._propose()
        return self._pop_actions()

    def _decide_roles(self) -> None:
        """Choose the root border and the roles of the others; close what the new roles close."""
        best, root = None, None
        for end in self.ends.values():
            heard = end.heard
            if not end.is_up or heard is None or self.node.uuid in heard.offer.path:
                continue
            if len(heard.offer.path) >= MAX_PATH:
                continue
            rank = (*heard.offer.rank(heard.border, end.cost), end.name)
            if heard.offer.root < self.node and (best is None or rank < best):
                best, root = rank, end
        if root is None or root.heard is None:
            self.offer = Offer.of_root(self.node)
        else:
            self.offer = root.heard.offer.through(self.node, root.cost)
        name = None if root is None else root.name
        if name != self.root_border:
            self.root_border = name
            self._agreeing = None
            self._close_all()
        for end in self.ends.values():
            role = BorderRole.ROOT if end is root else self._role(end)
            if role is not end.role:
                end.role = role
                self._close(end)

    def _role(self, end: BorderEnd) -> BorderRole:
        """Return the role of an end that is not the root border."""
        heard = end.heard
        if not end.is_up:
            return BorderRole.STANDBY
        if heard is None or self.node.uuid in heard.offer.path:
            return BorderRole.DESIGNATED
        if self.offer.rank(end.name) < heard.offer.rank(heard.border):
            return BorderRole.DESIGNATED
        return BorderRole.STANDBY

    def _finish_agreement(self) -> None:
        """Open the root border and agree, once all ends are closed."""
        agreeing = self._agreeing
        if agreeing is None or any(end.may_forward for end in self.ends.values()):
            return
        self._agreeing = None
        self.ends[agreeing.border].session = agreeing.session
        self._actions.append(OpenBorder(agreeing.border, agreeing.session))
        self._actions.append(OpeningAgreement(agreeing.border, agreeing.session, agreeing.offer))

    def _propose(self) -> None:
        """Propose to open closed designated ends whose other end is a root border."""
        ready = self.root_border is None or self.ends[self.root_border].is_open
        for end in self.ends.values():
            wanted = (
                ready
                and end.role is BorderRole.DESIGNATED
                and not end.may_forward
                and end.heard is not None
                and end.heard.role is BorderRole.ROOT
            )
            if not wanted:
                end.proposed = None
            elif end.proposed is None or end.proposed[1] != self.offer:
                self._number += 1
                end.proposed = ((self.instance, self._number), self.offer)
                self._actions.append(OpeningProposal(end.name, *end.proposed))

    def _close_all(self) -> None:
        for end in self.ends.values():
            self._close(end)

    def _close(self, end: BorderEnd) -> None:
        end.proposed = None
        if end.session is not None:
            end.session, end.is_closing, end.mismatch = None, True, 0
            self._actions.append(CloseBorder(end.name))

    def _pop_actions(self) -> list[TreeAction]:
        actions, self._actions = self._actions, []
        return actions
