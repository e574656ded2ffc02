"""Cells as integer sort keys in depth-first order, and sorted sets of keys.

A key is the dz with its sentinel, shifted to the full depth, followed by seven bits with its length. So keys
compare in depth-first order (a cell before those that it covers), and the subtree of a cell is a range of
keys. A search uses `bisect` on blocks of ints, which runs in C. A linked trie would need a Python step for
each level.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterable

from tercast.eventspace.dz import Dz

Key = int

LENGTH_BITS = 7
LENGTH_MASK = (1 << LENGTH_BITS) - 1

NONE: Key = 0
"""Smaller than every key; the result of a search without a smaller member."""

FAR: Key = 1 << 256
"""Larger than every key; the result of a search without a larger member."""

_BLOCK = 512


class Order:
    """The keys of cells with at most `depth` bits."""

    __slots__ = ("bits", "depth", "shifts")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.shifts = tuple(depth - length + LENGTH_BITS for length in range(depth + 1))
        self.bits = tuple(1 << shift for shift in self.shifts)
        """By length: the bit that distinguishes the two halves of the parent cell."""

    def key(self, dz: Dz) -> Key:
        """Return the key of `dz`, which has at most `depth` bits."""
        length = dz.bit_length() - 1
        return dz << self.shifts[length] | length

    def dz(self, key: Key) -> Dz:
        """Return the cell of `key`."""
        return key >> self.shifts[key & LENGTH_MASK]

    def end(self, key: Key) -> Key:
        """Return the first value after all keys that `key` covers."""
        shift = self.shifts[key & LENGTH_MASK]
        return (key >> shift) + 1 << shift

    def covers(self, a: Key, b: Key) -> bool:
        """Whether cell `a` covers cell `b`; every cell covers itself."""
        return a <= b and not (a ^ b) >> self.shifts[a & LENGTH_MASK]


class SortedKeys:
    """A sorted set of keys: a list of blocks of bounded length, indexed by their first members."""

    __slots__ = ("_blocks", "_firsts", "_size")

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        members = [NONE, *sorted(keys)]
        self._blocks = [members[i : i + _BLOCK] for i in range(0, len(members), _BLOCK)]
        self._firsts = [block[0] for block in self._blocks]
        self._size = len(members) - 1

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Generator[Key, None, None]:
        for block in self._blocks:
            yield from block if block[0] else block[1:]

    def floor(self, key: Key) -> Key:
        """Return the largest member that is not above `key`, or NONE."""
        block = self._blocks[bisect_right(self._firsts, key) - 1]
        return block[bisect_right(block, key) - 1]

    def ceil(self, key: Key) -> Key:
        """Return the smallest member that is not below `key` (which is above NONE), or FAR."""
        i = bisect_right(self._firsts, key) - 1
        block = self._blocks[i]
        j = bisect_left(block, key)
        return block[j] if j < len(block) else self._first_of(i + 1)

    def around(self, key: Key) -> tuple[Key, Key]:
        """Return the members just below and just above `key`, which is not a member."""
        i = bisect_right(self._firsts, key) - 1
        block = self._blocks[i]
        j = bisect_right(block, key)
        return block[j - 1], block[j] if j < len(block) else self._first_of(i + 1)

    def add(self, key: Key) -> tuple[Key, Key]:
        """Add `key`, which is not a member yet; return the members just below and just above it."""
        i = bisect_right(self._firsts, key) - 1
        block = self._blocks[i]
        j = bisect_right(block, key)
        before, after = block[j - 1], block[j] if j < len(block) else self._first_of(i + 1)
        block.insert(j, key)
        self._size += 1
        if len(block) > 2 * _BLOCK:
            self._blocks.insert(i + 1, block[_BLOCK:])
            del block[_BLOCK:]
            self._firsts.insert(i + 1, self._blocks[i + 1][0])
        return before, after

    def remove(self, key: Key) -> None:
        """Remove the member `key`."""
        i = bisect_right(self._firsts, key) - 1
        block = self._blocks[i]
        del block[bisect_left(block, key)]
        self._size -= 1
        if not block:
            del self._blocks[i], self._firsts[i]
        else:
            self._firsts[i] = block[0]

    def range(self, low: Key, high: Key) -> list[Key]:
        """Return the members from `low` (above NONE) up to but not including `high`."""
        i = bisect_right(self._firsts, low) - 1
        block = self._blocks[i]
        start, stop = bisect_left(block, low), bisect_left(block, high)
        out = block[start:stop]
        while stop == len(block) and i + 1 < len(self._blocks):
            i += 1
            block = self._blocks[i]
            stop = bisect_left(block, high)
            out += block[:stop]
        return out

    def scan(self, low: Key, high: Key) -> Generator[Key, Key | None, None]:
        """Yield the members from `low` to below `high`; a key that is sent continues from there.

        The set must not change during the scan.
        """
        firsts, blocks = self._firsts, self._blocks
        i = bisect_right(firsts, low) - 1
        block = blocks[i]
        j = bisect_left(block, low)
        while True:
            if j == len(block):
                i += 1
                if i == len(blocks):
                    return
                block, j = blocks[i], 0
            key = block[j]
            if key >= high:
                return
            jump = yield key
            j += 1
            if jump is not None:
                if block[-1] < jump:
                    i = bisect_right(firsts, jump, i) - 1
                    block, j = blocks[i], 0
                j = bisect_left(block, jump, j)

    def _first_of(self, i: int) -> Key:
        return self._firsts[i] if i < len(self._firsts) else FAR
