"""Masks of cells without a linked trie: the owners of each cell, and the owners above it.

A layer has, for each owned cell, the mask of its owners and the mask of all owners of cells that cover it.
Cells have no pointers to each other. The mask above any cell is found by a search in the sorted keys (see
`Layer.over`), so adding or removing a cell changes no other cell.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from tercast.routing.cell_keys import FAR, LENGTH_BITS, LENGTH_MASK, Key, Order, SortedKeys
from tercast.routing.port_semantics import PortBit, PortMask
from tercast.routing.spanning_tree import Tree


class Layer:
    """Cells with the masks of their owners; used for subscriptions, and by `AdLayer`."""

    __slots__ = ("_shifts", "above", "keys", "own", "seen")

    def __init__(self, order: Order, own: dict[Key, PortMask] | None = None) -> None:
        self._shifts = order.shifts
        self.own: dict[Key, PortMask] = own or {}
        self.keys = SortedKeys(self.own)
        self.above: dict[Key, PortMask] = _above(order, self.own, self.keys)
        self.seen: PortMask = reduce(or_, self.own.values(), 0)

    def over(self, key: Key) -> PortMask:
        """Return the mask of all owners of cells that cover `key`, without those of `key` itself."""
        above = self.above.get(key)
        if above is not None:
            return above
        before, after = self.keys.around(key)
        return self.between(key, before, after)

    def between(self, key: Key, before: Key, after: Key) -> PortMask:
        """Return the mask above a cell without owners, from the owned cells next to it in order."""
        if before and not (key ^ before) >> self._shifts[before & LENGTH_MASK]:
            return self.own[before] | self.above[before]
        ref = self._like(key, before, after)
        return self.above[ref] if ref else 0

    def insert(self, key: Key, bit: PortBit) -> tuple[PortMask, bool]:
        """Make `bit` the first owner of `key`; return the mask above, and if it covers others."""
        before, after = self.keys.add(key)
        above = self.above[key] = self.between(key, before, after)
        self.own[key] = bit
        self.seen |= bit
        return above, not (key ^ after) >> self._shifts[key & LENGTH_MASK]

    def remove(self, key: Key) -> None:
        """Remove a cell that has no more owners."""
        del self.own[key], self.above[key]
        self.keys.remove(key)
        if not self.own:
            self.seen = 0

    def _like(self, key: Key, before: Key, after: Key) -> Key:
        """Return an owned cell with the same cells above it as `key`, or 0.

        `before` must not cover `key`. If `key` shares more bits with `after`, both have the same cells above,
        because a cell above only `after` would be between them in order. If `key` shares more bits with
        `before`, the same is true for the first cell of the half that contains `before`.
        """
        if not before:
            return 0 if after is FAR else after
        bits = (key ^ before).bit_length()
        if (key ^ after).bit_length() <= bits:
            return after
        return self.keys.ceil(before >> bits << bits | len(self._shifts) + LENGTH_BITS - bits)


class AdLayer(Layer):
    """Advertisements: every cell also has a tree, the same for all cells that cover each other."""

    __slots__ = ("tree",)

    def __init__(self, order: Order, own: dict[Key, PortMask] | None = None) -> None:
        super().__init__(order, own)
        self.tree: dict[Key, Tree] = {}

    def masks_at(self, key: Key) -> tuple[PortMask, PortMask, Tree | None, bool]:
        """Return the mask above `key`, the mask with its own, its tree, and if it covers others."""
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
        """Remove a cell that has no more owners."""
        super().remove(key)
        del self.tree[key]


def _above(order: Order, own: dict[Key, PortMask], keys: SortedKeys) -> dict[Key, PortMask]:
    """Return, for each owned cell, the mask of all owners of cells that cover it."""
    above: dict[Key, PortMask] = {}
    open_cells: list[tuple[Key, PortMask]] = []
    for key in keys:
        while open_cells and open_cells[-1][0] <= key:
            open_cells.pop()
        above[key] = open_cells[-1][1] if open_cells else 0
        open_cells.append((order.end(key), above[key] | own[key]))
    return above
