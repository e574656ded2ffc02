"""Best-first refinement that counts cells as in the result, and skips cells that do not fit.

In the result, halves that gain nothing are joined again and count as one cell. So splitting the worst cell
may cost nothing, or several cells: itself, and all cells that are no longer joined. If that is more than the
remaining cells, the worst cell that fits is split instead.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from tercast.encoding.cell_node import Cell
from tercast.encoding.refinement_tree import Refinement

STEPS = 32
"""Maximum number of splits, as a multiple of the number of cells."""

PURE = 2
"""Plain best-first splits before the search skips cells, as a multiple of the budget."""


def passing_over(refinement: Refinement, budgets: Sequence[int], found: int) -> list[Cell] | None:
    """Find the cells with the least volume for one of the numbers of cells in `budgets`.

    The cells are in text order. None if no number of cells has less volume than `found`.
    """
    walk = _Walk(refinement.root)
    best = None
    left = deque(budgets)
    for cell in refinement.order:
        cost = walk.cost(cell)
        while left and (walk.count + cost > left[0] or len(walk.split) >= PURE * left[0] - 1):
            ending = walk.ending(refinement, left.popleft(), found)
            if ending is not None:
                best, found = ending, ending.volume
        if not left:
            break
        walk.take(cell, cost)
    for budget in left:
        ending = walk.ending(refinement, budget, found)
        if ending is not None:
            best, found = ending, ending.volume
    return best.cells(refinement.root) if best else None


class _Walk:
    """A path down a tree of cells: split cells, and joined ones, whose halves gain nothing.

    `joined` includes cells whose halves gain nothing because of further splits below. `count` and `volume`
    are those of the remaining cells after joining.
    """

    __slots__ = ("count", "joined", "split", "volume")

    def __init__(self, root: Cell) -> None:
        self.count = 1
        self.volume = root.volume
        self.split: dict[Cell, None] = {}
        self.joined: set[Cell] = set()

    def cost(self, cell: Cell) -> int:
        """The number of additional cells after a split of the cell."""
        assert cell.left is not None
        if cell.left.volume + cell.right.volume == cell.volume:
            return 0
        cost = 1
        above = cell.parent
        while above in self.joined:
            cost += 1
            above = above.parent
        return cost

    def take(self, cell: Cell, cost: int) -> None:
        """Split the cell and continue with its halves."""
        self.split[cell] = None
        if not cost:
            self.joined.add(cell)
            return
        assert cell.left is not None
        self.count += cost
        self.volume += cell.left.volume + cell.right.volume - cell.volume
        above = cell.parent
        while above in self.joined:
            self.joined.remove(above)
            above = above.parent

    def ending(self, refinement: Refinement, budget: int, found: int) -> _Walk | None:
        """Continue until `budget` cells are used; None if the volume is not below `found`."""
        if self.count == budget:
            return self if self.volume < found else None
        worst = self._worst_below(refinement.root)
        if not worst or self.volume + (budget - self.count) * worst[0][0] >= found:
            return self if self.volume < found else None
        twin = _Walk.__new__(_Walk)
        twin.count, twin.volume = self.count, self.volume
        twin.split, twin.joined = self.split.copy(), self.joined.copy()
        twin._finish(refinement, worst, budget, found)
        return twin if twin.volume < found else None

    def _worst_below(self, root: Cell) -> list[tuple[int, int, Cell]]:
        """The heap of all cells that are not full and can be split next."""
        heap = []
        for i, cell in enumerate(self.split or (root,)):
            for half in (cell.left, cell.right) if self.split else (root,):
                assert half is not None
                if half not in self.split and half.met < half.volume:
                    heap.append((half.met - half.volume, 2 * i + (half is cell.right), half))
        heapify(heap)
        return heap

    def _finish(
        self, refinement: Refinement, heap: list[tuple[int, int, Cell]], budget: int, found: int
    ) -> None:
        """Split the worst cells that fit the budget, while a volume below `found` is possible."""
        passed: list[tuple[int, int, Cell]] = []
        number = 2 * len(self.split)
        while heap and self.count < budget and number < 2 * STEPS * budget:
            item = heappop(heap)
            cell = item[2]
            left = budget - self.count
            if self.volume + left * (passed or [item])[0][0] >= found:
                return
            if not self._can_fit(cell, left):
                continue
            if cell.left is None:
                if refinement.tired:
                    return
                refinement.split(cell)
            assert cell.left is not None
            cost = self.cost(cell)
            if self.count + cost > budget:
                passed.append(item)
                continue
            self.take(cell, cost)
            for half in (cell.left, cell.right):
                if half.met < half.volume:
                    heappush(heap, (half.met - half.volume, number, half))
                number += 1
            if cost and passed:
                for item in passed:
                    heappush(heap, item)
                passed.clear()

    def _can_fit(self, cell: Cell, left: int) -> bool:
        """Whether cells at any depth below a cell can be reached with `left` additional cells.

        A split costs the cell itself and all cells above that are no longer joined. If cells in between are
        split first, the total is the same.
        """
        above = cell.parent
        while left and above in self.joined:
            left -= 1
            above = above.parent
        return left > 0

    def cells(self, root: Cell) -> list[Cell]:
        """The remaining cells, in text order."""
        out = []
        stack = [root]
        while stack:
            cell = stack.pop()
            if cell in self.split and cell not in self.joined:
                assert cell.left is not None
                stack += (cell.right, cell.left)
            else:
                out.append(cell)
        return out
