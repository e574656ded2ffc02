"""Compiled version of `tercast.routing.shadowing`: entries that no packet matches."""

from __future__ import annotations

import numpy as np

from tercast.routing.kernels.patricia import KEY, LEFT, LENGTH, LEVELS, RIGHT, A, S, descend
from tercast.routing.kernels.port_semantics import ROOT, entry
from tercast.runtime.compiler import compile_kernel
from tercast.runtime.growable_array import Ints


@compile_kernel
def may_change_shadowing(nodes: Ints, parent: int, at: int) -> bool:
    """Return whether a node has a sibling for the other half, or nodes for both its own halves."""
    length = nodes[at, KEY] & LENGTH
    if parent and (nodes[parent, KEY] & LENGTH) + 1 == length:
        other = nodes[parent, LEFT] + nodes[parent, RIGHT] - at
        if other and nodes[other, KEY] & LENGTH == length:
            return True
    return has_halves(nodes, at)


@compile_kernel
def has_halves(nodes: Ints, at: int) -> bool:
    """Return whether there is a node for each half of a cell."""
    left, right, length = nodes[at, LEFT], nodes[at, RIGHT], (nodes[at, KEY] & LENGTH) + 1
    if left == 0 or right == 0:
        return False
    return bool(nodes[left, KEY] & LENGTH == length and nodes[right, KEY] & LENGTH == length)


@compile_kernel
def is_full_by_halves(nodes: Ints, switch: Ints, top: int, s_top: int, a_top: int) -> bool:
    """Return whether both halves of a node, whose masks are given, are full."""
    if not has_halves(nodes, top):
        return False
    stack = np.empty((2 * LEVELS, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = top, s_top, a_top
    size = 1
    while size:
        size -= 1
        at, s_over, a_over = stack[size, 0], stack[size, 1], stack[size, 2]
        if not has_halves(nodes, at):
            return False
        for side in (LEFT, RIGHT):
            half = nodes[at, side]
            s, a = s_over | nodes[half, S], a_over | nodes[half, A]
            stands, _ = entry(switch, s_over, a_over, s, a)
            if stands == 0:
                stack[size, 0], stack[size, 1], stack[size, 2] = half, s, a
                size += 1
    return True


@compile_kernel
def find_shadowing(nodes: Ints, switches: Ints, depth: int, cells: Ints, path: Ints) -> Ints:
    """Find the entries at cells, and the nearest above: switch, cell, shadowed or not, outputs.

    `cells` are rows of switch and key. Changes at these cells affect no other entry.
    """
    found = np.empty((2 * cells.shape[0], 4), np.int64)
    number = 0
    for row in range(cells.shape[0]):
        switch = switches[cells[row, 0]]
        steps, at, _, _, _, _ = descend(nodes, depth, switch[ROOT], cells[row, 1], path)
        if at:
            path[steps] = at
            steps += 1
        s, a, near, s_near, a_near, outputs = 0, 0, 0, 0, 0, 0
        for step in range(steps):
            here = path[step]
            s_over, a_over = s, a
            s, a = s_over | nodes[here, S], a_over | nodes[here, A]
            stands, spare = entry(switch, s_over, a_over, s, a)
            if here == at and near and outputs > 0:
                _write_row(found, number, cells[row, 0], nodes[near, KEY], outputs)
                found[number, 2] = is_full_by_halves(nodes, switch, near, s_near, a_near)
                number += 1
                near = 0
            if stands:
                near, s_near, a_near = here, s, a
                outputs = stands & ~spare if stands > 0 else 0
        if near and outputs > 0:
            _write_row(found, number, cells[row, 0], nodes[near, KEY], outputs)
            found[number, 2] = is_full_by_halves(nodes, switch, near, s_near, a_near)
            number += 1
    return found[:number]


@compile_kernel
def _write_row(found: Ints, number: int, switch: int, key: int, outputs: int) -> None:
    found[number, 0], found[number, 1], found[number, 3] = switch, key, outputs
