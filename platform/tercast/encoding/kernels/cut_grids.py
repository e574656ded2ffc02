"""The grids of the leaves of an event space with cuts, in common arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercast.encoding.kernels.grid_codes import Grid, make_grid
from tercast.encoding.kernels.wide_numbers import WideNumbers
from tercast.runtime.compiler import compile_borrower
from tercast.runtime.growable_array import Ints

if TYPE_CHECKING:
    from tercast.eventspace.interleaving import BitSchedule


class CutGrids(NamedTuple):
    """The grids of all leaves of a space with cuts, concatenated in the fields of `Grid`.

    `bounds[g]`: the numbers of bits, positions of bits, and phantoms before grid g.
    """

    owner: Ints
    place: Ints
    below: WideNumbers
    masks: WideNumbers
    spots: Ints
    starts: Ints
    bits: Ints
    full_bits: Ints
    even: Ints
    sizes: WideNumbers
    free: Ints
    phantoms: Ints
    meta: Ints
    bounds: Ints


def make_cut_grids(schedules: Sequence[BitSchedule], words: int) -> CutGrids:
    """Create the arrays of several schedules of as many attributes."""
    grids = [make_grid(schedule, words) for schedule in schedules]
    counts = [[len(grid.owner), len(grid.spots), len(grid.phantoms)] for grid in grids]
    bounds = np.concatenate((np.zeros((1, 3), np.int64), np.cumsum(np.array(counts, np.int64), axis=0)))
    fields = [np.concatenate(columns) for columns in list(zip(*grids, strict=True))[:-1]]
    return CutGrids._make([*fields, np.stack([grid.meta for grid in grids]), bounds])


def first_grid(grids: CutGrids) -> Grid:
    """The first of the grids, as an object of its own."""
    grid: Grid = grid_at.py_func(grids, 0)  # type: ignore[attr-defined]
    return grid


@compile_borrower
def grid_at(grids: CutGrids, number: int) -> Grid:
    """One of the grids. Only functions that count no references may call it."""
    bit, bit_end = grids.bounds[number, 0], grids.bounds[number + 1, 0]
    spot, spot_end = grids.bounds[number, 1], grids.bounds[number + 1, 1]
    phantom, phantom_end = grids.bounds[number, 2], grids.bounds[number + 1, 2]
    each = grids.meta[number, 2]
    a, b = number * each, (number + 1) * each
    return Grid(
        grids.owner[bit:bit_end],
        grids.place[bit:bit_end],
        grids.below[bit:bit_end],
        grids.masks[a:b],
        grids.spots[spot:spot_end],
        grids.starts[a + number : b + number + 1],
        grids.bits[a:b],
        grids.full_bits[a:b],
        grids.even[a:b],
        grids.sizes[a:b],
        grids.free[bit:bit_end],
        grids.phantoms[phantom:phantom_end],
        grids.meta[number],
    )
