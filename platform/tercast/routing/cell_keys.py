"""Cells as sort keys: depth-first order by comparing ints, and sorted sets of them that stay fast.

A key is the dz with its sentinel, shifted to the full depth, above seven bits that hold its length. So keys
compare in depth-first order (a cell before what it covers), and the subtree of a cell is a range of keys.
Searching is `bisect` on blocks of ints, which runs in C; a trie of linked nodes needs a Python step a level.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterable

from tercast.eventspace.dz import Dz

Key = int

LENGTH_BITS = 7
LENGTH_MASK = (1 << LENGTH_BITS) - 1

NONE: Key = 0
"""Below every key: the answer of a search that found nothing to the left."""

FAR: Key = 1 << 256
"""Above every key: the answer of a search that found nothing to the right."""

_BLOCK = 512


class Order:
    """The keys of cells of at most `depth` bits."""

    __slots__ = ("bits", "depth", "shifts")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.shifts = tuple(depth - length + LENGTH_BITS for length in range(depth + 1))
        self.bits = tuple(1 << shift for shift in self.shifts)
        """By length: the bit in which a cell differs from the other half of what it is half of."""

    def key(self, dz: Dz) -> Key:
        """The key of `dz`, which has at most `depth` bits."""
        length = dz.bit_length() - 1
        return dz << self.shifts[length] | length

    def dz(self, key: Key) -> Dz:
        """The cell of `key`."""
        return key >> self.shifts[key & LENGTH_MASK]

    def end(self, key: Key) -> Key:
        """The first value behind all keys that `key` covers."""
        shift = self.shifts[key & LENGTH_MASK]
        return (key >> shift) + 1 << shift

    def covers(self, a: Key, b: Key) -> bool:
        """Whether cell `a` holds cell `b`; every cell holds itself."""
        return a <= b and not (a ^ b) >> self.shifts[a & LENGTH_MASK]


class SortedKeys:
    """A sorted set of keys: a list of blocks of bounded length, found by their first members."""

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
        """The largest member that is not above `key`; NONE where there is none."""
        block = self._blocks[bisect_right(self._firsts, key) - 1]
        return block[bisect_right(block, key) - 1]

    def ceil(self, key: Key) -> Key:
        """The smallest member that is not below `key` (which is above NONE); FAR where there is none."""
        i = bisect_right(self._firsts, key) - 1
        block = self._blocks[i]
        j = bisect_left(block, key)
        return block[j] if j < len(block) else self._first_of(i + 1)

    def around(self, key: Key) -> tuple[Key, Key]:
        """The members just below and just above `key`, which is no member."""
        i = bisect_right(self._firsts, key) - 1
        block = self._blocks[i]
        j = bisect_right(block, key)
        return block[j - 1], block[j] if j < len(block) else self._first_of(i + 1)

    def add(self, key: Key) -> tuple[Key, Key]:
        """Take in `key`, which is no member yet; the members just below and just above it."""
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
        """Take out the member `key`."""
        i = bisect_right(self._firsts, key) - 1
        block = self._blocks[i]
        del block[bisect_left(block, key)]
        self._size -= 1
        if not block:
            del self._blocks[i], self._firsts[i]
        else:
            self._firsts[i] = block[0]

    def range(self, low: Key, high: Key) -> list[Key]:
        """The members from `low` (above NONE) up to but not including `high`."""
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
        """The members from `low` to below `high`; a key that is sent in is where to go on, not the next.

        The set may not change meanwhile.
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
