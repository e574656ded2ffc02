"""Compiled version of `tercast.encoding.budgeted_search`: skips cells that do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tercast.encoding.budgeted_search import PURE, STEPS
from tercast.encoding.kernels.refinement_tree import (
    ByteFlags,
    CellTree,
    EvenGrid,
    Heap,
    excess,
    new_heap,
    pop,
    push,
    split,
    volume,
)
from tercast.runtime.compiler import compile_kernel
from tercast.runtime.growable_array import Ints

NO_ROOM = -1
_FIRST_ROOM, _MOST_ROOM = 128, 1 << 20
"""Each call allocates its rows. With 2,048 rows, the allocation took longer than the search."""


def rooms(least: int) -> Iterator[int]:
    """Yield numbers of rows, each larger than the last, to try while a kernel returns NO_ROOM."""
    room = max(_FIRST_ROOM, least)
    while room <= _MOST_ROOM:
        yield room
        room *= 4


class SearchArrays(NamedTuple):
    """A path down a tree of cells; `state`: count and volume of cells, number of splits."""

    split: ByteFlags
    joined: ByteFlags
    state: Ints


@compile_kernel
def new_walk(room: int, root_volume: int) -> SearchArrays:
    """Create a path without splits."""
    walk = SearchArrays(np.zeros(room, np.uint8), np.zeros(room, np.uint8), np.zeros(3, np.int64))
    walk.state[0] = 1
    walk.state[1] = root_volume
    return walk


@compile_kernel
def copy_walk(source: SearchArrays, target: SearchArrays, cells: int) -> None:
    """Copy `source` to `target`; only the first `cells` rows are set in either."""
    target.split[:cells] = source.split[:cells]
    target.joined[:cells] = source.joined[:cells]
    target.state[:] = source.state


@compile_kernel
def gain(cells: CellTree, cell: int) -> int:
    """The volume that is in neither half of a cell."""
    left = cells.left[cell]
    return volume(cells, cell) - volume(cells, left) - volume(cells, left + 1)


@compile_kernel
def cost_of(cells: CellTree, walk: SearchArrays, cell: int) -> int:
    """The number of additional cells after a split of a cell whose halves are known."""
    if not gain(cells, cell):
        return 0
    cost = 1
    above = cells.parent[cell]
    while above >= 0 and walk.joined[above]:
        cost += 1
        above = cells.parent[above]
    return cost


@compile_kernel
def select_cell(cells: CellTree, walk: SearchArrays, cell: int, cost: int) -> None:
    """Split the cell and continue with its halves."""
    walk.split[cell] = 1
    walk.state[2] += 1
    if not cost:
        walk.joined[cell] = 1
        return
    walk.state[0] += cost
    walk.state[1] -= gain(cells, cell)
    above = cells.parent[cell]
    while above >= 0 and walk.joined[above]:
        walk.joined[above] = 0
        above = cells.parent[above]


@compile_kernel
def can_fit(cells: CellTree, walk: SearchArrays, cell: int, left: int) -> bool:
    """Whether cells below a cell can be reached with `left` additional cells."""
    above = cells.parent[cell]
    while left and above >= 0 and walk.joined[above]:
        left -= 1
        above = cells.parent[above]
    return left > 0


@compile_kernel
def worst_below(cells: CellTree, walk: SearchArrays) -> Heap:
    """The heap of cells that are not full and can be split next; the path starts the order."""
    heap = new_heap(cells.low.size)
    if not walk.state[2]:
        if excess(cells, 0):
            push(heap, -excess(cells, 0), 0, 0)
        return heap
    for i in range(walk.state[2]):
        left = cells.left[cells.order[i]]
        for side in range(2):
            half = left + side
            if not walk.split[half] and excess(cells, half):
                push(heap, -excess(cells, half), 2 * i + side, half)
    return heap


@compile_kernel
def finish(grid: EvenGrid, cells: CellTree, walk: SearchArrays, heap: Heap, budget: int, found: int) -> int:
    """Split the worst cells that fit the budget, while a volume below `found` is possible."""
    room = heap.keys.size
    passed = np.empty((room, 3), np.int64)
    waiting = 0
    number = 2 * walk.state[2]
    while heap.size[0] and walk.state[0] < budget and number < 2 * STEPS * budget:
        key, place, cell = pop(heap)
        left = budget - walk.state[0]
        worst = passed[0, 0] if waiting else key
        if walk.state[1] + left * worst >= found:
            return 0
        if not can_fit(cells, walk, cell, left):
            continue
        if cells.left[cell] < 0:
            if cells.made[0] + 2 > cells.low.size:
                return NO_ROOM
            split(grid, cells, cell)
        cost = cost_of(cells, walk, cell)
        if walk.state[0] + cost > budget:
            passed[waiting, 0], passed[waiting, 1], passed[waiting, 2] = key, place, cell
            waiting += 1
            continue
        select_cell(cells, walk, cell, cost)
        for half in (cells.left[cell], cells.left[cell] + 1):
            if excess(cells, half):
                push(heap, -excess(cells, half), number, half)
            number += 1
        if cost and waiting:
            for i in range(waiting):
                push(heap, passed[i, 0], passed[i, 1], passed[i, 2])
            waiting = 0
    return 0


@compile_kernel
def passing_over(
    grid: EvenGrid, cells: CellTree, lowest: int, highest: int, found: int, best: SearchArrays
) -> tuple[int, int]:
    """Store in `best` the path with least volume below `found` for `lowest`..`highest` cells.

    Returns whether there is one (1, 0, or NO_ROOM), and its volume.
    """
    room = cells.low.size
    walk, twin = new_walk(room, volume(cells, 0)), new_walk(room, 0)
    have = 0  # 1: `best` has the result; 2: the result is `walk` itself, in its current or a later state
    budget = lowest
    for i in range(cells.made[1] + 1):
        last = i == cells.made[1]
        cell = 0 if last else cells.order[i]
        cost = 0 if last else cost_of(cells, walk, cell)
        while budget <= highest and (
            last or walk.state[0] + cost > budget or walk.state[2] >= PURE * budget - 1
        ):
            result = _ending(grid, cells, walk, twin, budget, found)
            if result == NO_ROOM:
                return NO_ROOM, 0
            if result == 1:
                copy_walk(twin, best, cells.made[0])
                have, found = 1, twin.state[1]
            elif result == 2:
                have, found = 2, walk.state[1]
            budget += 1
        if last or budget > highest:
            break
        select_cell(cells, walk, cell, cost)
    if have == 2:
        copy_walk(walk, best, cells.made[0])
    return min(have, 1), best.state[1]


@compile_kernel
def _ending(
    grid: EvenGrid, cells: CellTree, walk: SearchArrays, twin: SearchArrays, budget: int, found: int
) -> int:
    """Continue to `budget` cells; 1 if `twin` is below `found`, 2 if `walk` itself is, else 0."""
    itself = 2 if walk.state[1] < found else 0
    if walk.state[0] == budget:
        return itself
    heap = worst_below(cells, walk)
    if not heap.size[0] or walk.state[1] + (budget - walk.state[0]) * heap.keys[0] >= found:
        return itself
    copy_walk(walk, twin, cells.made[0])
    if finish(grid, cells, twin, heap, budget, found) == NO_ROOM:
        return NO_ROOM
    return 1 if twin.state[1] < found else 0
