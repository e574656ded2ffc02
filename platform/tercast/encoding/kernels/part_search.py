"""Search as in `tercast.encoding.budgeted_search`, for cells with any number of parts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tercast.encoding.budgeted_search import PURE, STEPS
from tercast.encoding.kernels.budgeted_search import NO_ROOM
from tercast.encoding.kernels.cell_node import MADE, ORDERED, TIRED, PartTree, excess_of, gain_of, is_open
from tercast.encoding.kernels.number_heap import NumberHeap, new_number_heap, pop_largest, push_number
from tercast.encoding.kernels.refinement import split_parts
from tercast.encoding.kernels.refinement_tree import ByteFlags
from tercast.encoding.kernels.wide_numbers import (
    WideNumber,
    WideNumbers,
    empty,
    is_equal,
    is_less,
    minus,
    number,
    read,
    times,
    write,
)
from tercast.runtime.compiler import compile_borrower, compile_inner
from tercast.runtime.growable_array import Ints

UNKNOWN = -2
"""Plain Python must encode the filter."""


class PartWalk(NamedTuple):
    """A path down a tree of cells; `state`: the count of cells, and the number of splits."""

    split: ByteFlags
    joined: ByteFlags
    volume: WideNumbers
    state: Ints


@compile_inner
def new_part_walk(tree: PartTree) -> PartWalk:
    """Create a path without splits."""
    room = tree.rest.size
    walk = PartWalk(
        np.zeros(room, np.uint8), np.zeros(room, np.uint8), empty(tree.volume, 1), np.zeros(2, np.int64)
    )
    walk.state[0] = 1
    write(walk.volume, 0, read(tree.volume, 0))
    return walk


@compile_borrower
def _copy(source: PartWalk, target: PartWalk, cells: int) -> None:
    """Copy `source` to `target`; only the first `cells` rows are set in either."""
    for cell in range(cells):
        target.split[cell] = source.split[cell]
        target.joined[cell] = source.joined[cell]
    target.state[0], target.state[1] = source.state[0], source.state[1]
    write(target.volume, 0, read(source.volume, 0))


@compile_borrower
def _cost(tree: PartTree, walk: PartWalk, cell: int) -> int:
    """The number of additional cells after a split of a cell whose halves are known."""
    if is_equal(gain_of(tree, cell), number(tree.volume, 0)):
        return 0
    cost = 1
    above = tree.parent[cell]
    while above >= 0 and walk.joined[above]:
        cost += 1
        above = tree.parent[above]
    return cost


@compile_borrower
def _split_cell(tree: PartTree, walk: PartWalk, cell: int, cost: int) -> None:
    """Split the cell and continue with its halves."""
    walk.split[cell] = 1
    walk.state[1] += 1
    if not cost:
        walk.joined[cell] = 1
        return
    walk.state[0] += cost
    write(walk.volume, 0, minus(read(walk.volume, 0), gain_of(tree, cell)))
    above = tree.parent[cell]
    while above >= 0 and walk.joined[above]:
        walk.joined[above] = 0
        above = tree.parent[above]


@compile_borrower
def _can_fit(tree: PartTree, walk: PartWalk, cell: int, left: int) -> bool:
    """Whether cells below a cell can be reached with `left` additional cells."""
    above = tree.parent[cell]
    while left and above >= 0 and walk.joined[above]:
        left -= 1
        above = tree.parent[above]
    return left > 0


@compile_inner
def _worst_below(tree: PartTree, walk: PartWalk) -> NumberHeap:
    """The heap of cells that are not full and can be split next; the path starts the order."""
    heap = new_number_heap(tree.volume, tree.rest.size)
    if not walk.state[1]:
        if is_open(tree, 0):
            push_number(heap, excess_of(tree, 0), 0, 0)
        return heap
    for i in range(walk.state[1]):
        left = tree.left[tree.order[i]]
        for side in range(2):
            half = left + side
            if not walk.split[half] and is_open(tree, half):
                push_number(heap, excess_of(tree, half), 2 * i + side, half)
    return heap


@compile_borrower
def _can_beat(tree: PartTree, walk: PartWalk, left: int, worst: WideNumber, found: WideNumber) -> bool:
    """Whether `left` splits of the worst excess could result in a volume below `found`."""
    gain = times(worst, number(tree.volume, left))
    return bool(is_less(minus(read(walk.volume, 0), gain), found))


@compile_borrower
def _finish(
    tree: PartTree, walk: PartWalk, heap: NumberHeap, passed: Ints, budget: int, found: WideNumber
) -> int:
    """Split the worst cells that fit the budget, while a volume below `found` is possible."""
    waiting = 0
    number_of_next = 2 * walk.state[1]
    while heap.size[0] and walk.state[0] < budget and number_of_next < 2 * STEPS * budget:
        place, cell = pop_largest(heap)
        left = budget - walk.state[0]
        worst = excess_of(tree, passed[0, 1] if waiting else cell)
        if not _can_beat(tree, walk, left, worst, found):
            return 0
        if not _can_fit(tree, walk, cell, left):
            continue
        if tree.left[cell] < 0:
            if tree.state[TIRED]:
                return 0
            if not split_parts(tree, cell):
                return NO_ROOM
        cost = _cost(tree, walk, cell)
        if walk.state[0] + cost > budget:
            passed[waiting, 0], passed[waiting, 1] = place, cell
            waiting += 1
            continue
        _split_cell(tree, walk, cell, cost)
        for half in (tree.left[cell], tree.left[cell] + 1):
            if is_open(tree, half):
                push_number(heap, excess_of(tree, half), number_of_next, half)
            number_of_next += 1
        if cost and waiting:
            for i in range(waiting):
                push_number(heap, excess_of(tree, passed[i, 1]), passed[i, 0], passed[i, 1])
            waiting = 0
    return 0


@compile_inner
def search_parts(tree: PartTree, lowest: int, highest: int, found: WideNumbers, best: PartWalk) -> int:
    """Store in `best` the path with least volume below `found[0]` for `lowest`..`highest` cells.

    Returns whether there is one (1, 0, NO_ROOM or UNKNOWN). Its volume becomes `found[0]`.
    """
    walk, twin = new_part_walk(tree), new_part_walk(tree)
    have = 0  # 1: `best` has the result; 2: the result is `walk` itself, in its current or a later state
    budget = lowest
    for i in range(tree.state[ORDERED] + 1):
        last = i == tree.state[ORDERED]
        cell = 0 if last else tree.order[i]
        if not last and tree.left[cell] < 0:
            return UNKNOWN  # joined again while it was explored
        cost = 0 if last else _cost(tree, walk, cell)
        while budget <= highest and (
            last or walk.state[0] + cost > budget or walk.state[1] >= PURE * budget - 1
        ):
            result = _ending(tree, walk, twin, budget, read(found, 0))
            if result == NO_ROOM:
                return NO_ROOM
            if result == 1:
                _copy(twin, best, tree.state[MADE])
                have = 1
                write(found, 0, read(twin.volume, 0))
            elif result == 2:
                have = 2
                write(found, 0, read(walk.volume, 0))
            budget += 1
        if last or budget > highest:
            break
        _split_cell(tree, walk, cell, cost)
    if have == 2:
        _copy(walk, best, tree.state[MADE])
    if have:
        write(found, 0, read(best.volume, 0))
    return min(have, 1)


@compile_inner
def _ending(tree: PartTree, walk: PartWalk, twin: PartWalk, budget: int, found: WideNumber) -> int:
    """Continue to `budget` cells; 1 if `twin` is below `found`, 2 if `walk` itself is, else 0."""
    itself = 2 if is_less(read(walk.volume, 0), found) else 0
    if walk.state[0] == budget:
        return itself
    heap = _worst_below(tree, walk)
    if not heap.size[0]:
        return itself
    worst = excess_of(tree, heap.items[0])
    if not _can_beat(tree, walk, budget - walk.state[0], worst, found):
        return itself
    _copy(walk, twin, tree.state[MADE])
    passed = np.empty((heap.items.size, 2), np.int64)
    if _finish(tree, twin, heap, passed, budget, found) == NO_ROOM:
        return NO_ROOM
    return 1 if is_less(read(twin.volume, 0), found) else 0
