"""The regions into which the prefixes of tables divide the space, as a tree."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_network
from itertools import pairwise

from tercast.eventspace.dz import Dz, common_prefix, covers

ROOTLESS = -1


class Prefixes:
    """Prefixes and their branching points, numbered in text order, so that parents come first.

    A prefix is an int with a leading sentinel bit over the whole address. A prefix is `hollow` if the
    prefixes below it cover it completely.
    """

    __slots__ = ("ends", "hollow", "kids", "parents", "tops", "values")

    def __init__(self, found: Iterable[Dz]) -> None:
        rows = sorted(set(found), key=bin)
        meets = {common_prefix(a, b) for a, b in pairwise(rows)}
        self.values: list[Dz] = sorted({*rows, *meets}, key=bin)
        self.parents: list[int] = []
        self.kids: list[list[int]] = [[] for _ in self.values]
        self.ends: list[int] = [len(self.values)] * len(self.values)
        self.tops: list[int] = []
        self._link()
        self.hollow = [
            len(kids) == 2 and all(self.values[kid] >> 1 == value for kid in kids)
            for value, kids in zip(self.values, self.kids, strict=True)
        ]

    def _link(self) -> None:
        """Compute the parent, the children and the end of the subtree of each prefix."""
        way: list[int] = []
        for n, value in enumerate(self.values):
            while way and not covers(self.values[way[-1]], value):
                self.ends[way.pop()] = n
            self.parents.append(way[-1] if way else ROOTLESS)
            (self.kids[way[-1]] if way else self.tops).append(n)
            way.append(n)


def prefix_of(cidr: str) -> Dz:
    """Convert a CIDR prefix to an int with a leading sentinel bit; ValueError for other texts."""
    network = ip_network(cidr)
    free = network.max_prefixlen - network.prefixlen
    return 1 << network.prefixlen | int(network.network_address) >> free
