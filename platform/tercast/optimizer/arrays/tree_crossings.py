"""Events of a topic that pass a switch on their trees, by the side from which they arrive."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from tercast.eventspace.dz import Dz, DzSet, canonical, intersection
from tercast.optimizer.arrays.network_arrays import NetworkArrays, TopicArrays
from tercast.optimizer.kernels.tries import Array
from tercast.routing.cell_keys import Key, Order


@dataclass(frozen=True, slots=True)
class Crossing:
    """The cells whose events arrive at a switch on one tree from one side.

    The side is a link `column`, or the `port` of a host (then `column` is -1). `way` has, for each switch,
    the link column that leads to it on the tree, or -1.
    """

    way: Array
    column: int
    port: int | None
    cells: DzSet


def crossings(arrays: NetworkArrays, topic: TopicArrays, switch: int) -> list[Crossing]:
    """Return all crossings of a topic at a switch, by live advertisements with reachable hosts."""
    forest = topic.forest(switch)
    found: list[Crossing] = []
    for tree, owned in forest.dz_sets().items() if forest is not None else ():
        way = arrays.next_links(tree, switch)
        by_side: dict[tuple[int, int | None], list[Dz]] = {}
        for ad in tree.ads:
            registration = arrays.planner.registry.live[ad]
            place = arrays.planner.network.place(registration.host)
            if place is None:
                continue
            at = arrays.index[place.switch]
            side = (-1, place.port) if at == switch else (int(way[at]), None)
            if side != (-1, None):
                by_side.setdefault(side, []).extend(registration.dz)
        found += [
            Crossing(way, *side, intersection(canonical(cells), owned)) for side, cells in by_side.items()
        ]
    return found


class CrossingPart:
    """Disjoint cells in order, for tests of overlap."""

    __slots__ = ("_keys", "_order")

    def __init__(self, order: Order, cells: DzSet) -> None:
        self._order = order
        self._keys = sorted(map(order.key, cells))

    def __bool__(self) -> bool:
        return bool(self._keys)

    def meets(self, cells: Iterable[Dz]) -> bool:
        """Whether any of the given cells overlaps these cells."""
        return any(self._meets(self._order.key(dz)) for dz in cells)

    def _meets(self, key: Key) -> bool:
        at = bisect_right(self._keys, key)
        if at and self._order.covers(self._keys[at - 1], key):
            return True
        return at < len(self._keys) and self._keys[at] < self._order.end(key)
