"""Compiled version of `tercast.encoding.cell_selection`, for one box on an even grid."""

from __future__ import annotations

import numpy as np

from tercast.encoding.budgeted_search import STEPS
from tercast.encoding.cell_selection import CHOICE, LOOKAHEAD, PASSING
from tercast.encoding.kernels.budgeted_search import NO_ROOM, SearchArrays, new_walk, passing_over
from tercast.encoding.kernels.refinement_tree import (
    ByteFlags,
    CellTree,
    EvenGrid,
    Heap,
    bits_of,
    explore,
    list_remaining,
    new_cells,
    new_heap,
    volume,
)
from tercast.runtime.compiler import compile_kernel
from tercast.runtime.growable_array import Ints

MAX_LIMIT = CHOICE
"""The largest limit that this kernel handles."""

ROOM = 32
"""Cells reserved at first, as a multiple of the limit: usually enough, and fit in the cache."""

MAX_WIDTH = 56
"""The widest grid: volumes, times the most cells of a budgeted search, fit in 64 bits."""


@compile_kernel
def refine_box(grid: EvenGrid, low: int, high: int, sides: Ints, limit: int, out: Ints) -> int:
    """Write at most `limit` dz of a box to `out`; return their number.

    `sides[0]` and `sides[1]` are the first and last code of every attribute.
    """
    most = min(limit, PASSING)
    found = NO_ROOM
    for room in (ROOM * limit, 4 * LOOKAHEAD * limit + 2 * STEPS * most * (most + 1) + 4):
        found = _chosen(grid, low, high, sides, limit, room, out)
        if found != NO_ROOM:
            break
    return found


@compile_kernel
def _chosen(grid: EvenGrid, low: int, high: int, sides: Ints, limit: int, room: int, out: Ints) -> int:
    """Write the dz of a box to `out`, with space for `room` cells; NO_ROOM if that is too few."""
    cells = new_cells(room, sides.shape[1], LOOKAHEAD * limit)
    cells.low[0], cells.high[0], cells.rest[0] = low, high, bits_of(low ^ high)
    cells.left[0] = cells.parent[0] = -1
    cells.first[0] = sides[0]
    cells.last[0] = sides[1]
    met = 1
    for a in range(sides.shape[1]):
        met *= sides[1, a] - sides[0, a] + 1
    cells.met[0] = met
    cells.made[0] = 1
    heap = new_heap(2 * LOOKAHEAD * limit + 2)
    explore(grid, cells, heap, LOOKAHEAD * limit)
    if cells.made[1] == 0 or limit == 1:
        out[0] = _dz(grid, cells, 0)
        return 1
    least, lengths = _weigh(cells, limit)
    chosen, found = _within(cells, least, lengths)
    if heap.size[0]:
        best = new_walk(room, 0)
        if _compared(grid, cells, heap, least[0, : lengths[0]], limit, found, best) == NO_ROOM:
            return NO_ROOM
        if best.state[2]:
            return _write(grid, cells, best.split, best.joined, out)
    return _write(grid, cells, chosen, np.zeros(chosen.size, np.uint8), out)


@compile_kernel
def _dz(grid: EvenGrid, cells: CellTree, cell: int) -> int:
    rest = cells.rest[cell]
    return int(1 << (grid.width - rest) | cells.low[cell] >> rest)


@compile_kernel
def _weigh(cells: CellTree, limit: int) -> tuple[Ints, Ints]:
    """The least volumes with 1, 2, ... cells of each cell in the order, and their number."""
    splits = cells.made[1]
    least = np.empty((splits, limit), np.int64)
    lengths = np.zeros(splits, np.int64)
    place = np.full(cells.made[0], -1, np.int64)
    for i in range(splits):
        place[cells.order[i]] = i
    alone = np.empty(2, np.int64)
    for i in range(splits - 1, -1, -1):
        cell = cells.order[i]
        left = cells.left[cell]
        p, q = place[left], place[left + 1]
        alone[0], alone[1] = volume(cells, left), volume(cells, left + 1)
        ls = lengths[p] if p >= 0 else 1
        rs = lengths[q] if q >= 0 else 1
        lv = least[p] if p >= 0 else alone[:1]
        rv = least[q] if q >= 0 else alone[1:]
        least[i, 0] = volume(cells, cell)
        total = min(limit, ls + rs)
        for count in range(2, total + 1):
            low, high = max(1, count - rs), min(ls, count - 1)
            value = lv[low - 1] + rv[count - low - 1]
            for leftward in range(low + 1, high + 1):
                value = min(value, lv[leftward - 1] + rv[count - leftward - 1])
            least[i, count - 1] = value
        lengths[i] = total
    return least, lengths


@compile_kernel
def _within(cells: CellTree, least: Ints, lengths: Ints) -> tuple[ByteFlags, int]:
    """The cells that are split to reach the root's least volume, and that volume."""
    chosen = np.zeros(cells.low.size, np.uint8)
    place = np.full(cells.made[0], -1, np.int64)
    for i in range(cells.made[1]):
        place[cells.order[i]] = i
    found = least[0, : lengths[0]].min()
    count = 1
    while least[0, count - 1] != found:
        count += 1
    stack = np.empty((cells.made[1] + 2, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, count
    size = 1
    while size:
        size -= 1
        cell, count = stack[size, 0], stack[size, 1]
        if count == 1:
            continue
        chosen[cell] = 1
        left = cells.left[cell]
        p, q = place[left], place[left + 1]
        ls = lengths[p] if p >= 0 else 1
        rs = lengths[q] if q >= 0 else 1
        goal = least[place[cell], count - 1]
        leftward = max(1, count - rs)
        while leftward <= min(ls, count - 1):
            lv = least[p, leftward - 1] if p >= 0 else volume(cells, left)
            rv = least[q, count - leftward - 1] if q >= 0 else volume(cells, left + 1)
            if lv + rv == goal:
                break
            leftward += 1
        stack[size, 0], stack[size, 1] = left, leftward
        stack[size + 1, 0], stack[size + 1, 1] = left + 1, count - leftward
        size += 2
    return chosen, found


@compile_kernel
def _compared(
    grid: EvenGrid, cells: CellTree, heap: Heap, least: Ints, limit: int, found: int, best: SearchArrays
) -> int:
    """Store the result of the budgeted search in `best` if it is below `found`; NO_ROOM or 0."""
    most = min(limit, PASSING)
    gains = -np.sort(heap.keys[: heap.size[0]])[:most]
    gains = np.cumsum(gains)
    have = np.empty(most + 1, np.int64)
    for i in range(most + 1):
        have[i] = least[min(i, least.size - 1)]
        if i:
            have[i] = min(have[i], have[i - 1])
    for attempt in range(2):
        start, stop = (most, most + 1) if attempt == 0 else (2, most)
        first = _open(start, stop, have, gains, found)
        if first >= stop:
            break
        result, volume_found = passing_over(grid, cells, first, stop - 1, found, best)
        if result == NO_ROOM:
            return NO_ROOM
        if result:
            found = volume_found
    return 0


@compile_kernel
def _open(start: int, stop: int, have: Ints, gains: Ints, found: int) -> int:
    """The first number of cells from `start` on that could be below `found`; `stop`: none."""
    first = stop
    while first > start:
        could = False
        for i in range(min(first - 2, gains.size)):
            if found > have[first - 3 - i] - gains[i]:
                could = True
                break
        if not could:
            break
        first -= 1
    return first


@compile_kernel
def _write(grid: EvenGrid, cells: CellTree, split: ByteFlags, joined: ByteFlags, out: Ints) -> int:
    """Write the dz of the remaining cells, in text order; return their number."""
    count = list_remaining(cells.left, cells.made[0], split, joined, out)
    for i in range(count):
        out[i] = _dz(grid, cells, out[i])
    return count
