"""Selection of a limited number of cells with the least volume from a tree of cells.

A cell can replace all cells below it. Dynamic programming from the last cells upwards selects these cells: it
computes the least volume of 1, 2, ... cells below each cell. Before that, refinement continues beyond the
limit. If a better selection may exist elsewhere, it is compared with that of `budgeted_search`. For large
limits, this would take long. So the halves that gain least are joined one at a time.

A larger limit considers everything that a smaller one considers, so the volume never grows with the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush, nsmallest
from itertools import accumulate
from operator import add, sub

from tercast.encoding.budgeted_search import passing_over
from tercast.encoding.cell_node import Cell
from tercast.encoding.refinement_tree import Refinement

CHOICE = 256
"""Largest limit for dynamic programming (quadratic time); above it, selection is greedy."""

PASSING = 16
"""Largest limit for the budgeted search, whose time is quadratic too, with a larger factor."""

LOOKAHEAD = 2
"""Number of cells to which refinement continues before selection, in multiples of the limit."""


def chosen(refinement: Refinement, limit: int) -> list[Cell]:
    """The cells with the least total volume within the limit, in text order.

    The volume never grows with the limit. It is never more than the volume of plain best-first splitting.
    """
    if limit > CHOICE:
        return _of_many(refinement, limit)
    refinement.explore(LOOKAHEAD * limit)
    root, order = refinement.root, refinement.order
    if root.left is None or limit == 1:
        return [root]
    _weigh(order, limit)
    cells = _within(root)
    return _compared(refinement, limit, cells) if refinement.heap else cells


def _compared(refinement: Refinement, limit: int, cells: list[Cell]) -> list[Cell]:
    """Return `cells`, or the result of the budgeted search if that has less volume."""
    refinement.rest()
    found = _volume(cells)
    most = min(limit, PASSING)
    gains = list(accumulate(-excess for excess, _, _ in nsmallest(most, refinement.heap)))
    # The largest number first: its result usually excludes that fewer cells are better.
    for budgets in (range(most, most + 1), range(2, most)):
        if refinement.exact:
            budgets = _open(budgets, refinement.root.least, gains, found)
        better = passing_over(refinement, budgets, found) if budgets else None
        if better:
            cells, found = better, _volume(better)
        if not budgets:
            break
    return cells


def _weigh(order: Sequence[Cell], limit: int) -> None:
    """Compute `least` of all cells in `order`, parents first, from the values of their halves."""
    for cell in reversed(order):
        left, right = cell.left, cell.right
        if left is None:
            continue
        if left.left is None:
            if right.left is None:
                cell.least = [cell.volume, left.volume + right.volume]
            else:
                alone = left.volume
                cell.least = [cell.volume, *[x + alone for x in right.least[: limit - 1]]]
        elif right.left is None:
            alone = right.volume
            cell.least = [cell.volume, *[x + alone for x in left.least[: limit - 1]]]
        else:
            cell.least = _combined(cell.volume, left.least, right.least, limit)


def _open(budgets: range, least: Sequence[int], gains: Sequence[int], found: int) -> range:
    """The numbers of cells that could reach less than `found` with cells below the last ones.

    Each last cell that is split uses at least one cell of the others, and gains at most its excess. `gains`
    are the sums for the 1, 2, ... worst cells. If a number of cells could be better, larger numbers could
    too.
    """
    have = list(accumulate(least, min))
    have += have[-1:] * (budgets.stop - len(have))
    first = budgets.stop
    while first > budgets.start and any(map(found.__gt__, map(sub, have[first - 3 :: -1], gains))):
        first -= 1
    return range(first, budgets.stop)


def _combined(own: int, left: list[int], right: list[int], limit: int) -> list[int]:
    """The least volume of a cell with 1, 2, ... cells, from its halves; `own` is its own volume."""
    ls, rs = len(left), len(right)
    backwards = right[::-1]
    out = [own]
    for count in range(2, min(limit, ls + rs) + 1):
        low = count - rs if count > rs else 1
        high = ls if ls < count else count - 1
        shift = rs - count
        out.append(min(map(add, left[low - 1 : high], backwards[shift + low : shift + high + 1])))
    return out


def _within(root: Cell) -> list[Cell]:
    """The cells that form the root's least volume."""
    out = []
    stack = [(root, root.least.index(min(root.least)) + 1)]
    while stack:
        cell, count = stack.pop()
        if count == 1:
            out.append(cell)
            continue
        left, right = cell.left, cell.right
        assert left is not None
        leftward = _leftward(_least(left), _least(right), count, cell.least[count - 1])
        stack.append((right, count - leftward))
        stack.append((left, leftward))
    return out


def _leftward(left: list[int], right: list[int], count: int, least: int) -> int:
    """The number of `count` cells for the left half, so that both have the `least` volume."""
    low, high = max(1, count - len(right)), min(len(left), count - 1)
    return next(i for i in range(low, high + 1) if left[i - 1] + right[count - i - 1] == least)


def _least(cell: Cell) -> list[int]:
    return [cell.volume] if cell.left is None else cell.least


def _of_many(refinement: Refinement, limit: int) -> list[Cell]:
    """Select greedily from 512, 1,024, ... cells, so that no limit is worse than a smaller one."""
    best = chosen(refinement, CHOICE)
    rung = CHOICE
    while rung < limit:
        rung *= 2
        refinement.explore(LOOKAHEAD * rung)
        if refinement.heap or rung >= limit:
            best = min(best, _cut_back(refinement.root, refinement.order, min(rung, limit)), key=_volume)
    return min(best, _cut_back(refinement.root, refinement.order[: limit - 1], limit), key=_volume)


def _volume(cells: Sequence[Cell]) -> int:
    return sum([cell.volume for cell in cells])


def _cut_back(root: Cell, order: Sequence[Cell], limit: int) -> list[Cell]:
    """Join the halves that gain least until the limit is met and all gain; return the cells."""
    split = {cell for cell in order if cell.left is not None}
    parents = {half: cell for cell in split for half in (cell.left, cell.right)}

    def ready(cell: Cell) -> bool:
        return cell.left not in split and cell.right not in split

    heap = [(_gain(cell), i, cell) for i, cell in enumerate(order) if cell in split and ready(cell)]
    heapify(heap)
    count = 1 + len(split)
    while heap and (count > limit or heap[0][0] == 0):
        cell = heappop(heap)[2]
        split.discard(cell)
        count -= 1
        parent = parents.get(cell)
        if parent is not None and ready(parent):
            heappush(heap, (_gain(parent), -count, parent))
    out = []
    stack = [root]
    while stack:
        cell = stack.pop()
        if cell in split:
            assert cell.left is not None
            stack += (cell.right, cell.left)
        else:
            out.append(cell)
    return out


def _gain(cell: Cell) -> int:
    """The volume that is in neither half."""
    assert cell.left is not None
    return cell.volume - cell.left.volume - cell.right.volume
