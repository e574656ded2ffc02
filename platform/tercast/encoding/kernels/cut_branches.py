"""Cells of an event space with cuts, as in `tercast.encoding.cut_refinement`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tercast.encoding.kernels.cell_node import (
    BRANCH,
    EXACT,
    LEAVES,
    MADE,
    MEMBERS,
    WORK,
    PartTree,
)
from tercast.encoding.kernels.cut_grids import CutGrids, grid_at
from tercast.encoding.kernels.cut_rows import (
    INNER,
    LEAF,
    CutRows,
    DescentRows,
    LeafNumbers,
    TermRanks,
    span_range,
)
from tercast.encoding.kernels.grid_boxes import (
    FULL,
    PARTS,
    RANGES,
    add_range,
    close_side,
    finish_part,
    new_part,
)
from tercast.encoding.kernels.grid_codes import Grid, code_of, next_code
from tercast.encoding.kernels.smallest_cell import cut_halves, smallest
from tercast.encoding.kernels.wide_numbers import (
    WideNumber,
    WideNumbers,
    is_less,
    minus,
    moved_up,
    number,
    plus,
    read,
    times,
    write,
)
from tercast.encoding.refinement import MAX_DISJOINT
from tercast.runtime.compiler import compile_borrower


class CutSource(NamedTuple):
    """Source of the cells: the space, the terms, and the nodes that the terms reach.

    `low`, `high`: the places of spans, for attributes that are not floats. `first`, `last`: the indexes for
    the requests of the descent. `met`: the weight of the filter in each node.
    """

    rows: CutRows
    leaves: LeafNumbers
    grids: CutGrids
    terms: TermRanks
    descent: DescentRows
    low: WideNumbers
    high: WideNumbers
    first: WideNumbers
    last: WideNumbers
    met: WideNumbers


@compile_borrower
def span_indexes(
    source: CutSource, branch: int, a: int, span: int, request: int
) -> tuple[WideNumber, WideNumber, int]:
    """First and last index of a span in a leaf, and the number of the next request."""
    rows, leaves, terms = source.rows, source.leaves, source.terms
    column, at = rows.columns[a], branch * rows.columns.size + a
    one = number(leaves.first, 1)
    begins = terms.low[span] > rows.low[branch, column]
    ends = terms.high[span] < rows.high[branch, column]
    first, last = number(leaves.first, 0), minus(read(leaves.size, at), one)
    if not begins and not ends:
        return first, last, request
    if rows.reals[a]:
        return read(source.first, request), read(source.last, request), request + 1
    start = read(leaves.first, at)
    if begins:
        first = minus(read(source.low, span), start)
    if ends:
        last = minus(minus(read(source.high, span), one), start)
    return first, last, request


@compile_borrower
def _is_free(source: CutSource, term: int, mask: int, a: int) -> bool:
    """Whether a term does not limit an indexed attribute in a leaf."""
    column = source.rows.columns[a]
    return bool(mask >> column & 1 or not source.terms.tests[term] >> column & 1)


@compile_borrower
def _box_volume(source: CutSource, branch: int, held: int) -> WideNumber:
    """The number of points of a leaf's grid that a term overlaps."""
    rows, terms = source.rows, source.terms
    term, mask = source.descent.held[held, 0], source.descent.held[held, 1]
    request = source.descent.held[held, 2]
    one = number(source.met, 1)
    volume = one
    for a in range(rows.columns.size):
        if _is_free(source, term, mask, a):
            volume = times(volume, read(source.leaves.size, branch * rows.columns.size + a))
            continue
        column = rows.columns[a]
        row = term * rows.low.shape[1] + column
        begin, end = span_range(terms, row, rows.low[branch, column], rows.high[branch, column])
        points, next_index = number(source.met, 0), number(source.met, 0)
        for span in range(begin, end):
            first, last, request = span_indexes(source, branch, a, span, request)
            if is_less(first, next_index):
                first = next_index
            if not is_less(last, first):
                points = plus(points, plus(minus(last, first), one))
                next_index = plus(last, one)
        volume = times(volume, points)
    return volume


@compile_borrower
def _add_part(tree: PartTree, grid: Grid, branch: int, held: int) -> int:
    """Add the part of a term in a leaf; return its number."""
    parts, source = tree.parts, tree.source
    rows, terms = source.rows, source.terms
    term, mask = source.descent.held[held, 0], source.descent.held[held, 1]
    request = source.descent.held[held, 2]
    one = number(source.met, 1)
    part = new_part(parts)
    for a in range(rows.columns.size):
        if parts.made[FULL]:
            return part
        start = parts.made[RANGES]
        if _is_free(source, term, mask, a):
            add_range(parts, number(source.met, 0), minus(moved_up(one, grid.bits[a]), one))
            close_side(parts, part * rows.columns.size + a, start)
            continue
        column = rows.columns[a]
        row = term * rows.low.shape[1] + column
        begin, end = span_range(terms, row, rows.low[branch, column], rows.high[branch, column])
        for span in range(begin, end):
            first, last, request = span_indexes(source, branch, a, span, request)
            first, last = code_of(grid, a, first), code_of(grid, a, last)
            made = parts.made[RANGES]
            if made > start and not is_less(next_code(grid, a, read(parts.end, made - 1)), first):
                if is_less(read(parts.end, made - 1), last):
                    write(parts.end, made - 1, last)
            else:
                add_range(parts, first, last)
            if parts.made[FULL]:
                return part
        close_side(parts, part * rows.columns.size + a, start)
    if not parts.made[FULL]:
        finish_part(grid, parts, part)
    return part


@compile_borrower
def _open_leaf(tree: PartTree, node: int, cell: int) -> bool:
    """Set a cell to the smallest one of a leaf with its terms; False if no row is free."""
    source = tree.source
    nodes = source.descent.nodes
    branch, start, count = nodes[node, 0], nodes[node, 3], nodes[node, 4]
    if 3 * count + 4 * MAX_DISJOINT > tree.scratch.size:
        tree.parts.made[FULL] = 1
        return False
    grid = grid_at(source.grids, source.rows.grid[branch])
    for i in range(count):
        tree.scratch[i] = _add_part(tree, grid, branch, start + i)
        if tree.parts.made[FULL]:
            return False
    tree.leaf[cell] = branch
    unit, nothing = read(source.leaves.unit, branch), int(np.int64(-1))
    return smallest(tree, grid, unit, tree.scratch[:count], count == 1, nothing, cell)


@compile_borrower
def _open_node(tree: PartTree, node: int, parent: int, cell: int) -> bool:
    """Set a cell to what the terms need of a node; False if no row is free."""
    source = tree.source
    nodes = source.descent.nodes
    kind = nodes[node, 5]
    while kind == INNER and (nodes[node, 1] < 0 or nodes[node, 2] < 0):
        node = max(nodes[node, 1], nodes[node, 2])
        kind = nodes[node, 5]
    if kind == LEAF:
        if not _open_leaf(tree, node, cell):
            return False
        tree.parent[cell] = parent
        return True
    branch = nodes[node, 0]
    tree.left[cell], tree.parent[cell], tree.rest[cell] = -1, parent, BRANCH
    tree.leaf[cell], tree.disjoint[cell], tree.tried[cell] = branch, 1, 0
    tree.start[cell], tree.counts[cell] = node, 2 if kind == INNER else 0
    write(tree.volume, cell, read(source.leaves.weight, branch))
    write(tree.met, cell, read(source.met, node))
    return True


@compile_borrower
def _weigh_nodes(tree: PartTree) -> bool:
    """Compute the weight of the filter in each node, last ones first; False if no row is free."""
    source, state, made = tree.source, tree.state, tree.parts.made
    nodes = source.descent.nodes
    state[EXACT] = 1
    for node in range(source.descent.made[0] - 1, -1, -1):
        branch, left, right = nodes[node, 0], nodes[node, 1], nodes[node, 2]
        if nodes[node, 5] == INNER:
            met = read(source.met, max(left, right))
            if left >= 0 and right >= 0:
                met = plus(met, read(source.met, min(left, right)))
            write(source.met, node, met)
        elif nodes[node, 5] != LEAF:
            write(source.met, node, read(source.leaves.weight, branch))
        elif nodes[node, 4] == 1 and source.rows.complete[branch]:
            volume = _box_volume(source, branch, nodes[node, 3])
            write(source.met, node, times(volume, read(source.leaves.unit, branch)))
        else:
            if not _open_leaf(tree, node, state[MADE]):
                return False
            ragged = source.grids.every.meta[source.rows.grid[branch], 4]
            if not tree.disjoint[0] or (tree.counts[0] != 1 and ragged):
                state[EXACT] = 0
            write(source.met, node, read(tree.met, 0))
            made[PARTS] = made[RANGES] = state[MEMBERS] = 0
    return True


@compile_borrower
def plant_in_cuts(tree: PartTree) -> bool:
    """Create the root; False if no row is free."""
    state = tree.state
    if not _weigh_nodes(tree):
        return False
    first = int(state[MADE])
    if not _open_node(tree, first, first - 1, first):
        return False
    state[MADE] = state[LEAVES] = 1
    state[WORK] = tree.counts[0]
    return True


@compile_borrower
def split_in_cuts(tree: PartTree, cell: int) -> bool:
    """Create the halves of a cell: those of a branch, or those of its parts in a leaf."""
    source, branch = tree.source, tree.leaf[cell]
    made = tree.state[MADE]
    if tree.rest[cell] == BRANCH:
        if made + 2 > tree.rest.size:
            tree.parts.made[FULL] = 1
            return False
        tree.state[MADE] = made + 2
        node = tree.start[cell]
        for side in range(2):
            if not _open_node(tree, source.descent.nodes[node, 1 + side], cell, made + side):
                return False
        tree.left[cell] = made
        return True
    grid = grid_at(source.grids, source.rows.grid[branch])
    if not cut_halves(tree, grid, read(source.leaves.unit, branch), cell):
        return False
    tree.leaf[made] = tree.leaf[made + 1] = branch
    return True
