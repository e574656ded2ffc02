"""The grids of the leaves of an event space with cuts, in common arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercast.encoding.kernels.grid_codes import Grid, make_grid
from tercast.runtime.compiler import compile_borrower
from tercast.runtime.growable_array import Ints

if TYPE_CHECKING:
    from tercast.eventspace.interleaving import BitSchedule


class CutGrids(NamedTuple):
    """The grids of all leaves of a space with cuts.

    `every`: the concatenated fields of all grids, and a row of `meta` for each. `bounds[g]`: the numbers of
    bits, positions of bits, and phantoms before grid g.
    """

    every: Grid
    bounds: Ints


def make_cut_grids(schedules: Sequence[BitSchedule], words: int) -> CutGrids:
    """Create the arrays of several schedules of as many attributes."""
    grids = [make_grid(schedule, words) for schedule in schedules]
    counts = [[len(grid.owner), len(grid.spots), len(grid.phantoms)] for grid in grids]
    bounds = np.concatenate((np.zeros((1, 3), np.int64), np.cumsum(np.array(counts, np.int64), axis=0)))
    fields = [np.concatenate(columns) for columns in list(zip(*grids, strict=True))[:-1]]
    return CutGrids(Grid._make([*fields, np.stack([grid.meta for grid in grids])]), bounds)


def first_grid(grids: CutGrids) -> Grid:
    """The first of the grids, as an object of its own."""
    grid: Grid = grid_at.py_func(grids, 0)  # type: ignore[attr-defined]
    return grid


@compile_borrower
def grid_at(grids: CutGrids, number: int) -> Grid:
    """One of the grids. Only functions that count no references may call it."""
    every = grids.every
    bit, bit_end = grids.bounds[number, 0], grids.bounds[number + 1, 0]
    spot, spot_end = grids.bounds[number, 1], grids.bounds[number + 1, 1]
    phantom, phantom_end = grids.bounds[number, 2], grids.bounds[number + 1, 2]
    each = every.meta[number, 2]
    a, b = number * each, (number + 1) * each
    return Grid(
        every.owner[bit:bit_end],
        every.place[bit:bit_end],
        every.below[bit:bit_end],
        every.masks[a:b],
        every.spots[spot:spot_end],
        every.starts[a + number : b + number + 1],
        every.bits[a:b],
        every.full_bits[a:b],
        every.even[a:b],
        every.sizes[a:b],
        every.free[bit:bit_end],
        every.phantoms[phantom:phantom_end],
        every.meta[number],
    )
