"""Trees: the links over which the events of one part of a topic's space travel.

A tree owns a set of dz that no other tree of its topic and component overlaps, so an event travels in at most
one tree (Mishra, sections 4.1 and 4.2; PLEROMA, algorithm 1). Its links span the component on shortest paths
from its root. The links that carry events depend on the subscriptions.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from typing import Protocol

from tercast.routing.port_semantics import PortMask
from tercast.routing.switch_ports import SwitchPorts
from tercast.topology.elements import Link, LinkEnds
from tercast.topology.topology import Edge, Port

Edges = Mapping[str, list[Edge]]


class CrossingCounter(Protocol):
    """Counts the cells of trees that cross links, in place of the trees themselves."""

    def crossings(self, tree: Tree) -> dict[Port, int]:
        """Count the cells of a tree that cross each link, by its end `a`; 0 is left out."""


class Tree:
    """A tree of one topic: its root, the links that span its component, and its advertisements."""

    __slots__ = ("_crossings", "ads", "counter", "links", "masks", "number", "root")

    def __init__(self, number: int, root: str) -> None:
        self.number = number
        self.root = root
        self.links: frozenset[Link] = frozenset()
        self.masks: dict[SwitchPorts, PortMask] = {}
        self.ads: set[str] = set()
        self._crossings: dict[Port, int] = {}
        self.counter: CrossingCounter | None = None

    @property
    def id(self) -> str:
        """The name of the tree in plans."""
        return f"t{self.number}"

    def count_crossing(self, end: Port, change: int) -> None:
        """Add `change` to the count of cells that cross the link with the end `a` at `end`."""
        self._crossings[end] = self._crossings.get(end, 0) + change

    def take_crossings(self) -> dict[Port, int]:
        """Return the count of cells for each link, and stop counting."""
        crossings, self._crossings = self._crossings, {}
        return crossings

    def load_crossings(self, crossings: dict[Port, int]) -> None:
        """Continue to count from these numbers."""
        self._crossings, self.counter = crossings, None

    def edges(self) -> list[LinkEnds]:
        """Return the smallest part of the tree with its root and all links that carry events.

        Each link is [switch, port, switch, port], from the root outwards.
        """
        below: dict[str, list[str]] = {}
        came: dict[str, LinkEnds] = {}
        order = [self.root]
        adjacent = _adjacent(self.links)
        for switch in order:
            for ends in adjacent.get(switch, ()):
                if ends[2] != self.root and ends[2] not in came:
                    came[ends[2]] = ends
                    below.setdefault(switch, []).append(ends[2])
                    order.append(ends[2])
        crossings = self._crossings if self.counter is None else self.counter.crossings(self)
        used = {end for end, count in crossings.items() if count}
        needed: set[str] = set()
        for switch in reversed(order[1:]):
            ends = came[switch]
            carries = ends[:2] in used or ends[2:] in used
            if carries or any(child in needed for child in below.get(switch, ())):
                needed.add(switch)
        return [came[switch] for switch in order[1:] if switch in needed]


def span(edges: Edges, root: str, load: Mapping[Link, int], kept: Iterable[Link] = ()) -> frozenset[Link]:
    """Compute the links of a spanning tree of the component of `root`: shortest paths by cost.

    Args:
        edges: The live links of each switch.
        root: The root of the tree.
        load: The number of trees that use each link. Among equal paths to a switch, the last link is the one
            with the lowest load, then the first by switch and port. This costs nothing, because the tree
            reaches all switches anyway.
        kept: Links of a former tree. Those that are still connected to the root stay, and the rest of the
            component is joined to them. If links were only removed, the result is again a tree of shortest
            paths.
    """
    place = _kept_part(edges, root, frozenset(kept))
    links = {link for _, link in place.values() if link is not None}
    heap: list[tuple[float, int, str, int, str, Link]] = []

    def reach(switch: str) -> None:
        distance, _ = place[switch]
        for edge in edges[switch]:
            if edge.far not in place:
                cost, used = distance + edge.link.cost, load.get(edge.link, 0)
                heapq.heappush(heap, (cost, used, switch, edge.port, edge.far, edge.link))

    for switch in list(place):
        reach(switch)
    while heap:
        distance, _, _, _, switch, link = heapq.heappop(heap)
        if switch not in place:
            place[switch] = (distance, link)
            links.add(link)
            reach(switch)
    return frozenset(links)


def _kept_part(edges: Edges, root: str, kept: frozenset[Link]) -> dict[str, tuple[float, Link | None]]:
    """Return distance and incoming link of the switches that `kept` links join to the root."""
    place: dict[str, tuple[float, Link | None]] = {root: (0, None)}
    waiting = [root]
    while waiting and kept:
        switch = waiting.pop()
        for edge in edges[switch]:
            if edge.link in kept and edge.far not in place:
                place[edge.far] = (place[switch][0] + edge.link.cost, edge.link)
                waiting.append(edge.far)
    return place


def _adjacent(links: Iterable[Link]) -> dict[str, list[LinkEnds]]:
    """Return the links of each switch, in order of ports."""
    adjacent: dict[str, list[LinkEnds]] = {}
    for link in links:
        adjacent.setdefault(link.a, []).append((link.a, link.a_port, link.b, link.b_port))
        adjacent.setdefault(link.b, []).append((link.b, link.b_port, link.a, link.a_port))
    return {switch: sorted(ends) for switch, ends in adjacent.items()}
