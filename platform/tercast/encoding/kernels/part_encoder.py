"""Compiled encoder of filters with any number of parts, with numbers of up to 128 bits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from tercast.encoding.kernels.budgeted_search import NO_ROOM, rooms
from tercast.encoding.kernels.cell_node import PartTree, new_tree
from tercast.encoding.kernels.cell_selection import MAX_LIMIT
from tercast.encoding.kernels.grid_boxes import (
    PartRows,
    add_range,
    close_side,
    finish_part,
    new_part,
    new_parts,
)
from tercast.encoding.kernels.grid_codes import Grid, dz_of, is_possible, make_grid
from tercast.encoding.kernels.part_selection import choose_parts
from tercast.encoding.kernels.smallest_cell import plant
from tercast.encoding.kernels.wide_numbers import (
    WideNumbers,
    empty,
    number,
    packed,
    plus,
    read,
    unpacked,
    write,
)
from tercast.eventspace.dz import DzSet
from tercast.runtime.compiler import compile_borrower, compile_kernel
from tercast.runtime.growable_array import Ints

if TYPE_CHECKING:
    from tercast.encoding.grid_boxes import Side
    from tercast.eventspace.interleaving import BitSchedule


class PartEncoder:
    """Encoder of parts on one grid; results equal `tercast.encoding.refinement.refine`."""

    __slots__ = ("_grid", "_schedule")

    def __init__(self, schedule: BitSchedule) -> None:
        self._schedule = schedule
        self._grid = make_grid(schedule)

    @staticmethod
    def serves(schedule: BitSchedule) -> bool:
        """Whether this encoder can encode parts on this grid."""
        return is_possible(schedule)

    def of_sides(self, parts: Sequence[tuple[Side, ...]], limit: int) -> tuple[DzSet, int] | None:
        """The dz set of parts, and its volume; None if plain Python must encode them."""
        if limit > MAX_LIMIT:
            return None
        sides = list(chain.from_iterable(parts))
        counts = np.array([len(side) >> 1 for side in sides], np.int64)
        codes = packed(list(chain.from_iterable(sides)))
        for room in rooms(max(16 * limit, 8 * len(parts))):
            count, dz, total = _encode(self._grid, counts, codes, limit, room)
            if count > 0:
                return tuple(unpacked(dz[:count])), unpacked(total)[0]
            if count != NO_ROOM:
                return None
        return None


@compile_kernel
def _encode(
    grid: Grid, counts: Ints, codes: WideNumbers, limit: int, room: int
) -> tuple[int, WideNumbers, WideNumbers]:
    """The cells of parts: their number or an error, their dz, and their volume.

    `codes` are the first and last codes of all ranges of all sides of all parts; `counts` their numbers.
    """
    each, ranges = grid.meta[2], codes.shape[0] // 2
    dz, total = empty(codes, limit), empty(codes, 1)
    parts = new_parts(grid, 2 * room, ranges + 2 * each * room)
    _load(grid, parts, counts, codes)
    tree = new_tree(grid, parts, room, 4 * room, ())
    out = np.empty(limit, np.int64)
    if not plant(tree, counts.size // each):
        return NO_ROOM, dz, total
    count = choose_parts(tree, limit, out)
    _report(tree, out[: max(0, count)], dz, total)
    return count, dz, total


@compile_borrower
def _load(grid: Grid, parts: PartRows, counts: Ints, codes: WideNumbers) -> None:
    """Add all parts."""
    each = grid.meta[2]
    at = 0
    for i in range(counts.size // each):
        part = new_part(parts)
        for a in range(each):
            begin = at
            for _ in range(counts[i * each + a]):
                add_range(parts, read(codes, 2 * at), read(codes, 2 * at + 1))
                at += 1
            close_side(parts, i * each + a, begin)
        finish_part(grid, parts, part)


@compile_borrower
def _report(tree: PartTree, cells: Ints, dz: WideNumbers, total: WideNumbers) -> None:
    """Write the dz of cells, and their volume."""
    grid = tree.grid
    write(total, 0, number(total, 0))
    for i in range(cells.size):
        cell = cells[i]
        write(dz, i, dz_of(grid, read(tree.code, cell), tree.rest[cell], tree.codes, cell * grid.meta[2]))
        write(total, 0, plus(read(total, 0), read(tree.volume, cell)))
