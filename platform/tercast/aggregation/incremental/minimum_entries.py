"""The fewest entries that covers of a table can leave, cell by cell, under the rule that keeps trees apart.

A programme over the trie of all cells at which anything begins: exact entries, trees, branching points. In
what is left of such a cell without those below it all is alike, and what fits one of these fits that as well,
for it has the same tree or none, and no more outputs. So entries need stand nowhere else.

What an entry may send over is guessed: a mask of links fits a space if it holds the outputs there and lies
within the links of the tree there. An entry obeys if some mask fits all that resolves to it; what trees, and
sets of trees, have in common are all the masks in question. For a cell it does to know the least number of
entries below its own and the masks with which it is reached, since one entry more makes up for any other mask
(compare Draves et al., Constructing optimal IP routing tables, section 2, where masks are next hops).
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
"""Masks in question at a switch; of more, the first are taken, and fewer entries may be possible."""

NOTHING_BELOW = -1

_EVER = 1 << 40


class MinimumEntries:
    """What a table can come to; it must not change meanwhile.

    `keys` are the cells, depth first; `least[v]` is the fewest entries at and below cell v where none of a
    cover stands over it.
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
        tree = _CellTree(table)
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
        """Covers within cell v that leave `least[v]` entries there; what saves nothing stays exact."""
        selected = sorted(self._selected(v))
        return list(_as_spreads(self._table, self.keys[v], selected))

    def _work_up(self, tree: _CellTree) -> None:
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
        """The least below v and the masks that reach it, from those of its children; `own` fit its space."""
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
        """Which masks fit a space, as bits."""
        return sum(1 << n for n, mask in enumerate(self._masks) if not (out & ~mask or mask & ~edges))

    def _selected(self, v: int) -> Iterator[Key]:
        """The cells of the entries that leave the least at and below v."""
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


class _CellTree:
    """The cells at which anything begins, depth first: children, and what holds in the rest of each."""

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
        """Outputs and links: of each cell its own, or those of what holds it."""
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
    """All that some of these masks have in common, the fewest bits first; whether these are all.

    Of equal numbers those come first whose `ports` do: which bit a port has depends on what was before.
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
    """For each of some cells, depth first, the nearest that holds it; -1: none."""
    stack: list[int] = []
    parents: list[int] = []
    for v, key in enumerate(keys):
        while stack and not order.covers(keys[stack[-1]], key):
            stack.pop()
        parents.append(stack[-1] if stack else -1)
        stack.append(v)
    return parents


def _as_spreads(table: InstalledTable, cell: Key, selected: list[Key]) -> Iterator[CoverCells]:
    """The covers that leave these entries of the exact ones: each from the first that is not exact on."""
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
