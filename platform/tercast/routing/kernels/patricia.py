"""Compiled prefix tries of all switches in one array; a node is a row of eight words.

A word has 64 bits, and a row is one cache line. A node is a cell with owners, or a cell at which two branches
part. The trie of a switch has its own root, which is the whole space. Row 0 is not a node: child 0 means no
child, and free rows are linked from there. Keys are those of `tercast.routing.cell_keys.Order` at a depth of
at most `MAX_DEPTH`.
"""

from __future__ import annotations

import numpy as np

from tercast.encoding.kernels.refinement_tree import bits_of
from tercast.runtime.compiler import compile_kernel
from tercast.runtime.growable_array import Ints

KEY = 0
"""The key of the cell; unused in row 0."""
S = 1
"""The bits that subscribe to the cell itself."""
A = 2
"""The bits that advertise the cell itself."""
LEFT = 3
RIGHT = 4
"""The nodes below with 0 and 1 as next bit; in row 0 the first free row and the number of used rows."""
TREE = 5
"""The row of the tree that contains the cell, if a bit advertises the cell."""
S_BELOW = 6
A_BELOW = 7
"""The bits that subscribe to (or advertise) the cell or any cell below it."""

COLUMNS = 8
LENGTH = 127
LENGTH_BITS = 7
MAX_DEPTH = 55
LEVELS = 64
"""More than the largest number of nodes on a path from the root."""

NO_TREE = -1


def new_nodes(room: int) -> Ints:
    """Return space for `room` nodes, with none created yet."""
    nodes = np.zeros((room, COLUMNS), np.int64)
    nodes[0, RIGHT] = 1
    return nodes


@compile_kernel
def doubled(rows: Ints) -> Ints:
    """Return a copy with space for twice as many rows; new rows are zero."""
    larger = np.zeros((2 * rows.shape[0], rows.shape[1]), np.int64)
    larger[: rows.shape[0]] = rows
    return larger


@compile_kernel
def has_room(nodes: Ints) -> bool:
    """Whether two more nodes fit, which is the most that a new cell needs."""
    return bool(nodes[0, RIGHT] + 2 <= nodes.shape[0])


@compile_kernel
def descend(nodes: Ints, depth: int, root: int, key: int, path: Ints) -> tuple[int, int, int, int, int, int]:
    """Write the nodes above `key` to `path`, the root first.

    Returns:
        The number of these nodes; the node of `key` (0: none); the next node below, if `key` has no node; the
        bits that subscribe above `key`; the bits that advertise above it; the row of its tree.
    """
    steps, wanted, brought, tree = 0, 0, 0, NO_TREE
    at = root
    while True:
        here = nodes[at, KEY]
        if here == key:
            return steps, at, 0, wanted, brought, tree
        path[steps] = at
        steps += 1
        wanted |= nodes[at, S]
        if nodes[at, A]:
            brought |= nodes[at, A]
            tree = nodes[at, TREE]
        side = (key >> (depth + LENGTH_BITS - 1 - (here & LENGTH))) & 1
        child = nodes[at, LEFT + side]
        if child == 0:
            return steps, 0, 0, wanted, brought, tree
        below = nodes[child, KEY]
        if below > key or (below ^ key) >> (depth + LENGTH_BITS - (below & LENGTH)):
            return steps, 0, child, wanted, brought, tree
        at = child


@compile_kernel
def insert(nodes: Ints, depth: int, path: Ints, steps: int, child: int, key: int) -> tuple[int, int]:
    """Create the node of `key` in place of `child`; there must be space for it.

    The node has no owners yet.

    Returns:
        The new node, and the number of nodes on the `path` to it.
    """
    new = _row(nodes, key)
    parent = path[steps - 1]
    side = (key >> (depth + LENGTH_BITS - 1 - (nodes[parent, KEY] & LENGTH))) & 1
    if child == 0:
        nodes[parent, LEFT + side] = new
        return new, steps
    other = nodes[child, KEY]
    top = new
    if key > other or (key ^ other) >> (depth + LENGTH_BITS - (key & LENGTH)):
        place = bits_of(key ^ other) - 1
        top = _row(nodes, (key >> (place + 1)) << (place + 1) | (depth + LENGTH_BITS - 1 - place))
        nodes[top, LEFT + ((key >> place) & 1)] = new
        nodes[top, LEFT + ((other >> place) & 1)] = child
        path[steps] = top
        steps += 1
    else:
        nodes[new, LEFT + ((other >> (depth + LENGTH_BITS - 1 - (key & LENGTH))) & 1)] = child
    nodes[top, S_BELOW], nodes[top, A_BELOW] = nodes[child, S_BELOW], nodes[child, A_BELOW]
    nodes[parent, LEFT + side] = top
    return new, steps


@compile_kernel
def new_root(nodes: Ints, depth: int) -> int:
    """Create a root for one more trie; there must be space for it."""
    return _row(nodes, 1 << (depth + LENGTH_BITS))


@compile_kernel
def _row(nodes: Ints, key: int) -> int:
    row = nodes[0, LEFT]
    if row:
        nodes[0, LEFT] = nodes[row, LEFT]
    else:
        row = nodes[0, RIGHT]
        nodes[0, RIGHT] += 1
    nodes[row] = 0
    nodes[row, KEY] = key
    return int(row)


@compile_kernel
def note_above(nodes: Ints, path: Ints, steps: int, at: int, column: int, bits: int) -> None:
    """Add `bits` to a node and to those above it, in `column` (S_BELOW or A_BELOW)."""
    nodes[at, column] |= bits
    for step in range(steps):
        nodes[path[step], column] |= bits


@compile_kernel
def prune(nodes: Ints, path: Ints, steps: int, at: int) -> None:
    """Remove nodes that are no longer needed after a removal, and update the nodes above them."""
    if nodes[at, S] == 0 and nodes[at, A] == 0 and steps:
        left, right = nodes[at, LEFT], nodes[at, RIGHT]
        if left == 0 or right == 0:
            parent = path[steps - 1]
            _replace(nodes, parent, at, left + right)
            if left + right == 0 and steps > 1 and nodes[parent, S] == 0 and nodes[parent, A] == 0:
                only = nodes[parent, LEFT] + nodes[parent, RIGHT]
                if nodes[parent, LEFT] == 0 or nodes[parent, RIGHT] == 0:
                    steps -= 1
                    _replace(nodes, path[steps - 1], parent, only)
        else:
            _gather(nodes, at)
    else:
        _gather(nodes, at)
    for step in range(steps - 1, -1, -1):
        above = path[step]
        wanted, brought = nodes[above, S_BELOW], nodes[above, A_BELOW]
        _gather(nodes, above)
        if nodes[above, S_BELOW] == wanted and nodes[above, A_BELOW] == brought:
            break


@compile_kernel
def _replace(nodes: Ints, parent: int, gone: int, by: int) -> None:
    side = LEFT if nodes[parent, LEFT] == gone else RIGHT
    nodes[parent, side] = by
    nodes[gone, LEFT] = nodes[0, LEFT]
    nodes[0, LEFT] = gone


@compile_kernel
def _gather(nodes: Ints, at: int) -> None:
    left, right = nodes[at, LEFT], nodes[at, RIGHT]
    wanted, brought = nodes[at, S], nodes[at, A]
    if left:
        wanted |= nodes[left, S_BELOW]
        brought |= nodes[left, A_BELOW]
    if right:
        wanted |= nodes[right, S_BELOW]
        brought |= nodes[right, A_BELOW]
    nodes[at, S_BELOW], nodes[at, A_BELOW] = wanted, brought
