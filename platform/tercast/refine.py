"""Best-first refinement: from the parts of a filter to at most so many cells with the least excess volume.

The papers encode a filter by halving the event space until cells lie inside it, and bound the number of dz
by leaving some cells whole. Here the order of halving is by excess, the volume of a cell that the filter
does not want, and every cell first shrinks to the smallest one that holds its part of the filter.
Refinement goes on past the limit, then the best way to stay within it is chosen on the tree of cells by
dynamic programming: of two halves that gain nothing, the whole remains, and what that frees is spent where
it gains most.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from tercast.dz import Dz
from tercast.region import Part, cut, disjoint, rounded
from tercast.schedule import Schedule

LOOKAHEAD = 2
"""How many times the limit refinement goes to before the choice."""

UNSURE = 512
"""How many cells it goes to at least where full cells may not be seen to be full at once."""

_MAX_DISJOINT = 64  # more parts than these are not made disjoint; their cell is refined as it is


class Cell:
    """A cell that holds some parts: the first `width - rest` bits of the interleaved `code`.

    `volume` is its own, `met` what the filter wants of it (an estimate where its parts are many and
    overlap, but less than `volume` unless the cell is known to be full). `codes` are the attributes' codes
    of one of its points. `least[n - 1]` is the least excess with n cells, `leftward[n - 1]` how many of
    them go left.
    """

    __slots__ = (
        "code",
        "codes",
        "disjoint",
        "least",
        "left",
        "leftward",
        "met",
        "parent",
        "parts",
        "rest",
        "right",
        "volume",
    )

    def __init__(
        self, schedule: Schedule, parts: Sequence[Part], distinct: bool, parent: Cell | None
    ) -> None:
        code, high, _, sides = parts[0]
        differing = code ^ high
        for other in parts[1:]:
            differing |= code ^ other[0] | code ^ other[1]
        self.rest = differing.bit_length()
        self.code = code
        self.codes = () if schedule.all_even else tuple([side[0] for side in sides])
        self.parts = parts
        self.disjoint = distinct
        self.parent = parent
        self.left: Cell | None = None
        self.right: Cell | None = None
        self.least: list[int] = []
        self.leftward: Sequence[int] = ()
        full = schedule.ragged and self._fit(schedule)
        self.volume = schedule.volume(self.rest, self.codes)
        if full:
            self.met = self.volume
        else:
            self.met = self.parts[0].volume if len(self.parts) == 1 else self._union(schedule)

    @property
    def excess(self) -> int:
        """The volume that the filter does not want."""
        return self.volume - self.met

    def split(self, schedule: Schedule) -> tuple[Cell, Cell]:
        """The two halves, each shrunk to what the filter wants of it."""
        halves = [cut(schedule, part, self.rest) for part in self.parts]
        self.left = Cell(schedule, [low for low, _ in halves if low], self.disjoint, self)
        self.right = Cell(schedule, [high for _, high in halves if high], self.disjoint, self)
        self.parts = ()
        return self.left, self.right

    def is_full(self) -> bool:
        """Whether both halves are full, and so the cell."""
        left, right = self.left, self.right
        if left is None or right is None or left.met < left.volume or right.met < right.volume:
            return False
        return left.volume + right.volume == self.volume

    def _fit(self, schedule: Schedule) -> bool:
        """Round the parts to where the limit cuts the dz in this cell; whether it cuts the cell itself.

        A dz of full length that meets the filter is wanted whole, so the coarsest rounding that is right for
        all of them counts: that of the deepest.
        """
        length = schedule.length(self.rest, self.codes)
        if length >= schedule.depth:
            while length > schedule.depth:
                self.rest += 1
                length = schedule.length(self.rest, self.codes)
            return True
        rest = schedule.width - schedule.deepest(self.rest, self.codes)
        parts = [rounded(schedule, part, rest) for part in self.parts]
        if any(new is not old for new, old in zip(parts, self.parts, strict=True)):
            self.parts = parts
            self.disjoint = len(parts) == 1
        return False

    def _union(self, schedule: Schedule) -> int:
        """The volume of the parts together; makes them disjoint where they are few enough."""
        if not self.disjoint and len(self.parts) <= _MAX_DISJOINT:
            parts = disjoint(schedule, self.parts, 4 * _MAX_DISJOINT)
            if parts is not None:
                self.parts, self.disjoint = parts, True
        total = sum(part.volume for part in self.parts)
        if self.disjoint or max(part.volume for part in self.parts) == self.volume:
            return min(total, self.volume)
        return min(total, self.volume - 1)


def refine(schedule: Schedule, parts: Sequence[Part], limit: int) -> list[Cell]:
    """At most `limit` disjoint cells, in text order, that hold all of `parts`; exact where that is enough.

    Exact means: the cells are the canonical set of all full-length dz that meet the parts.
    """
    root = Cell(schedule, parts, len(parts) == 1, None)
    return _chosen(root, _explored(schedule, root, limit), limit)


def _explored(schedule: Schedule, root: Cell, limit: int) -> list[Cell]:
    """The cells that were split, parents first; the worst is split until the limit is well passed."""
    goal = LOOKAHEAD * limit
    if not root.disjoint or (schedule.ragged and len(root.parts) > 1):
        goal = max(goal, UNSURE)
    heap: list[tuple[int, int, Cell]] = [(-root.excess, 0, root)] if root.excess else []
    order: list[Cell] = []
    leaves = 1
    while heap and leaves < goal:
        cell = heappop(heap)[2]
        order.append(cell)
        leaves += 1
        full = True
        for half in cell.split(schedule):
            excess = half.volume - half.met
            if excess:
                full = False
                heappush(heap, (-excess, len(order) * 2 + (half is cell.right), half))
        if full:
            leaves -= _collapsed(cell)
    return order


def _collapsed(cell: Cell | None) -> int:
    """Join halves that turned out to fill their cell, upwards; the number of joins."""
    joins = 0
    while cell is not None and cell.is_full():
        cell.left = cell.right = None
        cell.met = cell.volume
        cell = cell.parent
        joins += 1
    return joins


def _chosen(root: Cell, order: Sequence[Cell], limit: int) -> list[Cell]:
    """The cells of the explored tree that together have the least excess within the limit."""
    for cell in reversed(order):
        if cell.left is not None and cell.right is not None:
            cell.met = cell.left.met + cell.right.met
            _combine(cell, _least(cell.left), _least(cell.right), limit)
    least = _least(root)
    out = []
    stack = [(root, least.index(min(least)) + 1)]
    while stack:
        cell, count = stack.pop()
        if count == 1 or cell.left is None or cell.right is None:
            out.append(cell)
            continue
        leftward = cell.leftward[count - 1]
        stack.append((cell.right, count - leftward))
        stack.append((cell.left, leftward))
    return out


def _least(cell: Cell) -> list[int]:
    return cell.least if cell.left is not None else [cell.volume - cell.met]


def _combine(cell: Cell, left: list[int], right: list[int], limit: int) -> None:
    """The least excess of a cell with 1, 2, ... cells, from that of its halves."""
    most = min(limit, len(left) + len(right))
    own = cell.volume - cell.met
    if len(right) == 1:
        cell.least = [own, *(x + right[0] for x in left[: most - 1])]
        cell.leftward = range(most)
        return
    if len(left) == 1:
        cell.least = [own, *(left[0] + x for x in right[: most - 1])]
        cell.leftward = [1] * most
        return
    cell.least, leftward = [own], [0]
    for count in range(2, most + 1):
        low, high = max(1, count - len(right)), min(len(left), count - 1)
        sums = [left[i - 1] + right[count - i - 1] for i in range(low, high + 1)]
        best = min(sums)
        cell.least.append(best)
        leftward.append(low + sums.index(best))
    cell.leftward = leftward


def dz_of(schedule: Schedule, cell: Cell) -> Dz:
    """The dz of a cell."""
    if not schedule.phantoms:
        return 1 << schedule.width - cell.rest | cell.code >> cell.rest
    return schedule.dz(cell.code, cell.rest, cell.codes)
