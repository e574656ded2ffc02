"""Compiled version of `tercast.encoding.cell_node`: a tree of cells as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tercast.encoding.kernels.grid_boxes import PartRows
from tercast.encoding.kernels.grid_codes import Grid
from tercast.encoding.kernels.refinement_tree import ByteFlags
from tercast.encoding.kernels.wide_numbers import WideNumber, WideNumbers, empty, is_less, minus, read
from tercast.runtime.compiler import compile_borrower, compile_inner
from tercast.runtime.growable_array import Ints

MADE, ORDERED, MEMBERS, LEAVES, WORK, TIRED, EXACT = range(7)

BRANCH = -1
"""`rest` of a cell that is a whole branch."""


class PartTree(NamedTuple):
    """Cells by row; `left` is -1 if a cell is not split, and the right half is the next row.

    `state`: the numbers of cells, of split cells in `order`, of members, and of leaves, the work so far,
    whether the search is tired, and whether volumes are exact. The parts of a cell are
    `members[start:start + counts]`, and `codes[cell * attributes + a]` are codes of one of its points.
    `scratch` is for temporary use. In a space with cuts, `source` is a `CutSource`, and `leaf` is the branch
    of a cell; `rest` is `BRANCH` if the cell is the whole branch.
    """

    grid: Grid
    parts: PartRows
    code: WideNumbers
    codes: WideNumbers
    volume: WideNumbers
    met: WideNumbers
    rest: Ints
    left: Ints
    parent: Ints
    disjoint: ByteFlags
    tried: Ints
    start: Ints
    counts: Ints
    members: Ints
    scratch: Ints
    order: Ints
    state: Ints
    leaf: Ints
    source: Any


@compile_inner
def new_tree(grid: Grid, parts: PartRows, room: int, members: int, source: Any) -> PartTree:
    """Create arrays for `room` cells and a number of members."""
    return PartTree(
        grid,
        parts,
        empty(grid.below, room),
        empty(grid.below, room * grid.meta[2]),
        empty(grid.below, room),
        empty(grid.below, room),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.uint8),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(members, np.int64),
        np.empty(members, np.int64),
        np.empty(room, np.int64),
        np.zeros(7, np.int64),
        np.empty(room, np.int64),
        source,
    )


@compile_borrower
def excess_of(tree: PartTree, cell: int) -> WideNumber:
    """The volume of a cell outside the filter."""
    return minus(read(tree.volume, cell), read(tree.met, cell))


@compile_borrower
def is_open(tree: PartTree, cell: int) -> bool:
    """Whether a cell is not full."""
    return bool(is_less(read(tree.met, cell), read(tree.volume, cell)))


@compile_borrower
def gain_of(tree: PartTree, cell: int) -> WideNumber:
    """The volume that is in neither half of a cell."""
    left = tree.left[cell]
    return minus(minus(read(tree.volume, cell), read(tree.volume, left)), read(tree.volume, left + 1))
