"""Which cells of a table longer entries take altogether, so that no packet meets an entry there.

A cell is *full* where an entry stands, where nothing needs one although a shorter one stands above (`TAKEN`),
and where both its halves are full. An entry both of whose halves are full is left out until one of them opens
again. What is left out follows from what there is, not from the order in which it came.
"""

from __future__ import annotations

from collections.abc import Container

from tercast.routing.cell_keys import LENGTH_MASK, NONE, Key, Order


class Fill:
    """The cells of one table that are full without an entry of their own that is installed.

    `halves` are those whose halves are both full, `taken` those that need no entry.
    """

    __slots__ = ("_bits", "halves", "taken")

    def __init__(self, order: Order) -> None:
        self._bits = order.bits
        self.halves: set[Key] = set()
        self.taken: set[Key] = set()

    def __bool__(self) -> bool:
        return bool(self.halves or self.taken)

    def is_beside(self, key: Key, entries: Container[Key]) -> bool:
        """Whether the other half of what a cell is half of is full."""
        other = key ^ self._bits[key & LENGTH_MASK]
        return other in entries or other in self.halves or other in self.taken

    def close(self, key: Key, entries: Container[Key]) -> Key:
        """A cell is full from now on; the installed entry that this leaves without packets, if any."""
        while key & LENGTH_MASK and self.is_beside(key, entries):
            key = self._half_of(key)
            self.halves.add(key)
            if key in entries:
                return key
            if key in self.taken:
                break
        return NONE

    def open(self, key: Key, entries: Container[Key], hidden: Container[Key]) -> Key:
        """A cell is full no more; the hidden entry that packets meet again, if any."""
        while key & LENGTH_MASK and self.is_beside(key, entries):
            key = self._half_of(key)
            self.halves.remove(key)
            if key in hidden:
                return key
            if key in self.taken:
                break
        return NONE

    def clear(self) -> None:
        """Nothing is full."""
        self.halves.clear()
        self.taken.clear()

    def _half_of(self, key: Key) -> Key:
        return (key & ~self._bits[key & LENGTH_MASK]) - 1
