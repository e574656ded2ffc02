"""The trees of one topic in one component of the network, and the cells that each tree owns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tercast.eventspace import dz as dzs
from tercast.eventspace.dz import Dz, DzSet
from tercast.routing.cell_counts import CellCounts
from tercast.routing.cell_keys import Key, Order
from tercast.routing.spanning_tree import Tree


class Forest:
    """Trees that own disjoint parts of the space: the cells of their live advertisements."""

    __slots__ = ("_cells", "_dz_sets", "_order", "_owner", "trees")

    def __init__(self, order: Order) -> None:
        self._order = order
        self._cells = CellCounts(order)
        self._owner: dict[Key, Tree] = {}
        self._dz_sets: dict[Tree, DzSet] | None = None
        self.trees: dict[int, Tree] = {}

    @property
    def age(self) -> int:
        """The number of the oldest tree."""
        return min(self.trees, default=0)

    def add(self, tree: Tree, keys: Iterable[Key]) -> None:
        """Add cells of an advertisement of `tree`; no other tree overlaps them."""
        for key in keys:
            came, went = self._cells.add(key)
            if came or went:
                self._dz_sets = None
            for top in went:
                del self._owner[top]
            for top in came:
                self._owner[top] = tree

    def remove(self, tree: Tree, keys: Iterable[Key]) -> None:
        """Remove cells of an advertisement of `tree`."""
        for key in keys:
            came, went = self._cells.remove(key)
            if came or went:
                self._dz_sets = None
            for top in went:
                del self._owner[top]
            for top in came:
                self._owner[top] = tree

    def overlaps(self, keys: Iterable[Key]) -> bool:
        """Whether a tree owns a part of any of these cells."""
        return any(map(self._cells.overlaps, keys))

    def owner_of(self, keys: Iterable[Key]) -> Tree | None:
        """Return the tree that owns all these cells completely, or None."""
        found = None
        for key in keys:
            top = self._cells.covering(key)
            if not top:
                return None
            owner = self._owner[top]
            if found is None:
                found = owner
            elif found is not owner:
                return None
        return found

    def owners(self) -> Mapping[Key, Tree]:
        """Return the widest owned cells, each with its tree."""
        return self._owner

    def tree_at(self, key: Key) -> Tree:
        """Return the tree of a cell that one tree owns completely."""
        return self._owner[self._cells.covering(key)]

    def pieces(self, key: Key) -> list[tuple[Key, Tree]]:
        """Return the widest owned cells that overlap a cell, each with its tree."""
        top = self._cells.covering(key)
        return [(cell, self._owner[cell]) for cell in ((top,) if top else self._cells.below(key))]

    def divide(self, cells: DzSet) -> tuple[dict[Tree, DzSet], DzSet]:
        """Divide a canonical set into the parts that trees own and the rest (Mishra, algorithm 4.1)."""
        owned: dict[Tree, list[Dz]] = {}
        rest: list[Dz] = []
        for dz in cells:
            key = self._order.key(dz)
            top = self._cells.covering(key)
            if top:
                owned.setdefault(self._owner[top], []).append(dz)
                continue
            below = self._cells.below(key)
            for part in below:
                owned.setdefault(self._owner[part], []).append(self._order.dz(part))
            taken = dzs.canonical(map(self._order.dz, below))
            rest += dzs.difference((dz,), taken)
        parts = {tree: dzs.canonical(owned[tree]) for tree in sorted(owned, key=lambda tree: tree.number)}
        return parts, dzs.canonical(rest)

    def nearest(self, cells: DzSet, root: str) -> Tree:
        """Return the tree to add `cells` to, which no tree owns, if no more trees may be created.

        The best tree owns most of the other halves of the cells, so that sets join (PLEROMA merges {0000,
        0010} and {0001, 0011} into {00}). Next come trees with the same root, then the oldest tree.
        """
        halves = dict.fromkeys(self.trees, 0)
        for dz in cells:
            if dz == dzs.WHOLE:
                continue
            key = self._order.key(dzs.sibling(dz))
            top = self._cells.covering(key)
            for part in (top,) if top else self._cells.below(key):
                halves[self._owner[part].number] += 1
        return min(
            self.trees.values(), key=lambda tree: (-halves[tree.number], tree.root != root, tree.number)
        )

    def dz_sets(self) -> dict[Tree, DzSet]:
        """Return the cells that each tree owns; the result is cached until it changes."""
        if self._dz_sets is None:
            owned: dict[Tree, list[Dz]] = {}
            for top, tree in self._owner.items():
                owned.setdefault(tree, []).append(self._order.dz(top))
            self._dz_sets = {tree: dzs.canonical(cells) for tree, cells in owned.items()}
        return {tree: self._dz_sets.get(tree, ()) for tree in self.trees.values()}
