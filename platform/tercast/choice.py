"""The choice among refined cells: at most so many of a tree of cells, with the least excess.

A cell can stand for all cells below it. Which do is found by dynamic programming from the last cells up: the
least excess that 1, 2, ... cells can have below each cell. For large limits, where that would take long, the
halves that gain least are joined one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from operator import add

from tercast.cell import Cell

CHOICE = 256
"""Up to which limit the choice is by dynamic programming, which takes its square; above, it is greedy."""


def chosen(root: Cell, order: Sequence[Cell], limit: int) -> list[Cell]:
    """The cells of the explored tree that together have the least excess within the limit, in text order."""
    for cell in reversed(order):
        if cell.left is not None:
            cell.met = cell.left.met + cell.right.met
    if limit > CHOICE:
        return _cut_back(root, order, limit)
    for cell in reversed(order):
        if cell.left is not None:
            own = cell.volume - cell.met
            cell.least = _combined(own, _least(cell.left), _least(cell.right), limit)
    return _within(root)


def _cut_back(root: Cell, order: Sequence[Cell], limit: int) -> list[Cell]:
    """The cells that are left when halves that gain least are joined, until the limit holds and all gain."""
    parents = {half: cell for cell in order if cell.left is not None for half in (cell.left, cell.right)}
    heap = [(_gain(cell), i, cell) for i, cell in enumerate(order) if _halves_are_last(cell)]
    heapify(heap)
    count = 1 + len(parents) // 2
    while heap and (count > limit or heap[0][0] == 0):
        cell = heappop(heap)[2]
        cell.left = None
        count -= 1
        parent = parents.get(cell)
        if parent is not None and _halves_are_last(parent):
            heappush(heap, (_gain(parent), -count, parent))
    out = []
    stack = [root]
    while stack:
        cell = stack.pop()
        if cell.left is None:
            out.append(cell)
        else:
            stack += (cell.right, cell.left)
    return out


def _halves_are_last(cell: Cell) -> bool:
    return cell.left is not None and cell.left.left is None and cell.right.left is None


def _gain(cell: Cell) -> int:
    """The volume that the two halves leave out."""
    assert cell.left is not None
    return cell.volume - cell.left.volume - cell.right.volume


def _within(root: Cell) -> list[Cell]:
    """The cells that make up the root's least excess."""
    least = _least(root)
    out = []
    stack = [(root, least.index(min(least)) + 1)]
    while stack:
        cell, count = stack.pop()
        if count == 1 or cell.left is None:
            out.append(cell)
            continue
        leftward = _leftward(_least(cell.left), _least(cell.right), count, cell.least[count - 1])
        stack.append((cell.right, count - leftward))
        stack.append((cell.left, leftward))
    return out


def _leftward(left: list[int], right: list[int], count: int, least: int) -> int:
    """How many of `count` cells go to the left half, so that both halves together have the `least` excess."""
    low, high = max(1, count - len(right)), min(len(left), count - 1)
    return next(i for i in range(low, high + 1) if left[i - 1] + right[count - i - 1] == least)


def _least(cell: Cell) -> list[int]:
    return [cell.volume - cell.met] if cell.left is None else cell.least


def _combined(own: int, left: list[int], right: list[int], limit: int) -> list[int]:
    """The least excess of a cell with 1, 2, ... cells, from that of its halves; `own` is that of one."""
    ls, rs = len(left), len(right)
    most = min(limit, ls + rs)
    if rs == 1:
        other = right[0]
        return [own, *[x + other for x in left[: most - 1]]]
    if ls == 1:
        other = left[0]
        return [own, *[x + other for x in right[: most - 1]]]
    backwards = right[::-1]
    out = [own]
    for count in range(2, most + 1):
        low = count - rs if count > rs else 1
        high = ls if ls < count else count - 1
        shift = rs - count
        out.append(min(map(add, left[low - 1 : high], backwards[shift + low : shift + high + 1])))
    return out
