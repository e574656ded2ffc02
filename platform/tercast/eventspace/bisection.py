"""Bits of an attribute's indexes: repeated halving, and the first index of each run of bits.

An interval of n indexes splits into its first n // 2 indexes and the rest. After repeated halving, every
interval of one level has floor(n / 2**level) indexes or one more. So with m = floor(log2 n) every index has
m bits; if n is not a power of two, some indexes have one more. To give all codes the same length, an index
that ends at m bits gets a last bit 0 that does not represent a split. This *phantom* bit is left out of every
dz. The code with the same m bits and a last bit 1 contains no index.
"""

from __future__ import annotations

from itertools import accumulate

_TABLE = 4096  # most indexes for which codes are in a table
_KEPT = 16_384  # most cached starts of a larger domain


class Halving:
    """The first `bits` bits of the indexes 0..size-1; phantom bits count.

    `tables`: codes of small domains are looked up, which needs time to prepare.
    """

    __slots__ = ("_codes", "_known", "_starts", "bits", "even", "full_bits", "shift", "size")

    def __init__(self, size: int, bits: int, tables: bool = True) -> None:
        self.size = size
        self.full_bits = (size - 1).bit_length()
        self.bits = bits
        self.even = size == 1 << self.full_bits
        self.shift = self.full_bits - self.bits
        self._known: dict[int, int] = {}
        self._starts: list[int] | None = None
        self._codes: list[int] | None = None
        if tables and not self.even and size <= _TABLE:
            self._starts = starts = _starts(size, self.bits)
            self._codes = [
                code for code in range(1 << self.bits) for _ in range(starts[code], starts[code + 1])
            ]

    @property
    def phantoms(self) -> bool:
        """Whether the last bit of some codes is a phantom bit."""
        return not self.even and self.bits == self.full_bits

    def code(self, index: int) -> int:
        """The bits of an index; the first split is the highest bit."""
        if self.even:
            return index >> self.shift
        if self._codes is not None:
            return self._codes[index]
        code, size = 0, self.size
        for _ in range(self.bits):
            half = size >> 1 or 1
            code <<= 1
            if index >= half:
                index, size, code = index - half, size - half, code | 1
            else:
                size = half
        return code

    def start(self, code: int) -> int:
        """The first index whose code is at least `code`; `size` for the code after the last one."""
        if self.even:
            return code << self.shift
        if self._starts is not None:
            return self._starts[code]
        if code >> self.bits:
            return self.size
        known = self._known.get(code)
        if known is not None:
            return known
        start, size = 0, self.size
        for place in range(self.bits - 1, -1, -1):
            half = size >> 1 or 1
            if code >> place & 1:
                start, size = start + half, size - half
            else:
                size = half
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[code] = start
        return start

    def width(self, code: int, free: int) -> int:
        """The size of the cell of all codes that equal `code` except for the last `free` bits.

        The unit is codes if all cells of a level have equal size (`even`), else indexes.
        """
        if self.even:
            return 1 << free
        first = code >> free << free
        return self.start(first + (1 << free)) - self.start(first)

    def is_phantom(self, code: int) -> bool:
        """Whether no index has this code."""
        return bool(self.phantoms and code & 1 and self.start(code) == self.start(code + 1))

    def ends_early(self, code: int) -> bool:
        """Whether the last bit of this code is a phantom bit."""
        return self.phantoms and self.is_phantom(code | 1)


def _starts(size: int, bits: int) -> list[int]:
    """The first index of each code of `bits` bits, and `size` at the end."""
    sizes = [size]
    for _ in range(bits):
        # A single index is in the first half; the second half is a phantom and stays empty.
        sizes = [part for whole in sizes for part in (whole >> 1 or 1, whole - (whole >> 1 or 1))]
    return [0, *accumulate(sizes)]
