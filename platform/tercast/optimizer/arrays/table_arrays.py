"""Exact tables as arrays: the cells of a topic as codes, and masks as rows of words.

A code is a dz without its sentinel, filled with zeros to the length of the topic's longest cell. Codes are
int64 if that length allows it, and otherwise Python ints in object arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tercast.eventspace.dz import Dz
from tercast.optimizer.kernels.tries import ALL_BITS, WORD, Array, flatten, shared_bits
from tercast.routing.cell_keys import LENGTH_MASK, Key, Order
from tercast.routing.switch_ports import PortMask, SwitchPorts

NARROW = 61
"""Length in bits of the longest codes as int64; the code after the last one must fit too."""


class CellCodes:
    """Conversion of the cells of one topic to codes of `depth` bits."""

    __slots__ = ("depth", "kind", "order")

    def __init__(self, order: Order, depth: int) -> None:
        self.order = order
        self.depth = depth
        self.kind = np.dtype(np.int64) if depth <= NARROW else np.dtype(object)

    @property
    def is_wide(self) -> bool:
        """Whether codes are Python ints."""
        return self.depth > NARROW

    def of_keys(self, keys: Iterable[Key]) -> tuple[Array, Array]:
        """Return codes and lengths of cells, in depth-first order."""
        ordered = sorted(keys)
        shift = self.order.shifts[self.depth]
        sentinel = 1 << self.depth
        code = self.array([key >> shift ^ sentinel for key in ordered])
        return code, np.array([key & LENGTH_MASK for key in ordered], dtype=np.int64)

    def of_events(self, cells: Sequence[Dz]) -> Array:
        """Return the codes of events; more bits than the depth are cut off, missing bits are zero."""
        depth, out = self.depth, []
        for dz in cells:
            surplus = dz.bit_length() - 1 - depth
            code = dz >> surplus if surplus >= 0 else dz << -surplus
            out.append(code ^ 1 << depth)
        return self.array(out)

    def array(self, values: list[int]) -> Array:
        """Make an array of codes."""
        out = np.empty(len(values), dtype=self.kind)
        out[:] = values
        return out

    def dz(self, code: int, length: int) -> Dz:
        """Return the cell of `length` bits that begins at a code."""
        return int(code) >> self.depth - length | 1 << length

    def ends(self, code: Array, length: Array) -> Array:
        """Return the code after the last code of each cell."""
        if self.is_wide:
            return self.array([c + (1 << self.depth - n) for c, n in zip(code, length.tolist(), strict=True)])
        return code + (np.int64(1) << (self.depth - length))

    def cut(self, code: Array, length: Array) -> Array:
        """Return the first codes of the cells of the given lengths that contain the codes."""
        if self.is_wide:
            shifts = (self.depth - length).tolist()
            return self.array([c >> shift << shift for c, shift in zip(code, shifts, strict=True)])
        shift = self.depth - length
        return code >> shift << shift

    def shared(self, a: Array, b: Array) -> Array:
        """Count the common leading bits of two codes."""
        if self.is_wide:
            pairs = zip(a, b, strict=True)
            return np.array([self.depth - (x ^ y).bit_length() for x, y in pairs], dtype=np.int64)
        return shared_bits(a, b, self.depth)

    def stretches(self, code: Array, length: Array) -> tuple[Array, Array]:
        """Return the first code of each stretch with the same innermost cell, and that cell.

        Cells must be in depth-first order.
        """
        low, high = code, self.ends(code, length)
        if self.is_wide:
            known, ranks = np.unique(np.concatenate((low, high)), return_inverse=True)
            starts, owner = flatten(ranks[: len(low)], ranks[len(low) :])
            return known[starts], owner
        starts, owner = flatten(low, high)
        return starts, owner


@dataclass(frozen=True, slots=True)
class SwitchBits:
    """The bits of a switch as columns and words: `link_words` words of links, then the others."""

    links: tuple[int, ...]
    link_mask: PortMask
    link_words: int
    words: int

    @classmethod
    def of(cls, site: SwitchPorts) -> SwitchBits:
        """Return the bits of a switch in its current state."""
        links = tuple(sorted(bit.bit_length() - 1 for bit in site.link_bits.values()))
        width = max((site.links | site.hosts).bit_length(), 1)
        link_words = max(1, -(-len(links) // WORD))
        return cls(links, site.links, link_words, link_words + -(-width // WORD))

    def rows(self, masks: Sequence[PortMask]) -> Array:
        """Convert masks to rows of words."""
        out = np.zeros((len(masks), self.words), dtype=np.int64)
        for w in range(self.words - self.link_words):
            bits = (
                [mask >> WORD * w & ALL_BITS for mask in masks] if self.words - self.link_words > 1 else masks
            )
            column = np.array(bits, dtype=np.int64)
            for number, position in enumerate(self.links):
                if position // WORD == w:
                    bit = column >> (position - WORD * w) & 1
                    out[:, number // WORD] |= bit << number % WORD
            out[:, self.link_words + w] = column & ~(self.link_mask >> WORD * w & ALL_BITS)
        return out

    def edges(self, masks: Sequence[PortMask]) -> Array:
        """Convert masks of allowed links to rows of words."""
        return self.rows([mask & self.link_mask for mask in masks])[:, : self.link_words]

    def mask(self, row: Array) -> PortMask:
        """Convert a row of words to a mask."""
        out = 0
        for w, word in enumerate(row[self.link_words :].tolist()):
            out |= word << WORD * w
        for number, position in enumerate(self.links):
            if int(row[number // WORD]) >> number % WORD & 1:
                out |= 1 << position
        return out


@dataclass(frozen=True, slots=True)
class CellArrays:
    """Cells with masks, in depth-first order."""

    code: Array
    length: Array
    mask: Array
    _known: list[tuple[Array, Array]] = field(default_factory=list, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.length)

    def stretches(self, codes: CellCodes) -> tuple[Array, Array]:
        """Return the result of `CellCodes.stretches`, which is cached."""
        if not self._known:
            self._known.append(codes.stretches(self.code, self.length))
        return self._known[0]

    @classmethod
    def of(cls, codes: CellCodes, bits: SwitchBits, entries: Mapping[Key, PortMask]) -> CellArrays:
        """Make the arrays of a table."""
        code, length = codes.of_keys(entries)
        return cls(code, length, bits.rows([entries[key] for key in sorted(entries)]))


def hosts_in(rows: Array, link_words: int) -> Array:
    """Count the hosts in each mask."""
    return np.bitwise_count(rows[..., link_words:]).sum(axis=-1).astype(np.int64)
