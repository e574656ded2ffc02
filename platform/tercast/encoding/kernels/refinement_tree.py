"""Compiled version of `tercast.encoding.refinement_tree`: a box's tree of cells, as arrays.

A cell is a row. `low`, `high` and `first`, `last` (by attribute) are the box's part in the cell, `met` is its
volume. The volume of the cell is 2**rest. `left` is -1 if the cell is not split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercast.runtime.compiler import compile_inner, compile_kernel
from tercast.runtime.growable_array import Ints

ByteFlags = NDArray[np.uint8]


class EvenGrid(NamedTuple):
    """A schedule whose sizes are all even: the source of each bit (see `BitSchedule`)."""

    owner: Ints
    place: Ints
    below: Ints
    width: int


class CellTree(NamedTuple):
    """The cells created so far, `made[0]` in total; `order[:made[1]]` are the split ones."""

    low: Ints
    high: Ints
    met: Ints
    rest: Ints
    left: Ints
    parent: Ints
    first: Ints
    last: Ints
    order: Ints
    made: Ints


class Heap(NamedTuple):
    """Cells by (key, number), the smallest first; `size[0]` is their number."""

    keys: Ints
    numbers: Ints
    items: Ints
    size: Ints


@compile_kernel
def new_cells(room: int, attributes: int, splits: int) -> CellTree:
    """Create arrays for `room` cells."""
    return CellTree(
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty((room, attributes), np.int64),
        np.empty((room, attributes), np.int64),
        np.empty(splits, np.int64),
        np.zeros(2, np.int64),
    )


@compile_kernel
def new_heap(room: int) -> Heap:
    """Create an empty heap."""
    return Heap(
        np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64), np.zeros(1, np.int64)
    )


@compile_kernel
def push(heap: Heap, key: int, number: int, item: int) -> None:
    """Add a cell."""
    keys, numbers, items = heap.keys, heap.numbers, heap.items
    at = heap.size[0]
    heap.size[0] = at + 1
    while at:
        above = (at - 1) >> 1
        if keys[above] < key or (keys[above] == key and numbers[above] < number):
            break
        keys[at], numbers[at], items[at] = keys[above], numbers[above], items[above]
        at = above
    keys[at], numbers[at], items[at] = key, number, item


@compile_kernel
def pop(heap: Heap) -> tuple[int, int, int]:
    """Remove the first cell; return its key, its number and the cell."""
    keys, numbers, items = heap.keys, heap.numbers, heap.items
    first = keys[0], numbers[0], items[0]
    size = heap.size[0] - 1
    heap.size[0] = size
    key, number, item = keys[size], numbers[size], items[size]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (
            keys[other] < keys[child] or (keys[other] == keys[child] and numbers[other] < numbers[child])
        ):
            child = other
        if key < keys[child] or (key == keys[child] and number < numbers[child]):
            break
        keys[at], numbers[at], items[at] = keys[child], numbers[child], items[child]
        at = child
    keys[at], numbers[at], items[at] = key, number, item
    return first


@compile_kernel
def volume(cells: CellTree, cell: int) -> int:
    """The volume of a cell."""
    return int(1 << cells.rest[cell])


@compile_kernel
def excess(cells: CellTree, cell: int) -> int:
    """The volume of a cell outside the box."""
    return int((1 << cells.rest[cell]) - cells.met[cell])


@compile_kernel
def bits_of(value: int) -> int:
    """The number of bits of a non-negative value."""
    bits = 0
    step = 32
    while step:
        if value >> step:
            value >>= step
            bits += step
        step >>= 1
    return bits + (value != 0)


@compile_kernel
def split(grid: EvenGrid, cells: CellTree, cell: int) -> None:
    """Create the two halves of a cell, at row `left` and the next row."""
    bit = cells.rest[cell]
    a, place, below, mask = grid.owner[bit], grid.place[bit], grid.below[bit], 1 << (bit - 1)
    left = cells.made[0]
    right = left + 1
    cells.made[0] = left + 2
    for other in range(cells.first.shape[1]):
        cells.first[left, other] = cells.first[right, other] = cells.first[cell, other]
        cells.last[left, other] = cells.last[right, other] = cells.last[cell, other]
    first, last = cells.first[cell, a], cells.last[cell, a]
    middle = last >> place << place
    unit = cells.met[cell] // (last - first + 1)
    cells.last[left, a] = middle - 1
    cells.first[right, a] = middle
    cells.met[left] = unit * (middle - first)
    cells.met[right] = unit * (last - middle + 1)
    cells.low[left], cells.high[left] = cells.low[cell], (cells.high[cell] ^ mask) | below
    cells.low[right], cells.high[right] = (cells.low[cell] | mask) & ~below, cells.high[cell]
    cells.rest[left] = bits_of(cells.low[left] ^ cells.high[left])
    cells.rest[right] = bits_of(cells.low[right] ^ cells.high[right])
    cells.left[cell] = left
    cells.left[left] = cells.left[right] = -1
    cells.parent[left] = cells.parent[right] = cell


@compile_kernel
def explore(grid: EvenGrid, cells: CellTree, heap: Heap, most: int) -> None:
    """Split the worst cell repeatedly, until there are `most` cells or all are full."""
    if excess(cells, 0):
        push(heap, -excess(cells, 0), 0, 0)
    number = 1
    while cells.made[1] < most - 1 and heap.size[0]:
        cell = pop(heap)[2]
        cells.order[cells.made[1]] = cell
        cells.made[1] += 1
        split(grid, cells, cell)
        left = cells.left[cell]
        for half in (left, left + 1):
            if excess(cells, half):
                push(heap, -excess(cells, half), number, half)
            number += 1


@compile_inner
def list_remaining(left: Ints, made: int, split: ByteFlags, joined: ByteFlags, out: Ints) -> int:
    """Write the remaining cells of a tree of `made` cells, in text order; return their number."""
    stack = np.empty(made + 2, np.int64)
    stack[0] = 0
    size, written = 1, 0
    while size:
        size -= 1
        cell = stack[size]
        if split[cell] and not joined[cell]:
            stack[size] = left[cell] + 1
            stack[size + 1] = left[cell]
            size += 2
        else:
            out[written] = cell
            written += 1
    return written
