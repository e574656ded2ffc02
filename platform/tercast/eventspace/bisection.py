"""How one attribute's indexes are halved: the bits of an index, and the index where a run of bits begins.

An interval of n indexes splits into its first n // 2 and the rest. Halved again and again, all intervals of
one level have the sizes floor(n / 2**level) or that plus one, so with m = floor(log2 n) every index has m
bits, and where n is no power of two some have one more. To give all codes one length, an index that ends at
m bits gets a last bit 0 that stands for no split: a *phantom* bit, left out of every dz. The code with the
same m bits and a last bit 1 holds no index at all.
"""

from __future__ import annotations

from itertools import accumulate

_TABLE = 4096  # up to this many indexes, codes are looked up
_KEPT = 16_384  # of larger domains, so many starts are remembered


class Halving:
    """The first `bits` bits (phantoms counted) of the indexes 0..size-1."""

    __slots__ = ("_codes", "_known", "_starts", "bits", "even", "full_bits", "shift", "size")

    def __init__(self, size: int, bits: int) -> None:
        self.size = size
        self.full_bits = (size - 1).bit_length()
        self.bits = bits
        self.even = size == 1 << self.full_bits
        self.shift = self.full_bits - self.bits
        self._known: dict[int, int] = {}
        self._starts: list[int] | None = None
        self._codes: list[int] | None = None
        if not self.even and size <= _TABLE:
            self._starts = starts = _starts(size, self.bits)
            self._codes = [
                code for code in range(1 << self.bits) for _ in range(starts[code], starts[code + 1])
            ]

    @property
    def phantoms(self) -> bool:
        """Whether the last bit of some codes stands for no split."""
        return not self.even and self.bits == self.full_bits

    def code(self, index: int) -> int:
        """The bits of an index, the first split highest."""
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
        """The first index of all at or behind `code`; `size` for the code behind the last."""
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
        """The size of the cell of all codes that differ from `code` in the last `free` bits only.

        In codes where all are alike (`even`), else in indexes.
        """
        if self.even:
            return 1 << free
        first = code >> free << free
        return self.start(first + (1 << free)) - self.start(first)

    def is_phantom(self, code: int) -> bool:
        """Whether no index has this code."""
        return bool(self.phantoms and code & 1 and self.start(code) == self.start(code + 1))

    def ends_early(self, code: int) -> bool:
        """Whether the last bit of this code stands for no split."""
        return self.phantoms and self.is_phantom(code | 1)


def _starts(size: int, bits: int) -> list[int]:
    """The first index of each code of so many bits, and `size` at the end."""
    sizes = [size]
    for _ in range(bits):
        # A single index goes to the first half; the second, a phantom, stays empty.
        sizes = [part for whole in sizes for part in (whole >> 1 or 1, whole - (whole >> 1 or 1))]
    return [0, *accumulate(sizes)]
