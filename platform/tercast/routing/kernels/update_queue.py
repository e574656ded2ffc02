"""Compiled version of `tercast.routing.update_queue`: updates to be processed.

An update is a row. Rows of each kind are linked, the latest first. A hash table finds the latest row of a
switch, cell, bit and layer.
"""

from __future__ import annotations

import numpy as np

from tercast.routing.kernels.patricia import doubled
from tercast.runtime.compiler import compile_kernel
from tercast.runtime.growable_array import Ints

KIND = 0
TRIE = 1
KEY = 2
BIT = 3
TREE = 4
ALIVE = 5
NEXT = 6
COLUMNS = 7

NODES, ROWS, HASHES, CHANGES, PORT_CHANGES, TOUCHED, FILLS = range(7)
"""The arrays of a run: nodes of tries, updates, their hash table; changes of plain entries and of in-port
entries, and the switches with changes; cells that may change the shadowing of entries."""

MADE, CHANGED, PORT_CHANGED, TOUCHING, FILLING = range(5)
"""Counts of a run: updates, changes of both kinds, switches, cells; from FIRST on, the latest update of
each kind."""
FIRST = 5
COUNTS = FIRST + 4


@compile_kernel
def new_book(nodes: Ints) -> list[Ints]:
    """Return empty arrays, and the nodes. Row 0 of the updates is unused."""
    return [
        nodes,
        np.empty((32, COLUMNS), np.int64),
        np.zeros((64, 1), np.int64),
        np.empty((32, 4), np.int64),
        np.empty((4, 5), np.int64),
        np.empty((16, 2), np.int64),
        np.empty((4, 2), np.int64),
    ]


@compile_kernel
def add_update(book: list[Ints], counts: Ints, kind: int, trie: int, key: int, bit: int, tree: int) -> None:
    """Add an update; if its opposite is pending, both are removed."""
    hashes, rows = book[HASHES], book[ROWS]
    at = _slot(hashes, rows, kind & 1, trie, key, bit)
    found = hashes[at, 0]
    if found and rows[found, ALIVE]:
        if rows[found, KIND] != kind:
            rows[found, ALIVE] = 0
        return
    counts[MADE] += 1
    new = counts[MADE]
    if new == rows.shape[0]:
        rows = book[ROWS] = doubled(rows)
    rows[new, KIND], rows[new, TRIE], rows[new, KEY] = kind, trie, key
    rows[new, BIT], rows[new, TREE], rows[new, ALIVE] = bit, tree, 1
    rows[new, NEXT] = counts[FIRST + kind]
    counts[FIRST + kind] = new
    hashes[at, 0] = new
    if 2 * new > hashes.shape[0]:
        book[HASHES] = _rehashed(rows, new)


@compile_kernel
def next_update(book: list[Ints], counts: Ints) -> int:
    """Return the row of the next update; 0 if none is left."""
    rows = book[ROWS]
    for kind in range(4):
        while counts[FIRST + kind]:
            row = counts[FIRST + kind]
            counts[FIRST + kind] = rows[row, NEXT]
            if rows[row, ALIVE]:
                rows[row, ALIVE] = 0
                return int(row)
    return 0


@compile_kernel
def _slot(hashes: Ints, rows: Ints, layer: int, trie: int, key: int, bit: int) -> int:
    """Return the place of the latest such update, or a free place for it."""
    mask = hashes.shape[0] - 1
    mixed = (key ^ (trie << 44)) * 0x1E3779B97F4A7C15 + bit * 0x3F58476D1CE4E5B9 + layer
    at = (mixed ^ (mixed >> 29) ^ (mixed >> 47)) & mask
    while True:
        row = hashes[at, 0]
        if row == 0:
            return int(at)
        if (
            rows[row, KEY] == key
            and rows[row, TRIE] == trie
            and rows[row, BIT] == bit
            and rows[row, KIND] & 1 == layer
        ):
            return int(at)
        at = (at + 1) & mask


@compile_kernel
def _rehashed(rows: Ints, made: int) -> Ints:
    """Return a larger table with the pending updates; others are not needed again."""
    size = 64
    while size < 4 * made:
        size *= 2
    hashes = np.zeros((size, 1), np.int64)
    for row in range(1, made + 1):
        if rows[row, ALIVE]:
            at = _slot(hashes, rows, rows[row, KIND] & 1, rows[row, TRIE], rows[row, KEY], rows[row, BIT])
            hashes[at, 0] = row
    return hashes
