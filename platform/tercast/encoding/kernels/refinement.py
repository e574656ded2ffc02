"""Compiled version of `tercast.encoding.refinement` for any number of parts."""

from __future__ import annotations

from typing import Any

from tercast.encoding.kernels.cell_node import (
    EXACT,
    LEAVES,
    ORDERED,
    TIRED,
    PartTree,
    excess_of,
    gain_of,
    is_open,
)
from tercast.encoding.kernels.cut_branches import split_in_cuts
from tercast.encoding.kernels.number_heap import NumberHeap, pop_largest, push_number
from tercast.encoding.kernels.smallest_cell import cut_halves
from tercast.encoding.kernels.wide_numbers import is_equal, number, read, write
from tercast.encoding.refinement import UNSURE
from tercast.runtime.compiler import compile_borrower, compile_choice


def split_parts(tree: PartTree, cell: int) -> bool:
    """Create the halves of a cell; False if no row is free."""
    if tree.source:
        return split_in_cuts(tree, cell)
    return cut_halves(tree, tree.grid, number(tree.volume, 1), cell)


@compile_choice(split_parts)
def _split_parts(tree: Any, cell: Any) -> Any:
    """Choose the function when `split_parts` is compiled for a type of tree."""
    source = tree.types[tree.fields.index("source")]
    if not len(source):
        return lambda tree, cell: cut_halves(tree, tree.grid, number(tree.volume, 1), cell)
    return lambda tree, cell: split_in_cuts(tree, cell)  # noqa: PLW0108 - Numba takes no other function


@compile_borrower
def explore_parts(tree: PartTree, heap: NumberHeap, most: int, limit: int) -> bool:
    """Split as `refinement.Parts.explore` does; False if no row is free."""
    state = tree.state
    if is_open(tree, 0):
        push_number(heap, excess_of(tree, 0), 0, 0)
    number_of_next = 1
    until = most if state[EXACT] else max(most, UNSURE)
    while heap.size[0]:
        if state[TIRED]:
            if state[LEAVES] >= most or state[ORDERED] >= limit - 1:
                break
        elif state[LEAVES] >= until:
            break
        cell = pop_largest(heap)[1]
        tree.order[state[ORDERED]] = cell
        state[ORDERED] += 1
        if not split_parts(tree, cell):
            return False
        left = tree.left[cell]
        for half in (left, left + 1):
            if is_open(tree, half):
                push_number(heap, excess_of(tree, half), number_of_next, half)
            number_of_next += 1
        state[LEAVES] += 1
        state[LEAVES] -= _joined(tree, cell)
    return True


@compile_borrower
def _joined(tree: PartTree, cell: int) -> int:
    """Join halves that fill their cell, upwards; return the number of joins."""
    joins = 0
    while cell >= 0 and _is_full(tree, cell):
        tree.left[cell] = -1
        write(tree.met, cell, read(tree.volume, cell))
        cell = tree.parent[cell]
        joins += 1
    return joins


@compile_borrower
def _is_full(tree: PartTree, cell: int) -> bool:
    """Whether both halves are full, so that the cell is full."""
    left = tree.left[cell]
    if left < 0 or is_open(tree, left) or is_open(tree, left + 1):
        return False
    return bool(is_equal(gain_of(tree, cell), number(tree.volume, 0)))
