"""Best-first refinement of a cell: always split the worst cell, with the most excess volume.

This order does not depend on the depth of refinement. A half is never worse than its cell.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from heapq import heappop, heappush

from tercast.encoding.cell_node import Cell


class Refinement(ABC):
    """A tree of cells below `root`.

    `order` are the split cells, parents first. `heap` are the last cells that are not full, the worst first.
    `exact`: the volume of the filter in each cell is known, not estimated. `tired`: the search for better
    results should stop.
    """

    __slots__ = ("count", "exact", "heap", "order", "root", "tired")

    tired: bool

    def __init__(self, root: Cell, exact: bool) -> None:
        self.root = root
        self.exact = exact
        self.order: list[Cell] = []
        self.heap = [(root.met - root.volume, 0, root)] if root.met < root.volume else []
        self.count = 1
        self.tired = False

    def rest(self) -> None:
        """Start another search without the cost of the last one."""
        self.tired = False

    @abstractmethod
    def split(self, cell: Cell) -> None:
        """Create the halves of a cell, each shrunk to its part of the filter."""

    def explore(self, most: int) -> None:
        """Split until there are `most` cells, or all are full."""
        heap, take = self.heap, self.take
        for _ in range(most - 1 - len(self.order)):
            if not heap:
                break
            take(heappop(heap)[2])

    def take(self, cell: Cell) -> None:
        """Split a cell that is no longer in the heap, and continue with its halves."""
        self.order.append(cell)
        if cell.left is None:
            self.split(cell)
        left, right = cell.left, cell.right
        assert left is not None
        count = self.count
        if left.met < left.volume:
            heappush(self.heap, (left.met - left.volume, count, left))
        if right.met < right.volume:
            heappush(self.heap, (right.met - right.volume, count + 1, right))
        self.count = count + 2
