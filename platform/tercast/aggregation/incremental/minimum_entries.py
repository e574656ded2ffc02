"""The fewest entries of a table with covers, cell by cell, under the tree rule.

Dynamic programming over the trie of all cells with an exact entry, a tree or a branching point. Within such a
cell, all space outside of its child cells is equal. A mask that fits a child cell's space also fits such rest
space around it, because that has the same tree or none, and no more outputs. So entries are needed only at
these cells.

The links that an entry may use are enumerated as masks. A mask of links fits a space if it contains the
outputs there, and is within the links of the tree there. An entry obeys the rule if some mask fits all space
that resolves to it. The possible masks are the intersections of trees' links. For each cell, it is enough to
know the least number of entries below its own entry, and the masks that reach this number: one more entry
allows any other mask (compare Draves et al., Constructing optimal IP routing tables, section 2, where masks
are next hops).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

from tercast.aggregation.incremental.cover_node import CoverCells
from tercast.aggregation.incremental.installed_table import InstalledTable
from tercast.aggregation.incremental.merge_points import common
from tercast.eventspace.dz import WHOLE
from tercast.routing.cell_keys import FAR, LENGTH_MASK, NONE, Key, Order
from tercast.routing.switch_ports import PortMask

MOST_MASKS = 1 << 13
"""Maximum number of masks at a switch; beyond it, the result may not be the minimum."""

NOTHING_BELOW = -1

_EVER = 1 << 40


class MinimumEntries:
    """Fewest entries of a table, which must not change meanwhile.

    `keys` are the cells, depth first. `least[v]` is the fewest entries at and below cell v if no entry of a
    cover is above it.
    """

    __slots__ = (
        "_below",
        "_below_all",
        "_here",
        "_kids",
        "_masks",
        "_reach",
        "_table",
        "keys",
        "least",
        "proven",
    )

    def __init__(self, table: InstalledTable) -> None:
        self._table = table
        tree = _EntryCells(table)
        self.keys = tree.keys
        self._kids = tree.kids
        self._here = [key in table.own for key in self.keys]
        self._masks, self.proven = in_common(tree.edges, table.rule.ports)
        count = len(self.keys)
        self._below = [0] * count
        self._reach = [0] * count
        self.least = [0] * count
        self._work_up(tree)

    @property
    def entries(self) -> int:
        """The fewest entries of the whole table."""
        return self.least[0] if self.keys else 0

    def covers(self, v: int) -> list[CoverCells]:
        """Covers within cell v that leave `least[v]` entries; parts that save nothing stay exact."""
        selected = sorted(self._selected(v))
        return list(_as_spreads(self._table, self.keys[v], selected))

    def _work_up(self, tree: _EntryCells) -> None:
        every = (1 << len(self._masks)) - 1
        known: dict[tuple[PortMask, PortMask], int] = {}
        for v in range(len(self.keys) - 1, -1, -1):
            own = every
            if tree.has[v]:
                space = (tree.out[v], tree.edges[v])
                if space not in known:
                    known[space] = self._fitting(*space)
                own = known[space]
            self._choose(v, own)

    def _choose(self, v: int, own: int) -> None:
        """Compute the least number and the masks that reach it for cell v; `own` fit its own space."""
        kids = self._kids[v]
        below = sum(self._below[kid] for kid in kids)
        both, some = own, 0
        for kid in kids:
            both &= self._reach[kid]
            some |= self._reach[kid]
        if both:
            reach = both
        elif own & some and len(kids) == 2:
            reach, below = own & some, below + 1
        else:
            reach, below = own, below + (len(kids) if own else _EVER)
        self._reach[v], self._below[v] = reach, below
        apart = _EVER if self._here[v] else sum(self.least[kid] for kid in kids)
        self.least[v] = min(apart, 1 + below)

    def _fitting(self, out: PortMask, edges: PortMask) -> int:
        """The masks that fit a space, as bits."""
        return sum(1 << n for n, mask in enumerate(self._masks) if not (out & ~mask or mask & ~edges))

    def _selected(self, v: int) -> Iterator[Key]:
        """Yield the cells of the entries that leave the least number at and below v."""
        stack: list[tuple[int, int]] = [(v, NOTHING_BELOW)]
        while stack:
            at, mask = stack.pop()
            kids = self._kids[at]
            if mask == NOTHING_BELOW:
                apart = not self._here[at] and sum(self.least[kid] for kid in kids) <= self._below[at] + 1
                if apart:
                    stack += [(kid, NOTHING_BELOW) for kid in kids]
                    continue
            if mask == NOTHING_BELOW or not self._reach[at] >> mask & 1:
                yield self.keys[at]
                reach = self._reach[at]
                mask = (reach & -reach).bit_length() - 1
            stack += [(kid, mask) for kid in kids]


class _EntryCells:
    """The cells of entries, trees and branching points, depth first, with their children."""

    __slots__ = ("edges", "has", "keys", "kids", "out")

    def __init__(self, table: InstalledTable) -> None:
        order = table.order
        self.keys: list[Key] = []
        self.kids: list[list[int]] = []
        self.has: list[bool] = []
        self.out: list[PortMask] = []
        self.edges: list[PortMask] = []
        own = table.exact.range(order.key(WHOLE), FAR)
        if not own:
            return
        root = common(order, own[0], own[-1]) if len(own) > 1 else own[0]
        trees = table.rule.edges(root)
        others = table.exact.plain_in(root)
        marks = sorted({root, *own, *others, *trees})
        self.keys = sorted({*marks, *(common(order, a, b) for a, b in pairwise(marks))})
        parents = _parents(order, self.keys)
        self.kids = [[] for _ in self.keys]
        for v, over in enumerate(parents):
            if over >= 0:
                self.kids[over].append(v)
        self.has = [
            not (
                len(kids) == 2
                and all(self.keys[kid] & LENGTH_MASK == (key & LENGTH_MASK) + 1 for kid in kids)
            )
            for key, kids in zip(self.keys, self.kids, strict=True)
        ]
        self._inherit(table, parents, trees, others)

    def _inherit(
        self,
        table: InstalledTable,
        parents: list[int],
        trees: Mapping[Key, PortMask],
        others: Mapping[Key, PortMask],
    ) -> None:
        """Set outputs and links of each cell: its own, or those that it inherits from above."""
        own, links = table.own, table.rule.links
        mine, other, edges = [0], [table.exact.plain_over(self.keys[0]) & links], [-1]
        for key, over in zip(self.keys, parents, strict=True):
            at = over + 1
            mine.append(own[key] & links if key in own else mine[at])
            other.append(others[key] & links if key in others else other[at])
            edges.append(trees[key] & links if key in trees else edges[at])
        self.out = [a | b for a, b in zip(mine[1:], other[1:], strict=True)]
        self.edges = edges[1:]


def in_common(
    found: Iterable[PortMask], ports: Callable[[PortMask], tuple[int, ...]]
) -> tuple[list[PortMask], bool]:
    """All intersections of these masks, those with the fewest bits first, and completeness.

    Masks with an equal number of bits are ordered by `ports`, because the bit of a port depends on history.
    """

    def place(mask: PortMask) -> tuple[bool, int, tuple[int, ...]]:
        return (True, 0, ()) if mask < 0 else (False, mask.bit_count(), ports(mask))

    known = {-1}
    for mask in sorted(set(found), key=place):
        known |= {mask & other for other in known}
        if len(known) > MOST_MASKS:
            return sorted(known, key=place)[:MOST_MASKS], False
    return sorted(known, key=place), True


def _parents(order: Order, keys: list[Key]) -> list[int]:
    """The nearest cell above each of some cells, which are depth first; -1: none."""
    stack: list[int] = []
    parents: list[int] = []
    for v, key in enumerate(keys):
        while stack and not order.covers(keys[stack[-1]], key):
            stack.pop()
        parents.append(stack[-1] if stack else -1)
        stack.append(v)
    return parents


def _as_spreads(table: InstalledTable, cell: Key, selected: list[Key]) -> Iterator[CoverCells]:
    """Yield the covers that leave these entries; each begins at an entry that is not exact."""
    order = table.order
    exact = table.exact.range(cell, order.end(cell))
    there, stack = {*selected}, list[Key]()
    changed = {key for key in selected if key not in table.own}
    for key in sorted({*exact, *selected}):
        while stack and not order.covers(stack[-1], key):
            stack.pop()
        if key in there:
            stack.append(key)
        else:
            changed.add(stack[-1])
    end = NONE
    for n, key in enumerate(selected):
        if key >= end and key in changed:
            end = order.end(key)
            yield key, tuple(kept for kept in selected[n + 1 :] if kept < end)
