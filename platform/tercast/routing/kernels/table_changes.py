"""Compiled: net changes of tables, and the entries that follow from the masks of a trie."""

from __future__ import annotations

import numpy as np

from tercast.routing.kernels.patricia import KEY as NODE_KEY
from tercast.routing.kernels.patricia import LEFT, LEVELS, RIGHT, A, S, doubled
from tercast.routing.kernels.port_semantics import entry
from tercast.routing.kernels.shadowing import is_full_by_halves
from tercast.runtime.compiler import compile_kernel
from tercast.runtime.growable_array import Ints

SWITCH, KEY, BEFORE, AFTER = range(4)
"""A change of a plain entry; outputs of 0 mean that there is no entry."""

_MOST = 1 << 16
"""Number of rows after which they are replaced by their net changes."""


class ChangeRows:
    """Changes of plain entries that were not taken yet, as rows; a cell may have several rows."""

    __slots__ = ("_due", "_parts")

    def __init__(self) -> None:
        self._parts: list[Ints] = []
        self._due = _MOST

    def add(self, rows: Ints, switches: int) -> None:
        """Add rows of changes; `switches` is the number of switches."""
        if not len(rows):
            return
        self._parts.append(rows)
        if sum(map(len, self._parts)) > self._due:
            rows, _ = self._net(switches)
            self._parts = [rows]
            self._due = max(_MOST, 2 * len(rows))

    def take(self, switches: int) -> tuple[Ints, Ints]:
        """Return the net changes of all rows, as `net` does, and remove the rows."""
        found = self._net(switches)
        self._parts.clear()
        self._due = _MOST
        return found

    def take_out(self, switch: int, switches: int) -> Ints:
        """Return the net changes of one switch; the rows of others stay."""
        if not self._parts:
            return _NONE
        rows, _ = self._net(switches)
        mine = rows[:, SWITCH] == switch
        self._parts = [rows[~mine]]
        found: Ints = rows[mine]
        return found

    def _net(self, switches: int) -> tuple[Ints, Ints]:
        parts = self._parts
        if not parts:
            return _NONE, _NONE
        return net(parts[0] if len(parts) == 1 else np.concatenate(parts), switches)


_NONE: Ints = np.zeros((0, 4), np.int64)


@compile_kernel
def net(changes: Ints, switches: int) -> tuple[Ints, Ints]:
    """Compute the net changes of rows in order, with one row for each changed cell of a switch.

    Returns:
        The net changes, grouped by switch, and the switches with changes, each with the number of its rows.
        Both are in the order of the first changes.
    """
    number = changes.shape[0]
    first, after = _firsts(changes)
    rank = np.full(switches, -1, np.int64)
    groups = np.empty((min(number, switches), 2), np.int64)
    known = 0
    for row in range(number):
        if first[row] != row:
            continue
        switch = changes[row, SWITCH]
        if rank[switch] < 0:
            rank[switch] = known
            groups[known, 0], groups[known, 1] = switch, 0
            known += 1
        if changes[row, BEFORE] != after[row]:
            groups[rank[switch], 1] += 1
    places = np.empty(known, np.int64)
    total = 0
    for group in range(known):
        places[group] = total
        total += groups[group, 1]
    found = np.empty((total, 4), np.int64)
    for row in range(number):
        if first[row] == row and changes[row, BEFORE] != after[row]:
            group = rank[changes[row, SWITCH]]
            found[places[group]] = changes[row]
            found[places[group], AFTER] = after[row]
            places[group] += 1
    return found, groups[:known]


@compile_kernel
def _firsts(changes: Ints) -> tuple[Ints, Ints]:
    """Return, for each row, the first row of the same cell; and for that, the last outputs."""
    number = changes.shape[0]
    first, after = np.empty(number, np.int64), np.empty(number, np.int64)
    size = 64
    while size < 2 * number:
        size *= 2
    slots = np.zeros(size, np.int64)
    for row in range(number):
        switch, key = changes[row, SWITCH], changes[row, KEY]
        mixed = (key ^ (switch << 44)) * 0x1E3779B97F4A7C15
        at = (mixed ^ (mixed >> 29) ^ (mixed >> 47)) & (size - 1)
        while slots[at]:
            other = slots[at] - 1
            if changes[other, KEY] == key and changes[other, SWITCH] == switch:
                break
            at = (at + 1) & (size - 1)
        if slots[at] == 0:
            slots[at] = row + 1
        first[row] = slots[at] - 1
        after[first[row]] = changes[row, AFTER]
    return first, after


@compile_kernel
def entries_of(nodes: Ints, root: int, switch: Ints) -> Ints:
    """Return the plain entries of a switch, depth first.

    Columns: cell, outputs or NO_ENTRY_NEEDED, suppressed outputs, whether both halves of the cell are full.
    """
    found = np.empty((64, 4), np.int64)
    stack = np.empty((2 * LEVELS, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = root, 0, 0
    size, number = 1, 0
    while size:
        size -= 1
        at, s_over, a_over = stack[size, 0], stack[size, 1], stack[size, 2]
        s, a = s_over | nodes[at, S], a_over | nodes[at, A]
        outputs, spare = entry(switch, s_over, a_over, s, a)
        if outputs:
            if number == found.shape[0]:
                found = doubled(found)
            found[number, 0], found[number, 1], found[number, 2] = nodes[at, NODE_KEY], outputs, spare
            found[number, 3] = is_full_by_halves(nodes, switch, at, s, a)
            number += 1
        for side in (RIGHT, LEFT):
            if nodes[at, side]:
                stack[size, 0], stack[size, 1], stack[size, 2] = nodes[at, side], s, a
                size += 1
    return found[:number]
