"""Exact tables as arrays: the cells of a topic as codes, and masks as rows of words.

A code is a dz without its sentinel, filled with zeros to the depth of the topic's longest cell. Codes are
int64 where that depth allows, and Python ints in arrays of objects where it does not.
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
"""Bits of the longest codes that are kept as int64; the code behind the last has to fit, too."""


class Codes:
    """How cells of one topic become codes of `depth` bits."""

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
        """Codes and lengths of cells, in depth-first order."""
        ordered = sorted(keys)
        shift = self.order.shifts[self.depth]
        sentinel = 1 << self.depth
        code = self.array([key >> shift ^ sentinel for key in ordered])
        return code, np.array([key & LENGTH_MASK for key in ordered], dtype=np.int64)

    def of_events(self, cells: Sequence[Dz]) -> Array:
        """The codes of events; bits beyond the depth are cut off, missing ones are zeros."""
        depth, out = self.depth, []
        for dz in cells:
            surplus = dz.bit_length() - 1 - depth
            code = dz >> surplus if surplus >= 0 else dz << -surplus
            out.append(code ^ 1 << depth)
        return self.array(out)

    def array(self, values: list[int]) -> Array:
        """An array of codes."""
        out = np.empty(len(values), dtype=self.kind)
        out[:] = values
        return out

    def dz(self, code: int, length: int) -> Dz:
        """The cell of `length` bits that begins at a code."""
        return int(code) >> self.depth - length | 1 << length

    def ends(self, code: Array, length: Array) -> Array:
        """The code behind the last of each cell."""
        if self.is_wide:
            return self.array([c + (1 << self.depth - n) for c, n in zip(code, length.tolist(), strict=True)])
        return code + (np.int64(1) << (self.depth - length))

    def cut(self, code: Array, length: Array) -> Array:
        """The first codes of the cells of so many bits that hold the codes."""
        if self.is_wide:
            shifts = (self.depth - length).tolist()
            return self.array([c >> shift << shift for c, shift in zip(code, shifts, strict=True)])
        shift = self.depth - length
        return code >> shift << shift

    def shared(self, a: Array, b: Array) -> Array:
        """How many bits two codes have in common from the first on."""
        if self.is_wide:
            pairs = zip(a, b, strict=True)
            return np.array([self.depth - (x ^ y).bit_length() for x, y in pairs], dtype=np.int64)
        return shared_bits(a, b, self.depth)

    def stretches(self, code: Array, length: Array) -> tuple[Array, Array]:
        """Where the innermost of cells (depth first) changes: the first codes, and which it is then."""
        low, high = code, self.ends(code, length)
        if self.is_wide:
            known, ranks = np.unique(np.concatenate((low, high)), return_inverse=True)
            starts, owner = flatten(ranks[: len(low)], ranks[len(low) :])
            return known[starts], owner
        starts, owner = flatten(low, high)
        return starts, owner


@dataclass(frozen=True, slots=True)
class Bits:
    """The bits of a site as columns and words: its links first, in `link_words` words, then all others."""

    links: tuple[int, ...]
    link_mask: PortMask
    link_words: int
    words: int

    @classmethod
    def of(cls, site: SwitchPorts) -> Bits:
        """Those of a site, as it is now."""
        links = tuple(sorted(bit.bit_length() - 1 for bit in site.link_bits.values()))
        width = max((site.links | site.hosts).bit_length(), 1)
        link_words = max(1, -(-len(links) // WORD))
        return cls(links, site.links, link_words, link_words + -(-width // WORD))

    def rows(self, masks: Sequence[PortMask]) -> Array:
        """Masks as rows of words."""
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
        """Masks of allowed links as rows of words."""
        return self.rows([mask & self.link_mask for mask in masks])[:, : self.link_words]

    def mask(self, row: Array) -> PortMask:
        """The mask of a row of words."""
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

    def stretches(self, codes: Codes) -> tuple[Array, Array]:
        """Where the innermost changes: the first codes, and which it is then; found once."""
        if not self._known:
            self._known.append(codes.stretches(self.code, self.length))
        return self._known[0]

    @classmethod
    def of(cls, codes: Codes, bits: Bits, entries: Mapping[Key, PortMask]) -> CellArrays:
        """Those of a table."""
        code, length = codes.of_keys(entries)
        return cls(code, length, bits.rows([entries[key] for key in sorted(entries)]))


def hosts_in(rows: Array, link_words: int) -> Array:
    """How many hosts are in each mask."""
    return np.bitwise_count(rows[..., link_words:]).sum(axis=-1).astype(np.int64)
