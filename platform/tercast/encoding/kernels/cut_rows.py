"""Arrays of an event space with cuts, and the descent of a filter's terms in them.

Places are compared by *rank*: with the n borders of an attribute (its cuts, and the ends of its domain) in
order, border i has rank 2 * i + 1, and the places between borders i - 1 and i have rank 2 * i.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercast.encoding.kernels.budgeted_search import NO_ROOM
from tercast.encoding.kernels.cut_grids import CutGrids, make_cut_grids
from tercast.encoding.kernels.grid_codes import volume_bits
from tercast.encoding.kernels.wide_numbers import MAX_WIDE_BITS, WideNumbers, packed
from tercast.runtime.compiler import compile_kernel
from tercast.runtime.growable_array import Ints

if TYPE_CHECKING:
    from tercast.eventspace.cut_space import Branch, CutSpace
    from tercast.eventspace.interleaving import BitSchedule

WIDE = 4
"""Words of a number in a space with cuts."""

MAX_ATTRIBUTES = 60
_SPARE_BITS = 6
WHOLE, LEAF, INNER = range(3)


class CutRows(NamedTuple):
    """Branches by number, the root first.

    `column`: the attribute of the cut by its column, a position in `CutSpace.positions`; -1 without a cut.
    `rank`: the rank of the cut. `left`, `right`: branches. `low`, `high`: ranks of the region by branch and
    column. `grid`: the number of the leaf's grid, or -1 if the leaf is not halved. `complete` as in
    `LeafSpace`. `columns`, `reals`: the column of each indexed attribute, and whether it is a float.
    """

    column: Ints
    rank: Ints
    left: Ints
    right: Ints
    low: Ints
    high: Ints
    grid: Ints
    complete: Ints
    columns: Ints
    reals: Ints


class LeafNumbers(NamedTuple):
    """Numbers by branch: weight, unit; by branch and indexed attribute: first place, size."""

    weight: WideNumbers
    unit: WideNumbers
    first: WideNumbers
    size: WideNumbers


class DescentRows(NamedTuple):
    """Nodes of the part of a cut tree that terms reach; a node comes before those below it.

    `nodes`: branch, left and right node (or -1), start and number of the held terms, and kind. `held`: term,
    mask of the columns whose tests every value of the branch passes, and the number of its first request.
    `requests`: branch, indexed attribute, and span whose first and last index must be computed exactly.
    `made`: the numbers of nodes, held terms and requests, or NO_ROOM.
    """

    nodes: Ints
    held: Ints
    requests: Ints
    made: Ints


class TermRanks(NamedTuple):
    """Terms as ranks.

    `tests`: bits of the tested columns. `spans[t * columns + c]`: the first span of term t and column c.

    `low`, `high`, `snapped`: ranks of a span's ends, and of the first value at or after its end.
    """

    tests: Ints
    spans: Ints
    low: Ints
    high: Ints
    snapped: Ints


def is_possible(space: CutSpace) -> bool:
    """Whether weights and volumes fit in the numbers of kernels."""
    if len(space.positions) > MAX_ATTRIBUTES or space.root.weight.bit_length() + _SPARE_BITS > MAX_WIDE_BITS:
        return False
    leaves = [branch.leaf for branch in space.leaves if branch.leaf is not None and branch.leaf.splits]
    return bool(leaves) and all(volume_bits(leaf.schedule) <= MAX_WIDE_BITS for leaf in leaves)


def border_lists(space: CutSpace, branches: Sequence[Branch]) -> list[list[Any]]:
    """The borders of each attribute of `positions`: its cuts, and the ends of its domain."""
    found = [set(space.attributes[position].places) for position in space.positions]
    columns = {position: column for column, position in enumerate(space.positions)}
    for branch in branches:
        if branch.cut is not None:
            found[columns[branch.cut.attribute]].add(branch.cut.place)
    return [sorted(places) for places in found]


def rank_of(borders: Sequence[Any], place: Any) -> int:
    """The rank of a place."""
    at = bisect_left(borders, place)
    return 2 * at + (at < len(borders) and borders[at] == place)


def _new_rows(space: CutSpace, columns: dict[int, int], count: int) -> CutRows:
    """Create rows for `count` branches, without cuts and grids; `columns`: by position."""
    columns_cut, ranks, left, right, grid = (np.full(count, -1, np.int64) for _ in range(5))
    low, high = (np.zeros((count, len(columns)), np.int64) for _ in range(2))
    return CutRows(
        columns_cut,
        ranks,
        left,
        right,
        low,
        high,
        grid,
        np.zeros(count, np.int64),
        np.array([columns[position] for position in space.indexed], np.int64),
        np.array([space.attributes[position].kind == "float" for position in space.indexed], np.int64),
    )


def make_rows(
    space: CutSpace, branches: Sequence[Branch], borders: list[list[Any]]
) -> tuple[CutRows, LeafNumbers, CutGrids]:
    """Create the arrays of a space with these branches, the root first, and these borders."""
    numbers = {id(branch): number for number, branch in enumerate(branches)}
    columns = {position: column for column, position in enumerate(space.positions)}
    schedules: dict[int, int] = {}
    grids: list[BitSchedule] = []
    each = len(space.indexed)
    count = len(branches)
    rows = _new_rows(space, columns, count)
    units, firsts, sizes = [0] * count, [0] * (count * each), [1] * (count * each)
    for number, branch in enumerate(branches):
        for column, position in enumerate(space.positions):
            first, end = branch.region[position]
            rows.low[number, column] = rank_of(borders[column], first)
            rows.high[number, column] = rank_of(borders[column], end)
        if branch.cut is not None:
            rows.column[number] = column = columns[branch.cut.attribute]
            rows.rank[number] = rank_of(borders[column], branch.cut.place)
            rows.left[number], rows.right[number] = numbers[id(branch.left)], numbers[id(branch.right)]
        elif (leaf := branch.leaf) is not None and leaf.splits:
            if id(leaf.schedule) not in schedules:
                schedules[id(leaf.schedule)] = len(grids)
                grids.append(leaf.schedule)
            rows.grid[number], rows.complete[number] = schedules[id(leaf.schedule)], leaf.complete
            units[number] = leaf.unit
            for a, section in enumerate(leaf.sections):
                firsts[number * each + a] = 0 if rows.reals[a] else int(section.low)
                sizes[number * each + a] = section.size
    weights = packed([branch.weight for branch in branches], WIDE)
    leaves = LeafNumbers(weights, packed(units, WIDE), packed(firsts, WIDE), packed(sizes, WIDE))
    return rows, leaves, make_cut_grids(grids, WIDE)


def new_descent(rows: CutRows, room: int) -> DescentRows:
    """Create arrays for `room` held terms and requests."""
    return DescentRows(
        np.empty((rows.column.size, 6), np.int64),
        np.empty((room, 3), np.int64),
        np.empty((room, 3), np.int64),
        np.zeros(3, np.int64),
    )


@compile_kernel
def span_range(terms: TermRanks, row: int, low: int, high: int) -> tuple[int, int]:
    """The first span of a row that meets the places from `low` to before `high`, and the end."""
    begin, end = terms.spans[row], terms.spans[row + 1]
    first, after = begin, end
    while first < after:
        middle = (first + after) >> 1
        if terms.high[middle] > low:
            after = middle
        else:
            first = middle + 1
    start, after = first, end
    while start < after:
        middle = (start + after) >> 1
        if terms.low[middle] >= high:
            after = middle
        else:
            start = middle + 1
    return first, start


@compile_kernel
def _hold(out: DescentRows, term: int, mask: int) -> None:
    """Add a held term, if there is room."""
    made = out.made[1]
    if made < out.held.shape[0]:
        out.held[made, 0], out.held[made, 1] = term, mask
        out.made[1] = made + 1
    else:
        out.made[0] = NO_ROOM


@compile_kernel
def _hold_side(
    rows: CutRows, terms: TermRanks, out: DescentRows, start: int, stop: int, branch: int, right: bool
) -> None:
    """Hold the parts of terms on one side of a branch's cut."""
    column, cut = rows.column[branch], rows.rank[branch]
    low, high = rows.low[branch, column], rows.high[branch, column]
    if right:
        low = cut
    else:
        high = cut
    bit = 1 << column
    for at in range(start, stop):
        term, mask = out.held[at, 0], out.held[at, 1]
        if terms.tests[term] & bit and not mask & bit:
            first, after = span_range(terms, term * rows.low.shape[1] + column, low, high)
            if after <= first:
                continue
            if after - first == 1 and terms.low[first] <= low and terms.snapped[first] >= high:
                mask |= bit
        _hold(out, term, mask)


@compile_kernel
def _request(rows: CutRows, terms: TermRanks, out: DescentRows, start: int, stop: int, branch: int) -> None:
    """Request the indexes of spans of floats that begin or end inside a leaf."""
    for at in range(start, stop):
        term, mask = out.held[at, 0], out.held[at, 1]
        out.held[at, 2] = out.made[2]
        for a in range(rows.columns.size):
            column = rows.columns[a]
            if not rows.reals[a] or mask >> column & 1 or not terms.tests[term] >> column & 1:
                continue
            low, high = rows.low[branch, column], rows.high[branch, column]
            first, after = span_range(terms, term * rows.low.shape[1] + column, low, high)
            for span in range(first, after):
                if terms.low[span] > low or terms.high[span] < high:
                    made = out.made[2]
                    if made == out.requests.shape[0]:
                        out.made[0] = NO_ROOM
                        return
                    out.requests[made, 0], out.requests[made, 1], out.requests[made, 2] = branch, a, span
                    out.made[2] = made + 1


@compile_kernel
def descend(rows: CutRows, terms: TermRanks, out: DescentRows) -> None:
    """Let the terms descend to the leaves."""
    for term in range(terms.tests.size):
        _hold(out, term, 0)
    stack = np.empty((2 * rows.column.size + 2, 5), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, -1, 0, 0, out.made[1]
    size = 1
    while size and out.made[0] != NO_ROOM:
        size -= 1
        branch, above, half = stack[size, 0], stack[size, 1], stack[size, 2]
        start, stop = stack[size, 3], stack[size, 4]
        node = out.made[0]
        out.made[0] = node + 1
        if above >= 0:
            out.nodes[above, 1 + half] = node
        out.nodes[node, 0], out.nodes[node, 1], out.nodes[node, 2] = branch, -1, -1
        out.nodes[node, 3], out.nodes[node, 4], out.nodes[node, 5] = start, stop - start, WHOLE
        covered = False
        for at in range(start, stop):
            if not terms.tests[out.held[at, 0]] & ~out.held[at, 1]:
                covered = True
                break
        if covered:
            continue
        if rows.column[branch] < 0:
            if rows.grid[branch] >= 0:
                out.nodes[node, 5] = LEAF
                _request(rows, terms, out, start, stop, branch)
            continue
        out.nodes[node, 5] = INNER
        for side in range(2):
            begin = out.made[1]
            _hold_side(rows, terms, out, start, stop, branch, side == 1)
            if out.made[0] == NO_ROOM:
                return
            if out.made[1] > begin:
                below = rows.right[branch] if side else rows.left[branch]
                stack[size, 0], stack[size, 1], stack[size, 2] = below, node, side
                stack[size, 3], stack[size, 4] = begin, out.made[1]
                size += 1
