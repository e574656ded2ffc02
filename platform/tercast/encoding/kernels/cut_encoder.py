"""Compiled encoder of filters in a space with cuts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from tercast.encoding.kernels.budgeted_search import NO_ROOM, rooms
from tercast.encoding.kernels.cell_node import BRANCH, PartTree, new_tree
from tercast.encoding.kernels.cell_selection import MAX_LIMIT
from tercast.encoding.kernels.cut_branches import CutSource, plant_in_cuts
from tercast.encoding.kernels.cut_grids import first_grid, grid_at
from tercast.encoding.kernels.cut_rows import (
    WIDE,
    DescentRows,
    TermRanks,
    border_lists,
    descend,
    is_possible,
    make_rows,
    new_descent,
    rank_of,
)
from tercast.encoding.kernels.grid_boxes import new_parts
from tercast.encoding.kernels.grid_codes import Grid, dz_of
from tercast.encoding.kernels.part_selection import choose_parts
from tercast.encoding.kernels.wide_numbers import WideNumbers, empty, number, packed, read, unpacked, write
from tercast.eventspace.dz import DzSet, joined
from tercast.runtime.compiler import compile_borrower, compile_kernel
from tercast.runtime.growable_array import Ints

if TYPE_CHECKING:
    from tercast.eventspace.cut_space import Branch, CutSpace
    from tercast.filters.place_terms import PlaceTerm

_NOTHING = Fraction(0)


class CutEncoder:
    """Encoder of filters in one space; results equal `cut_refinement.refine_in_cuts`."""

    __slots__ = ("_borders", "_branches", "_grid", "_grids", "_leaves", "_rows", "_space")

    def __init__(self, space: CutSpace) -> None:
        self._space = space
        self._branches = space.branches()
        self._borders = border_lists(space, self._branches)
        self._rows, self._leaves, self._grids = make_rows(space, self._branches, self._borders)
        self._grid = first_grid(self._grids)

    @staticmethod
    def serves(space: CutSpace) -> bool:
        """Whether this encoder can encode filters in this space."""
        return is_possible(space)

    def of_terms(self, terms: Sequence[PlaceTerm], limit: int, shares: bool) -> tuple[DzSet, Fraction] | None:
        """The dz set of terms, and its share of the space if `shares`; None for plain Python."""
        if limit > MAX_LIMIT:
            return None
        ranks, low, high = self._ranks(terms)
        descent = self._descended(ranks, len(terms))
        if descent is None:
            return None
        first, last = self._indexes(descent, low, high)
        counted = [0 if isinstance(place, float) else place for place in low]
        ends = [0 if isinstance(place, float) else place for place in high]
        source = CutSource(
            self._rows,
            self._leaves,
            self._grids,
            ranks,
            descent,
            packed(counted, WIDE),
            packed(ends, WIDE),
            packed(first, WIDE),
            packed(last, WIDE),
            np.empty((int(descent.made[0]), 2, 2), np.uint64),
        )
        for room in rooms(max(16 * limit, 8 * len(terms))):
            count, dz, branches, volumes = _encode(source, self._grid, limit, room)
            if count > 0:
                known = [self._branches[branch] for branch in branches[:count].tolist()]
                cells = [joined(one.dz, rest) for one, rest in zip(known, unpacked(dz[:count]), strict=True)]
                return tuple(cells), _share(known, unpacked(volumes[:count])) if shares else _NOTHING
            if count != NO_ROOM:
                return None
        return None

    def _ranks(self, terms: Sequence[PlaceTerm]) -> tuple[TermRanks, list[Any], list[Any]]:
        """The spans of terms as ranks, and their ends."""
        space = self._space
        tests, starts, ends = [], [0], []
        low, high = [], []
        for term in terms:
            bits = 0
            for column, position in enumerate(space.positions):
                spans = term.get(position)
                if spans is not None:
                    bits |= 1 << column
                    borders, snapped = self._borders[column], space.attributes[position].snapped
                    for x, y in spans:
                        low.append(x)
                        high.append(y)
                        ends.append((rank_of(borders, x), rank_of(borders, y), rank_of(borders, snapped(y))))
                starts.append(len(low))
            tests.append(bits)
        columns = np.array(ends, np.int64).reshape(len(ends), 3).T.copy()
        ranks = TermRanks(np.array(tests, np.int64), np.array(starts, np.int64), *columns)
        return ranks, low, high

    def _descended(self, ranks: TermRanks, count: int) -> DescentRows | None:
        for room in rooms(8 * count):
            descent = new_descent(self._rows, room)
            descend(self._rows, ranks, descent)
            if descent.made[0] != NO_ROOM:
                return descent
        return None

    def _indexes(
        self, descent: DescentRows, low: Sequence[Any], high: Sequence[Any]
    ) -> tuple[list[int], list[int]]:
        """The first and last indexes that the descent requested."""
        first, last = [], []
        for branch, a, span in descent.requests[: descent.made[2]].tolist():
            leaf = self._branches[branch].leaf
            assert leaf is not None
            section = leaf.sections[a]
            start, end = section.cells(max(low[span], section.low), min(high[span], section.high))
            first.append(start)
            last.append(end)
        return first, last


def _share(branches: Sequence[Branch], volumes: Sequence[int]) -> Fraction:
    """The share of the event space of cells of branches."""
    each = (one.share * Fraction(volume, one.weight) for one, volume in zip(branches, volumes, strict=True))
    return sum(each, _NOTHING)


@compile_kernel
def _encode(
    source: CutSource, grid: Grid, limit: int, room: int
) -> tuple[int, WideNumbers, Ints, WideNumbers]:
    """The cells of terms: their number or an error, dz below the branch, branch, and volume.

    `grid` is any grid of the space.
    """
    dz, volumes = empty(source.met, limit), empty(source.met, limit)
    branches = np.empty(limit, np.int64)
    parts = new_parts(grid, 2 * room, 4 * grid.meta[2] * room)
    tree = new_tree(grid, parts, room, 4 * room, source)
    if not plant_in_cuts(tree):
        return NO_ROOM, dz, branches, volumes
    out = np.empty(limit, np.int64)
    count = choose_parts(tree, limit, out)
    _report(tree, out[: max(0, count)], dz, branches, volumes)
    return count, dz, branches, volumes


@compile_borrower
def _report(tree: PartTree, cells: Ints, dz: WideNumbers, branches: Ints, volumes: WideNumbers) -> None:
    """Write the results of cells: dz below the branch, branch, and volume."""
    source = tree.source
    each = tree.grid.meta[2]
    for i in range(cells.size):
        cell = cells[i]
        branch = tree.leaf[cell]
        branches[i] = branch
        write(volumes, i, read(tree.volume, cell))
        if tree.rest[cell] == BRANCH:
            write(dz, i, number(dz, 1))
        else:
            grid = grid_at(source.grids, source.rows.grid[branch])
            write(dz, i, dz_of(grid, read(tree.code, cell), tree.rest[cell], tree.codes, cell * each))
