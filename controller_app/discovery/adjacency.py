"""Links between ports, derived from probes: a state machine without clock or network.

A link is a pair of ports that receive each other's probes and no others. A hub, or a switch that floods,
forwards probes, so a port may receive those of several others. Then the certain pairs are taken first, and
their ports are removed from the other pairs. Pairs that remain ambiguous are not links, because a frame that
is sent there reaches more than one switch. Missing probes alone never end a link. It ends when a port goes
down, or when other ports answer there.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from enum import Enum

PortId = tuple[int, int]
"""Datapath id and port number."""

PortPair = tuple[PortId, PortId]
"""Two ports, the smaller first."""

STEADY = 2
"""Consecutive rounds until a silent link that is heard again is healthy, and a doubtful link is lost."""


class LinkChange(Enum):
    """Kind of change of a link."""

    FOUND = "found"
    LOST = "lost"
    SILENT = "silent"
    HEARD = "heard again"


@dataclass(frozen=True, slots=True)
class AdjacencyStep:
    """A change of a link and its reason."""

    change: LinkChange
    pair: PortPair
    reason: str = ""


@dataclass(slots=True)
class _AdjacencyLink:
    silent: bool = False
    steady: int = 0
    doubts: int = 0


class Adjacency:
    """Records probes and finds the links that appear, are lost, fall silent and are heard again.

    Args:
        horizon: Time after which a probe no longer counts, in the unit of all times of the calls.
    """

    def __init__(self, horizon: float) -> None:
        self._horizon = horizon
        self._heard: dict[PortPair, float] = {}
        self._links: dict[PortPair, _AdjacencyLink] = {}
        self.ambiguous: frozenset[PortId] = frozenset()

    def record_probe(self, sender: PortId, receiver: PortId, now: float) -> bool:
        """Record that `receiver` got a probe of `sender`; return whether that may make a new link."""
        self._heard[sender, receiver] = now
        pair = pair_of(sender, receiver)
        return pair not in self._links and self._mutual(pair, now)

    def is_answered(self, sender: PortId, receiver: PortId, now: float) -> bool:
        """Whether `sender` has received a probe of `receiver` within the horizon."""
        return self._fresh((receiver, sender), now)

    def forget_port(self, port: PortId, reason: str) -> list[AdjacencyStep]:
        """Forget a port that went down; its links are lost immediately."""
        self._heard = {pair: when for pair, when in self._heard.items() if port not in pair}
        lost = [pair for pair in self._links if port in pair]
        for pair in lost:
            del self._links[pair]
        return [AdjacencyStep(LinkChange.LOST, pair, reason) for pair in lost]

    def excuse_absence(self, dpid: int, now: float) -> None:
        """Restart the silence of a switch's links: its absence does not make them silent."""
        for pair in self._heard:
            if dpid in (pair[0][0], pair[1][0]) and pair_of(*pair) in self._links:
                self._heard[pair] = now

    def find_links(self, now: float) -> list[AdjacencyStep]:
        """Add the links that have become certain."""
        mutual = self._all_mutual(now)
        certain, self.ambiguous = resolve_links(mutual, self._links)
        return [step for pair in sorted(certain - self._links.keys()) for step in self._add(pair)]

    def update_links(self, now: float, watched: Iterable[int]) -> list[AdjacencyStep]:
        """Update all links once a period. Only links between `watched` switches fall silent."""
        self._prune(now)
        steps = self.find_links(now)
        mutual, present = self._all_mutual(now), frozenset(watched)
        for pair, link in list(self._links.items()):
            link.doubts = link.doubts + 1 if self.ambiguous & set(pair) else 0
            if link.doubts >= STEADY:
                del self._links[pair]
                steps.append(
                    AdjacencyStep(
                        LinkChange.LOST, pair, "one of its ports receives probes from several ports"
                    )
                )
            elif {pair[0][0], pair[1][0]} <= present:
                steps += _update_silence(pair, link, pair in mutual)
        return steps

    def trim_absent(
        self, confirmed: Container[PortPair], present: Container[int], most: int
    ) -> list[AdjacencyStep]:
        """Forget the oldest links of absent switches, beyond `most` that are not confirmed."""
        absent = [
            pair
            for pair in self._links
            if pair not in confirmed and not (pair[0][0] in present and pair[1][0] in present)
        ]
        lost = absent[: max(0, len(absent) - most)]
        for pair in lost:
            del self._links[pair]
            for one in (pair, (pair[1], pair[0])):
                self._heard.pop(one, None)
        return [
            AdjacencyStep(
                LinkChange.LOST, pair, "the controller stores too many links of disconnected switches"
            )
            for pair in lost
        ]

    def links(self) -> list[tuple[PortPair, float, bool]]:
        """Return each link: its pair, when both ends were last heard, and whether it is silent."""
        return [(pair, self._last(pair), link.silent) for pair, link in sorted(self._links.items())]

    def _add(self, pair: PortPair) -> list[AdjacencyStep]:
        """Add a link; it replaces older links that share a port with it."""
        displaced = [old for old in self._links if set(old) & set(pair)]
        for old in displaced:
            del self._links[old]
        self._links[pair] = _AdjacencyLink()
        lost = [
            AdjacencyStep(LinkChange.LOST, old, "one of its ports now receives probes from another port")
            for old in displaced
        ]
        return [*lost, AdjacencyStep(LinkChange.FOUND, pair)]

    def _prune(self, now: float) -> None:
        """Forget old probes that belong to no link."""
        old = [one for one in self._heard if not self._fresh(one, now) and pair_of(*one) not in self._links]
        for one in old:
            del self._heard[one]

    def _all_mutual(self, now: float) -> set[PortPair]:
        return {pair_of(*pair) for pair in self._heard if self._mutual(pair_of(*pair), now)}

    def _mutual(self, pair: PortPair, now: float) -> bool:
        return pair[0] != pair[1] and self._fresh(pair, now) and self._fresh((pair[1], pair[0]), now)

    def _fresh(self, heard: PortPair, now: float) -> bool:
        when = self._heard.get(heard)
        return when is not None and now - when <= self._horizon

    def _last(self, pair: PortPair) -> float:
        return min(self._heard[pair], self._heard[pair[1], pair[0]])


def pair_of(a: PortId, b: PortId) -> PortPair:
    """Return the two ports, the smaller first."""
    return (a, b) if a <= b else (b, a)


def resolve_links(
    mutual: Iterable[PortPair], incumbent: Iterable[PortPair]
) -> tuple[set[PortPair], frozenset[PortId]]:
    """Find the certain links among pairs that hear each other.

    A pair is certain when one of its ports hears no other port. If two such pairs share a port, the one that
    was a link before wins. If neither was, none of them is certain.

    Args:
        incumbent: Pairs that were links before.

    Returns:
        The certain links, and the ports that remain ambiguous.
    """
    left = set(mutual)
    known = set(incumbent)
    certain: set[PortPair] = set()
    while left:
        hears = _by_port(left)
        single = {pair for pair in left if any(len(hears[port]) == 1 for port in pair)}
        taken = {pair for pair in single if _unrivalled(pair, single, known, hears)}
        if not taken:
            break
        certain |= taken
        done = {port for pair in taken for port in pair}
        left = {pair for pair in left if not done & set(pair)}
    return certain, frozenset(port for pair in left for port in pair)


def _by_port(pairs: Iterable[PortPair]) -> dict[PortId, set[PortPair]]:
    found: dict[PortId, set[PortPair]] = {}
    for pair in pairs:
        for port in pair:
            found.setdefault(port, set()).add(pair)
    return found


def _unrivalled(
    pair: PortPair, single: set[PortPair], known: set[PortPair], hears: dict[PortId, set[PortPair]]
) -> bool:
    rivals = ((hears[pair[0]] | hears[pair[1]]) & single) - {pair}
    if not rivals:
        return True
    return pair in known and not rivals & known


def _update_silence(pair: PortPair, link: _AdjacencyLink, heard: bool) -> list[AdjacencyStep]:
    """Report silence immediately, and its end after `STEADY` periods in a row."""
    if not heard:
        link.steady = 0
        if link.silent:
            return []
        link.silent = True
        return [AdjacencyStep(LinkChange.SILENT, pair)]
    link.steady += 1
    if not link.silent or link.steady < STEADY:
        return []
    link.silent = False
    return [AdjacencyStep(LinkChange.HEARD, pair)]
