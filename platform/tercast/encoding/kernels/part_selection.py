"""Selection as in `tercast.encoding.cell_selection`, for cells with any number of parts."""

from __future__ import annotations

import numpy as np

from tercast.encoding.cell_selection import LOOKAHEAD, PASSING
from tercast.encoding.kernels.budgeted_search import NO_ROOM
from tercast.encoding.kernels.cell_node import EXACT, MADE, ORDERED, TIRED, WORK, PartTree, excess_of
from tercast.encoding.kernels.number_heap import NumberHeap, new_number_heap, pop_largest
from tercast.encoding.kernels.part_search import PartWalk, new_part_walk, search_parts
from tercast.encoding.kernels.refinement import explore_parts
from tercast.encoding.kernels.refinement_tree import ByteFlags, list_remaining
from tercast.encoding.kernels.wide_numbers import (
    WideNumber,
    WideNumbers,
    empty,
    is_equal,
    is_less,
    minus,
    plus,
    read,
    write,
)
from tercast.runtime.compiler import compile_borrower, compile_inner
from tercast.runtime.growable_array import Ints


@compile_inner
def choose_parts(tree: PartTree, limit: int, out: Ints) -> int:
    """Write the chosen cells in text order to `out`; return their number, or NO_ROOM."""
    heap = new_number_heap(tree.volume, tree.rest.size)
    if not explore_parts(tree, heap, LOOKAHEAD * limit, limit):
        return NO_ROOM
    if tree.left[0] < 0 or limit == 1:
        out[0] = 0
        return 1
    splits = tree.state[ORDERED]
    place = np.full(tree.state[MADE], -1, np.int64)
    for i in range(splits):
        if tree.left[tree.order[i]] >= 0:
            place[tree.order[i]] = i
    least, lengths = empty(tree.volume, splits * limit), np.zeros(splits, np.int64)
    _weigh(tree, limit, place, least, lengths)
    split = np.zeros(tree.rest.size, np.uint8)
    stack = np.empty((tree.state[MADE] + 2, 2), np.int64)
    found = _choose(tree, limit, place, least, lengths, split, stack)
    if heap.size[0]:
        best = new_part_walk(tree)
        best.state[1] = 0
        result = _compare(tree, heap, least, lengths[0], limit, found, best)
        if result < 0:
            return result
        if best.state[1]:
            return list_remaining(tree.left, tree.state[MADE], best.split, best.joined, out)
    return list_remaining(tree.left, tree.state[MADE], split, np.zeros(split.size, np.uint8), out)


@compile_borrower
def _least_of(
    tree: PartTree, limit: int, place: Ints, least: WideNumbers, cell: int, count: int
) -> WideNumber:
    """The least volume of a cell with `count` cells."""
    if place[cell] < 0:
        return read(tree.volume, cell)
    return read(least, place[cell] * limit + count - 1)


@compile_borrower
def _most_of(place: Ints, lengths: Ints, cell: int) -> int:
    """The largest number of cells for a cell."""
    return int(lengths[place[cell]]) if place[cell] >= 0 else 1


@compile_borrower
def _weigh(tree: PartTree, limit: int, place: Ints, least: WideNumbers, lengths: Ints) -> None:
    """Compute the least volumes with 1, 2, ... cells of each cell, and their number."""
    for i in range(lengths.size - 1, -1, -1):
        cell = tree.order[i]
        if place[cell] < 0:
            continue
        left = tree.left[cell]
        ls, rs = _most_of(place, lengths, left), _most_of(place, lengths, left + 1)
        write(least, i * limit, read(tree.volume, cell))
        total = min(limit, ls + rs)
        for count in range(2, total + 1):
            low, high = max(1, count - rs), min(ls, count - 1)
            value = plus(
                _least_of(tree, limit, place, least, left, low),
                _least_of(tree, limit, place, least, left + 1, count - low),
            )
            for leftward in range(low + 1, high + 1):
                other = plus(
                    _least_of(tree, limit, place, least, left, leftward),
                    _least_of(tree, limit, place, least, left + 1, count - leftward),
                )
                if is_less(other, value):
                    value = other
            write(least, i * limit + count - 1, value)
        lengths[i] = total


@compile_borrower
def _choose(
    tree: PartTree, limit: int, place: Ints, least: WideNumbers, lengths: Ints, split: ByteFlags, stack: Ints
) -> WideNumber:
    """Mark the cells that are split to reach the root's least volume; return that volume."""
    found, best = read(least, 0), 1
    for count in range(2, lengths[0] + 1):
        value = read(least, count - 1)
        if is_less(value, found):
            found, best = value, count
    stack[0, 0], stack[0, 1] = 0, best
    size = 1
    while size:
        size -= 1
        cell, count = stack[size, 0], stack[size, 1]
        if count == 1:
            continue
        split[cell] = 1
        left = tree.left[cell]
        ls, rs = _most_of(place, lengths, left), _most_of(place, lengths, left + 1)
        goal = read(least, place[cell] * limit + count - 1)
        leftward = max(1, count - rs)
        while leftward <= min(ls, count - 1):
            total = plus(
                _least_of(tree, limit, place, least, left, leftward),
                _least_of(tree, limit, place, least, left + 1, count - leftward),
            )
            if is_equal(total, goal):
                break
            leftward += 1
        stack[size, 0], stack[size, 1] = left, leftward
        stack[size + 1, 0], stack[size + 1, 1] = left + 1, count - leftward
        size += 2
    return found


@compile_inner
def _compare(
    tree: PartTree,
    heap: NumberHeap,
    least: WideNumbers,
    length: int,
    limit: int,
    found: WideNumber,
    best: PartWalk,
) -> int:
    """Store the result of the budgeted search in `best` if it is below `found`; NO_ROOM or 0."""
    tree.state[TIRED] = tree.state[WORK] = 0
    most = min(limit, PASSING)
    gains = empty(tree.volume, most)
    gained = 0
    while gained < most and heap.size[0]:
        excess = excess_of(tree, pop_largest(heap)[1])
        write(gains, gained, plus(excess, read(gains, gained - 1)) if gained else excess)
        gained += 1
    have = empty(tree.volume, most + 1)
    for i in range(most + 1):
        value = read(least, min(i, length - 1))
        if i and is_less(read(have, i - 1), value):
            value = read(have, i - 1)
        write(have, i, value)
    known = empty(tree.volume, 1)
    write(known, 0, found)
    for attempt in range(2):
        start, stop = (most, most + 1) if attempt == 0 else (2, most)
        first = start
        if tree.state[EXACT]:
            first = _open(start, stop, have, gains, gained, read(known, 0))
        if first >= stop:
            break
        result = search_parts(tree, first, stop - 1, known, best)
        if result < 0:
            return result
    return 0


@compile_borrower
def _open(
    start: int, stop: int, have: WideNumbers, gains: WideNumbers, gained: int, found: WideNumber
) -> int:
    """The first number of cells from `start` on that could be below `found`; `stop`: none."""
    first = stop
    while first > start:
        could = False
        for i in range(min(first - 2, gained)):
            if is_less(minus(read(have, first - 3 - i), read(gains, i)), found):
                could = True
                break
        if not could:
            break
        first -= 1
    return first
