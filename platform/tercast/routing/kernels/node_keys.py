"""The keys of cells in a topic's order, and at the smaller depth of compiled tries."""

from __future__ import annotations

from collections.abc import Iterable

from tercast.routing.cell_keys import LENGTH_BITS, LENGTH_MASK, Key, Order
from tercast.routing.kernels.patricia import MAX_DEPTH

_ABOVE_ALL = (1 << 63) - 1


class NodeKeys:
    """Converts keys; a cell of more than `MAX_DEPTH` bits has no key in a compiled trie."""

    __slots__ = ("depth", "shift")

    def __init__(self, order: Order) -> None:
        self.depth = min(order.depth, MAX_DEPTH)
        self.shift = order.depth - self.depth

    def fit(self, keys: Iterable[Key]) -> bool:
        """Return whether all cells have keys in a compiled trie."""
        return not self.shift or not any(key & LENGTH_MASK > MAX_DEPTH for key in keys)

    def narrow(self, key: Key) -> int:
        """Return the key of the same cell in a compiled trie."""
        if not self.shift:
            return key
        return key >> LENGTH_BITS + self.shift << LENGTH_BITS | key & LENGTH_MASK

    def narrow_bound(self, key: Key) -> int:
        """Return the first key of a compiled trie that is not lower; a value above all keys if none."""
        rest = key >> LENGTH_BITS & (1 << self.shift) - 1
        short = key >> LENGTH_BITS + self.shift
        return min(short + 1 << LENGTH_BITS if rest else short << LENGTH_BITS | key & LENGTH_MASK, _ABOVE_ALL)

    def widen(self, key: int) -> Key:
        """Return the key of the same cell in the topic's order."""
        return key >> LENGTH_BITS << LENGTH_BITS + self.shift | key & LENGTH_MASK
