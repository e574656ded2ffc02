"""Heap of cells, the largest key first; of equal keys, the cell that was found first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tercast.encoding.kernels.wide_numbers import (
    WideNumber,
    WideNumbers,
    empty,
    is_equal,
    is_less,
    read,
    write,
)
from tercast.runtime.compiler import compile_borrower, compile_inner
from tercast.runtime.growable_array import Ints


class NumberHeap(NamedTuple):
    """Cells with a key and a number; `size[0]` is their number."""

    keys: WideNumbers
    numbers: Ints
    items: Ints
    size: Ints


@compile_inner
def new_number_heap(like: WideNumbers, room: int) -> NumberHeap:
    """Create an empty heap for keys as in `like`."""
    return NumberHeap(
        empty(like, room), np.empty(room, np.int64), np.empty(room, np.int64), np.zeros(1, np.int64)
    )


@compile_borrower
def _is_before(key: WideNumber, number: int, other: WideNumber, its_number: int) -> bool:
    return bool(is_less(other, key) or (is_equal(key, other) and number < its_number))


@compile_borrower
def push_number(heap: NumberHeap, key: WideNumber, number: int, item: int) -> None:
    """Add a cell."""
    keys, numbers, items = heap.keys, heap.numbers, heap.items
    at = heap.size[0]
    heap.size[0] = at + 1
    while at:
        above = (at - 1) >> 1
        if not _is_before(key, number, read(keys, above), numbers[above]):
            break
        write(keys, at, read(keys, above))
        numbers[at], items[at] = numbers[above], items[above]
        at = above
    write(keys, at, key)
    numbers[at], items[at] = number, item


@compile_borrower
def pop_largest(heap: NumberHeap) -> tuple[int, int]:
    """Remove the first cell; return its number and the cell."""
    keys, numbers, items = heap.keys, heap.numbers, heap.items
    first = numbers[0], items[0]
    size = heap.size[0] - 1
    heap.size[0] = size
    key, number, item = read(keys, size), numbers[size], items[size]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        other = child + 1
        if other < size and _is_before(read(keys, other), numbers[other], read(keys, child), numbers[child]):
            child = other
        if _is_before(key, number, read(keys, child), numbers[child]):
            break
        write(keys, at, read(keys, child))
        numbers[at], items[at] = numbers[child], items[child]
        at = child
    write(keys, at, key)
    numbers[at], items[at] = number, item
    return first
