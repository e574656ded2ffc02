"""The order of the attributes' bits in a dz.

Bits are taken in rounds. In round r, every attribute that can still be split adds its r-th bit, in order. If
the size of an attribute is not a power of two, some of its paths end one split earlier than others. Here such
an attribute always adds its last bit; the bit is a phantom (see `tercast.eventspace.bisection`) if the path
has ended. A dz does not contain phantoms. So all paths have one schedule, and a cell is a prefix of
an interleaved code (a Morton code).

A schedule is wide enough for the deepest path within the limit: `width` bits contain `depth` bits of every
dz, or all bits of a shorter dz. In an interleaved code, bit `width` is the first bit and bit 1 the last one.
Arrays here use these bit numbers as indexes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercast.eventspace.bisection import Halving
from tercast.eventspace.dz import Dz

CHUNK = 10
"""Number of bits of a code that one look-up spreads."""


class BitSchedule:
    """The interleaving of the bits of some attributes, up to `depth` bits per dz.

    `owner[b]`, `place[b]`: the attribute of bit b, and the position of the bit in the attribute's code.
    `below[b]`: the bits of the same attribute after b. `masks[a]`: all bits of attribute a.
    `whole_sides[a]`: the first and last code of attribute a. `free[n][a]`: the number of bits of attribute a
    among the last n bits. `phantoms`: (bit, attribute) of the bits that are phantoms on some paths, the last
    bit first. `all_even`: all sizes are powers of two. `ragged`: the limit cuts some paths after fewer
    interleaved bits than others. `places[a]`: the positions of the bits of attribute a, the last bit first.
    `tables`: look-ups spread the bits of codes, which is faster, but needs time to prepare.
    """

    def __init__(self, sizes: Sequence[int], depth: int, tables: bool = True) -> None:
        self.depth = depth
        dealt = _deal(sizes)
        last = {a: position for position, a in enumerate(dealt)}
        ends = {last[a] for a, size in enumerate(sizes) if size & size - 1}
        width = phantoms = 0
        while width < len(dealt) and width < depth + phantoms:
            phantoms += width in ends
            width += 1
        self.width = width
        self.ragged = phantoms > 0 and depth < len(dealt)
        self.owner = [-1, *dealt[:width][::-1]]
        self.place = [-1] * (width + 1)
        self.below = [0] * (width + 1)
        places: list[list[int]] = [[] for _ in sizes]
        for b in range(1, width + 1):
            mine = places[self.owner[b]]
            self.place[b] = len(mine)
            self.below[b] = sum(1 << other for other in mine)
            mine.append(b - 1)
        self.places = places
        self.tables = [_spread_tables(mine) for mine in places] if tables else []
        self.word_tables: Any = None  # set by `tercast.eventspace.event_encoder`
        self.box_encoder: Any = (
            None  # set by `tercast.encoding.dispatch`; False if no kernel encodes the boxes
        )
        self.part_encoder: Any = None  # the same, for parts
        self.term_reader: Any = None  # the same, for texts of few terms
        self.halvings = [Halving(size, len(mine), tables) for size, mine in zip(sizes, places, strict=True)]
        self.masks = [sum(1 << place for place in mine) for mine in places]
        self.whole_sides = [(0, (1 << halving.bits) - 1) for halving in self.halvings]
        self.all_even = all(halving.even for halving in self.halvings)
        self.free = _free_bits(self.owner, len(sizes))
        self.phantoms = sorted(
            (places[a][0] + 1, a) for a, halving in enumerate(self.halvings) if halving.phantoms
        )

    def interleave(self, attribute: int, code: int) -> int:
        """The bits of one attribute's code at their positions in the interleaved code."""
        if not self.tables:
            out = 0
            for place in self.places[attribute]:
                out |= (code & 1) << place
                code >>= 1
            return out
        tables = self.tables[attribute]
        if len(tables) == 1:
            return tables[0][code]
        out = 0
        for table in tables:
            out |= table[code & (1 << CHUNK) - 1]
            code >>= CHUNK
        return out

    def event_dz(self, indexes: Sequence[int]) -> Dz:
        """The dz of the point at these indexes."""
        codes = [halving.code(index) for halving, index in zip(self.halvings, indexes, strict=True)]
        out = 0
        for a, code in enumerate(codes):
            out |= self.interleave(a, code)
        return self.dz(out, 0, codes)

    def dz(self, code: int, rest: int, codes: Sequence[int]) -> Dz:
        """The dz of an interleaved `code` without its last `rest` bits.

        `codes` are the attributes' codes. Phantom bits are left out, and bits beyond the depth are cut off.
        """
        dz = 1 << self.width - rest | code >> rest
        for bit, a in self.phantoms:  # from the last bit: a removed bit shifts the earlier ones
            if bit > rest and self.halvings[a].ends_early(codes[a]):
                place = bit - 1 - rest
                dz = dz >> place + 1 << place | dz & (1 << place) - 1
                rest += 1
        surplus = dz.bit_length() - 1 - self.depth
        return dz >> surplus if surplus > 0 else dz

    def length(self, rest: int, codes: Sequence[int]) -> int:
        """The length of a dz without the last `rest` interleaved bits, before the depth cuts it."""
        early = sum(1 for bit, a in self.phantoms if bit > rest and self.halvings[a].ends_early(codes[a]))
        return self.width - rest - early

    def volume(self, rest: int, codes: Sequence[int]) -> int:
        """The volume of the cell whose points share all but the last `rest` bits with these codes.

        The unit is products of codes if all sizes are powers of two. Otherwise it is products of codes (of
        attributes whose size is a power of two) and indexes (of the others).
        """
        if self.all_even:
            return 1 << rest
        volume = 1
        for halving, code, free in zip(self.halvings, codes, self.free[rest], strict=True):
            volume *= halving.width(code, free)
        return volume

    def deepest(self, rest: int, codes: Sequence[int]) -> int:
        """The number of interleaved bits of the deepest dz in a cell, at most up to the limit."""
        width = self.depth
        for bit, a in reversed(self.phantoms):
            halving, free = self.halvings[a], self.free[rest][a]
            possible = halving.width(codes[a], free) < 1 << free if free else halving.ends_early(codes[a])
            width += possible and self.width - bit < width
        return min(width, self.width)


def _deal(sizes: Sequence[int]) -> list[int]:
    """The attribute of each bit on the longest path, in order."""
    bits = [(size - 1).bit_length() for size in sizes]
    return [a for level in range(max(bits)) for a, count in enumerate(bits) if level < count]


def _free_bits(owner: Sequence[int], attributes: int) -> list[tuple[int, ...]]:
    """The number of bits of each attribute among the last n bits, for each n."""
    free = [(0,) * attributes]
    for a in owner[1:]:
        counts = list(free[-1])
        counts[a] += 1
        free.append(tuple(counts))
    return free


def _spread_tables(places: Sequence[int]) -> list[list[int]]:
    """The bits of each chunk of a code at their positions; the last bits are in the first chunk."""
    tables = []
    for start in range(0, max(len(places), 1), CHUNK):
        table = [0]
        for place in places[start : start + CHUNK]:
            table += [spread | 1 << place for spread in table]
        tables.append(table)
    return tables
