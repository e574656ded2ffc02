"""Shadowed entries: longer entries cover their cells completely, so no packet matches them.

A cell is *full* if it has an entry, if it needs no entry although a shorter one covers it
(`NO_ENTRY_NEEDED`), or if both its halves are full. An entry whose halves are both full is left out until one
of them is no longer full. The shadowed entries depend on the current cells, not on the order of changes.
"""

from __future__ import annotations

from collections.abc import Container

from tercast.routing.cell_keys import LENGTH_MASK, NONE, Key, Order


class Shadowing:
    """The cells of one table that are full without an installed entry of their own.

    `full_by_halves` are cells with two full halves. `without_need` are cells that need no entry.
    """

    __slots__ = ("_bits", "full_by_halves", "without_need")

    def __init__(self, order: Order) -> None:
        self._bits = order.bits
        self.full_by_halves: set[Key] = set()
        self.without_need: set[Key] = set()

    def __bool__(self) -> bool:
        return bool(self.full_by_halves or self.without_need)

    def is_sibling_full(self, key: Key, entries: Container[Key]) -> bool:
        """Return whether the sibling of a cell (the other half of its parent) is full."""
        other = key ^ self._bits[key & LENGTH_MASK]
        return other in entries or other in self.full_by_halves or other in self.without_need

    def mark_full(self, key: Key, entries: Container[Key]) -> Key:
        """Record that a cell is full from now on.

        Returns:
            The installed entry that becomes shadowed; NONE if there is none.
        """
        while key & LENGTH_MASK and self.is_sibling_full(key, entries):
            key = self._parent(key)
            self.full_by_halves.add(key)
            if key in entries:
                return key
            if key in self.without_need:
                break
        return NONE

    def mark_open(self, key: Key, entries: Container[Key], shadowed: Container[Key]) -> Key:
        """Record that a cell is no longer full.

        Returns:
            The shadowed entry that packets match again; NONE if there is none.
        """
        while key & LENGTH_MASK and self.is_sibling_full(key, entries):
            key = self._parent(key)
            self.full_by_halves.remove(key)
            if key in shadowed:
                return key
            if key in self.without_need:
                break
        return NONE

    def clear(self) -> None:
        """Mark all cells as not full."""
        self.full_by_halves.clear()
        self.without_need.clear()

    def _parent(self, key: Key) -> Key:
        return (key & ~self._bits[key & LENGTH_MASK]) - 1
