"""Masks over cells: which bits own a cell, and which own something above it, without a linked trie.

A layer keeps, for each cell that somebody owns, the mask of its owners and the mask of all owners of cells
that cover it. There are no pointers between cells: the mask above any cell is found by searching the sorted
keys (see `Layer.over`), so taking a cell in or out touches no other cell.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from tercast.routing.cell_keys import FAR, LENGTH_BITS, LENGTH_MASK, Key, Order, SortedKeys
from tercast.routing.port_semantics import PortBit, PortMask
from tercast.routing.spanning_tree import Tree


class Layer:
    """Cells with the masks of those who own them; used for subscriptions, and below for advertisements."""

    __slots__ = ("_shifts", "above", "keys", "own", "seen")

    def __init__(self, order: Order, own: dict[Key, PortMask] | None = None) -> None:
        self._shifts = order.shifts
        self.own: dict[Key, PortMask] = own or {}
        self.keys = SortedKeys(self.own)
        self.above: dict[Key, PortMask] = _above(order, self.own, self.keys)
        self.seen: PortMask = reduce(or_, self.own.values(), 0)

    def over(self, key: Key) -> PortMask:
        """The mask of all owners of cells that cover `key` and are not `key` itself."""
        above = self.above.get(key)
        if above is not None:
            return above
        before, after = self.keys.around(key)
        return self.between(key, before, after)

    def between(self, key: Key, before: Key, after: Key) -> PortMask:
        """The same for a cell that nobody owned so far, from the owned cells next to it in order."""
        if before and not (key ^ before) >> self._shifts[before & LENGTH_MASK]:
            return self.own[before] | self.above[before]
        ref = self._like(key, before, after)
        return self.above[ref] if ref else 0

    def insert(self, key: Key, bit: PortBit) -> tuple[PortMask, bool]:
        """Make `bit` the first owner of `key`; the mask above it, and whether it covers other owned cells."""
        before, after = self.keys.add(key)
        above = self.above[key] = self.between(key, before, after)
        self.own[key] = bit
        self.seen |= bit
        return above, not (key ^ after) >> self._shifts[key & LENGTH_MASK]

    def remove(self, key: Key) -> None:
        """Forget a cell that nobody owns any more."""
        del self.own[key], self.above[key]
        self.keys.remove(key)
        if not self.own:
            self.seen = 0

    def _like(self, key: Key, before: Key, after: Key) -> Key:
        """An owned cell with just the same cells above it as `key`, which `before` does not cover; 0: none.

        Where `key` has more bits in common with `after`, the cells above both are the same: one above `after`
        alone would stand between the two in order. Where it has more in common with `before`, the same holds
        for the first cell of the half, next to that of `key`, in which `before` lies.
        """
        if not before:
            return 0 if after is FAR else after
        bits = (key ^ before).bit_length()
        if (key ^ after).bit_length() <= bits:
            return after
        return self.keys.ceil(before >> bits << bits | len(self._shifts) + LENGTH_BITS - bits)


class AdLayer(Layer):
    """Advertisements: every cell also belongs to a tree, the same for all that cover each other."""

    __slots__ = ("tree",)

    def __init__(self, order: Order, own: dict[Key, PortMask] | None = None) -> None:
        super().__init__(order, own)
        self.tree: dict[Key, Tree] = {}

    def masks_at(self, key: Key) -> tuple[PortMask, PortMask, Tree | None, bool]:
        """Return the mask over `key`, the one over or at it, the tree, and whether cells below are owned."""
        own = self.own.get(key)
        if own is not None:
            above = self.above[key]
            after = self.keys.ceil(key + 1)
            below = not (key ^ after) >> self._shifts[key & LENGTH_MASK]
            return above, above | own, self.tree[key], below
        before, after = self.keys.around(key)
        below = not (key ^ after) >> self._shifts[key & LENGTH_MASK]
        if before and not (key ^ before) >> self._shifts[before & LENGTH_MASK]:
            mask = self.own[before] | self.above[before]
            return mask, mask, self.tree[before], below
        ref = self._like(key, before, after)
        mask = self.above[ref] if ref else 0
        return mask, mask, self.tree[ref] if mask else None, below

    def remove(self, key: Key) -> None:
        """Forget a cell that nobody owns any more."""
        super().remove(key)
        del self.tree[key]


def _above(order: Order, own: dict[Key, PortMask], keys: SortedKeys) -> dict[Key, PortMask]:
    """For each owned cell the mask of all owners of cells that cover it."""
    above: dict[Key, PortMask] = {}
    open_cells: list[tuple[Key, PortMask]] = []
    for key in keys:
        while open_cells and open_cells[-1][0] <= key:
            open_cells.pop()
        above[key] = open_cells[-1][1] if open_cells else 0
        open_cells.append((order.end(key), above[key] | own[key]))
    return above
