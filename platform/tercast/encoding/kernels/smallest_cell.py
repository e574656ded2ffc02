"""Smallest cell that contains parts, as in `tercast.encoding.refinement`, and its halves."""

from __future__ import annotations

import numpy as np

from tercast.encoding.kernels.cell_node import EXACT, LEAVES, MADE, MEMBERS, TIRED, WORK, PartTree
from tercast.encoding.kernels.disjoint_parts import drop_covered, make_disjoint
from tercast.encoding.kernels.grid_boxes import FULL, PartRows, cut, round_part
from tercast.encoding.kernels.grid_codes import Grid, cell_volume, deepest_width, dz_length
from tercast.encoding.kernels.volume_estimate import estimate
from tercast.encoding.kernels.wide_numbers import (
    WideNumber,
    bits_in_any,
    bits_in_one,
    bits_of,
    number,
    plus,
    read,
    times,
    write,
)
from tercast.encoding.refinement import GIANTS, MAX_DISJOINT, MAX_WORK
from tercast.runtime.compiler import compile_borrower
from tercast.runtime.growable_array import Ints


@compile_borrower
def plant(tree: PartTree, count: int) -> bool:
    """Create the root from the first `count` parts; False if no row is free."""
    tree.state[MADE] = tree.state[LEAVES] = 1
    if 3 * count + 4 * MAX_DISJOINT > tree.scratch.size:
        return False
    for i in range(count):
        tree.scratch[i] = i
    one = number(tree.volume, 1)
    nothing, first = int(np.int64(-1)), int(np.int64(0))
    if not smallest(tree, tree.grid, one, tree.scratch[:count], count == 1, nothing, first):
        return False
    kept = tree.counts[0]
    tree.state[WORK] = kept
    if tree.disjoint[0] and (kept == 1 or not tree.grid.meta[4]):
        tree.state[EXACT] = 1
    return True


@compile_borrower
def smallest(
    tree: PartTree, grid: Grid, unit: WideNumber, items: Ints, distinct: bool, parent: int, cell: int
) -> bool:
    """Set a cell to the smallest one that contains the parts `items`; False if no row is free.

    `unit` is the weight of one unit of volume.
    """
    parts, state = tree.parts, tree.state
    tree.left[cell], tree.parent[cell] = -1, parent
    tree.start[cell], tree.counts[cell] = state[MEMBERS], 0
    code = read(parts.low, items[0])
    differing = bits_in_one(code, read(parts.high, items[0]))
    for i in range(1, items.size):
        part = items[i]
        differing = bits_in_any(differing, bits_in_one(code, read(parts.low, part)))
        differing = bits_in_any(differing, bits_in_one(code, read(parts.high, part)))
    rest = bits_of(differing)
    codes = cell * grid.meta[2]
    for a in range(grid.meta[2]):
        write(tree.codes, codes + a, read(parts.first, items[0] * grid.meta[2] + a))
    write(tree.code, cell, code)
    if grid.meta[4]:
        if dz_length(grid, rest, tree.codes, codes) >= grid.meta[1]:
            while dz_length(grid, rest, tree.codes, codes) > grid.meta[1]:
                rest += 1
            volume = cell_volume(grid, rest, tree.codes, codes)
            volume = times(volume, unit)
            _set(tree, cell, rest, volume, volume)
            tree.disjoint[cell], tree.tried[cell] = 1, 0
            return True
        distinct = _round(
            grid, parts, items, grid.meta[0] - deepest_width(grid, rest, tree.codes, codes), distinct
        )
        if parts.made[FULL]:
            return False
    volume = cell_volume(grid, rest, tree.codes, codes)
    distinct = distinct or items.size == 1
    tried = items.size
    if not distinct:
        if parent < 0 or tree.disjoint[parent] or 2 * tried <= tree.tried[parent]:
            kept, distinct = _made_disjoint(tree, grid, items)
            if parts.made[FULL]:
                return False
            items = tree.scratch[tree.scratch.size - 4 * MAX_DISJOINT :][:kept] if distinct else items[:kept]
        else:
            tried = tree.tried[parent]
    met = times(_met(parts, items, distinct, volume), unit)
    _set(tree, cell, rest, times(volume, unit), met)
    tree.disjoint[cell], tree.tried[cell] = distinct, tried
    return _keep(tree, cell, items)


@compile_borrower
def _round(grid: Grid, parts: PartRows, items: Ints, free: int, distinct: bool) -> bool:
    """Round the parts outwards without their last `free` bits; return if they stay disjoint."""
    for i in range(items.size):
        coarse = round_part(grid, parts, items[i], free)
        distinct = distinct and coarse == items[i]
        items[i] = coarse
    return distinct


@compile_borrower
def _made_disjoint(tree: PartTree, grid: Grid, items: Ints) -> tuple[int, bool]:
    """Make the parts disjoint, at the end of `scratch`, or drop covered ones from `items`.

    Returns the number of parts, and whether they are disjoint, which fails for too many parts.
    """
    kept = drop_covered(grid, tree.parts, items, GIANTS)
    if kept > MAX_DISJOINT:
        return kept, False
    limit = 4 * MAX_DISJOINT
    out = tree.scratch[tree.scratch.size - limit :]
    apart = make_disjoint(grid, tree.parts, items[:kept], limit, out)
    return (apart, True) if apart else (kept, False)


@compile_borrower
def _set(tree: PartTree, cell: int, rest: int, volume: WideNumber, met: WideNumber) -> None:
    tree.rest[cell] = rest
    write(tree.volume, cell, volume)
    write(tree.met, cell, met)


@compile_borrower
def _met(parts: PartRows, items: Ints, distinct: bool, volume: WideNumber) -> WideNumber:
    """The volume of the parts, or its estimate."""
    if not distinct:
        return estimate(parts.volume, items, volume)
    met = read(parts.volume, items[0])
    for i in range(1, items.size):
        met = plus(met, read(parts.volume, items[i]))
    return met


@compile_borrower
def _keep(tree: PartTree, cell: int, items: Ints) -> bool:
    """Store the parts of a cell; False if no row is free."""
    start, size = tree.state[MEMBERS], items.size
    if start + size > tree.members.size:
        tree.parts.made[FULL] = 1
        return False
    for i in range(size):
        tree.members[start + i] = items[i]
    tree.start[cell], tree.counts[cell] = start, size
    tree.state[MEMBERS] = start + size
    return True


@compile_borrower
def cut_halves(tree: PartTree, grid: Grid, unit: WideNumber, cell: int) -> bool:
    """Cut the parts of a cell, and create its halves; False if no row is free."""
    state, count = tree.state, tree.counts[cell]
    made = state[MADE]
    if made + 2 > tree.rest.size or 2 * count + 4 * MAX_DISJOINT > tree.scratch.size:
        tree.parts.made[FULL] = 1
        return False
    state[WORK] += count
    state[TIRED] = state[WORK] >= MAX_WORK
    lows, highs = tree.scratch[:count], tree.scratch[count : 2 * count]
    low_count = high_count = 0
    for i in range(count):
        low, high = cut(grid, tree.parts, tree.members[tree.start[cell] + i], tree.rest[cell])
        if low >= 0:
            lows[low_count] = low
            low_count += 1
        if high >= 0:
            highs[high_count] = high
            high_count += 1
    if tree.parts.made[FULL]:
        return False
    state[MADE] = made + 2
    distinct = tree.disjoint[cell] == 1
    if not smallest(tree, grid, unit, lows[:low_count], distinct, cell, made):
        return False
    if not smallest(tree, grid, unit, highs[:high_count], distinct, cell, made + 1):
        return False
    tree.left[cell] = made
    return True
