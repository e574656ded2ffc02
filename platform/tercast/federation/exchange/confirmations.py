"""Confirmation across partitions: a subscription is in effect here and behind borders."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from tercast.federation.exchange.border_peer import BorderPeer
from tercast.federation.messages.set_name import SetName
from tercast.federation.tree.border_ends import SessionId
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION

SetReport = tuple[str, SetName, int]
"""A version of a received set that is confirmed: border, set, version."""

Need = tuple[str, SetName, SessionId, int]
"""A version of an exported set that must be confirmed first."""


class FederationReach(enum.StrEnum):
    """State of a subscription at one neighbour."""

    NONE = "none"
    PENDING = "pending"
    CONFIRMED = "confirmed"
    REFUSED = "refused"
    LOST = "lost"


@dataclass(slots=True)
class _ExpectedReaction:
    border: str
    name: SetName
    version: int
    push: int
    needs: list[Need] | None = None
    is_refused: bool = False


@dataclass(slots=True)
class Confirmations:
    """Waits for the switches of this partition, then for the neighbours to which a set led."""

    confirmed_push: int = 0
    pushed_closed: frozenset[str] | None = None
    _expected: list[_ExpectedReaction] = field(default_factory=list)
    _watched: dict[str, int] = field(default_factory=dict)

    def watch(self, subscription: str, push: int) -> None:
        """Record the push of a subscription of this partition."""
        self._watched[subscription] = push

    def unwatch(self, subscription: str) -> None:
        """Forget a subscription."""
        self._watched.pop(subscription, None)

    def expect(self, border: str, name: SetName, version: int, push: int) -> None:
        """Report a version of a received set after a push is confirmed, and what follows from it.

        The oldest and the newest version of a set are kept, so a silent neighbour costs bounded memory.
        """
        earlier = [one for one in self._expected if (one.border, one.name) == (border, name)]
        for one in earlier[1:]:
            self._expected.remove(one)
        self._expected.append(_ExpectedReaction(border, name, version, push))

    def forget(self, border: str) -> None:
        """Report nothing more to a border, because it closes."""
        self._expected = [one for one in self._expected if one.border != border]

    def is_confirmed(self, push: int) -> bool:
        """Return whether switches have confirmed a push."""
        return self.confirmed_push >= push

    def needs_push(self, push: int, closed: frozenset[str]) -> bool:
        """Return whether a push without table changes is needed, for drop entries or a report."""
        return closed != self.pushed_closed or any(
            one.push == push and one.needs is None for one in self._expected
        )

    def confirm(self, push: int, peers: Mapping[str, BorderPeer]) -> None:
        """Record a confirmed push."""
        self.confirmed_push = max(self.confirmed_push, push)
        for one in self._expected:
            if one.needs is None and one.push <= push:
                one.needs = needs_of(one.name.topic, peers, one.border)

    def settled(self, peers: Mapping[str, BorderPeer]) -> list[SetReport]:
        """Return the versions that are confirmed here and by all neighbours to which they led."""
        waiting: list[_ExpectedReaction] = []
        ready: list[_ExpectedReaction] = []
        for one in self._expected:
            is_ready = one.needs is not None and all(_is_confirmed(need, peers) for need in one.needs)
            (ready if is_ready else waiting).append(one)
        self._expected = waiting
        return [(one.border, one.name, one.version) for one in ready]

    def refusals(self, peers: Mapping[str, BorderPeer]) -> list[tuple[SetReport, str]]:
        """Return the versions that led to a refused set, once each, with the reason."""
        found: list[tuple[SetReport, str]] = []
        for one in self._expected:
            reasons = [reason for need in one.needs or () if (reason := _refusal(need, peers))]
            if reasons and not one.is_refused:
                one.is_refused = True
                found.append(((one.border, one.name, one.version), reasons[0]))
        return found

    def reach(
        self, subscription: str, topic: str, peers: Mapping[str, BorderPeer]
    ) -> dict[str, FederationReach]:
        """Return the state of a subscription of this partition at every border."""
        here = self.is_confirmed(self._watched.get(subscription, 0))
        found: dict[str, FederationReach] = {}
        advertised, name = SetName(topic, ADVERTISEMENT), SetName(topic, SUBSCRIPTION)
        for border, peer in peers.items():
            incoming, outgoing = peer.incoming.get(advertised), peer.outgoing.get(name)
            if peer.session is None:
                found[border] = FederationReach.LOST
            elif incoming is None or not incoming.cells:
                found[border] = FederationReach.NONE
            elif name in peer.refused:
                found[border] = FederationReach.REFUSED
            elif here and (outgoing is None or peer.done.get(name, 0) >= outgoing.version):
                found[border] = FederationReach.CONFIRMED
            else:
                found[border] = FederationReach.PENDING
        return found


def needs_of(topic: str, peers: Mapping[str, BorderPeer], but: str) -> list[Need]:
    """Return the exported subscription sets of all borders but one, with their newest versions."""
    name = SetName(topic, SUBSCRIPTION)
    return [
        (
            border,
            name,
            peer.session,
            peer.outgoing[name].version + (peer.outgoing[name].wanted != peer.outgoing[name].cells),
        )
        for border, peer in peers.items()
        if border != but and peer.session is not None and name in peer.outgoing
    ]


def _is_confirmed(need: Need, peers: Mapping[str, BorderPeer]) -> bool:
    border, name, session, version = need
    peer = peers.get(border)
    if peer is None or peer.session != session:
        return True
    done, outgoing = peer.done.get(name, 0), peer.outgoing[name]
    # the change that was awaited may have been taken back before it was sent
    is_newest = outgoing.wanted == outgoing.cells and done >= outgoing.version
    return done >= version or is_newest


def _refusal(need: Need, peers: Mapping[str, BorderPeer]) -> str:
    """Return the reason of a refusal; a newer version removes it."""
    border, name, session, _ = need
    peer = peers.get(border)
    if peer is None or peer.session != session or name not in peer.refused:
        return ""
    return peer.refused[name][1]
