"""Paths on a tree: the switches beyond a port, and the path between two switches."""

from __future__ import annotations

from dataclasses import dataclass

from tercast.explain.network_state import TreeLike


@dataclass(frozen=True, slots=True)
class Leg:
    """One link of a path: from `port` of `switch` to `far_port` of `far`."""

    switch: str
    port: int
    far: str
    far_port: int


class TreeWays:
    """The links of one tree, indexed by both ends."""

    __slots__ = ("_beyond", "_legs")

    def __init__(self, tree: TreeLike) -> None:
        self._legs: dict[str, dict[int, Leg]] = {}
        self._beyond: dict[tuple[str, int], frozenset[str]] = {}
        for a, a_port, b, b_port in tree.edges:
            self._legs.setdefault(a, {})[a_port] = Leg(a, a_port, b, b_port)
            self._legs.setdefault(b, {})[b_port] = Leg(b, b_port, a, a_port)

    def beyond(self, switch: str, port: int) -> frozenset[str]:
        """The switches that the tree connects through a port; none if it has no link there."""
        found = self._beyond.get((switch, port))
        if found is None:
            leg = self._legs.get(switch, {}).get(port)
            seen = {switch}
            waiting = [] if leg is None else [leg.far]
            while waiting:
                at = waiting.pop()
                if at not in seen:
                    seen.add(at)
                    waiting += [each.far for each in self._legs.get(at, {}).values()]
            found = self._beyond[switch, port] = frozenset(seen - {switch})
        return found

    def way(self, start: str, end: str) -> list[Leg] | None:
        """The links from one switch to another; None if the tree does not connect them."""
        came: dict[str, Leg | None] = {start: None}
        waiting = [start]
        for at in waiting:
            for leg in self._legs.get(at, {}).values():
                if leg.far not in came:
                    came[leg.far] = leg
                    waiting.append(leg.far)
        if end not in came:
            return None
        legs: list[Leg] = []
        last = came[end]
        while last is not None:
            legs.append(last)
            last = came[last.switch]
        return legs[::-1]
