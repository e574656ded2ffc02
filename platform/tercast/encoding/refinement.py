"""Best-first refinement of a filter to a limited number of cells with least excess volume.

The papers encode a filter by halving the event space until cells are inside the filter, and limit the number
of dz by leaving some cells whole. Here the order of halving is by excess: the volume of a cell outside the
filter. Every cell first shrinks to the smallest cell that contains its part of the filter. Refinement
continues beyond the limit, and the best selection within the limit is computed on the tree of cells (see
`tercast.encoding.cell_selection`). If two halves gain nothing, the whole cell remains, and the saved cell is
used where it gains most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from heapq import heappop

from tercast.encoding.cell_node import Cell
from tercast.encoding.cell_selection import chosen
from tercast.encoding.grid_boxes import Part, cut, disjoint, rounded, uncovered
from tercast.encoding.refinement_tree import Refinement
from tercast.eventspace.interleaving import BitSchedule

UNSURE = 512
"""Minimum cells for refinement if full cells may not be recognized immediately."""

MAX_WORK = 16_384  # maximum number of cut parts in the search for a better result than plain best-first
MAX_DISJOINT = 24  # maximum number of parts that become disjoint; otherwise they are refined as they are
GIANTS = 8  # number of the largest parts that are checked for covering other parts
_UNIT = 1 << 30


def refine(schedule: BitSchedule, parts: Sequence[Part], limit: int) -> list[Cell]:
    """Return at most `limit` disjoint cells, in text order, that contain all of `parts`.

    If the limit is large enough, the cells are the canonical set of all full-length dz that overlap the
    parts.
    """
    root = smallest(schedule, parts, len(parts) == 1, None)
    return chosen(Parts(schedule, root, limit, is_exact(schedule, root)), limit)


class Parts(Refinement):
    """The refinement of any number of parts.

    If full cells may not be recognized immediately (not `exact`), their halves are, and join them again. So
    refinement then continues for a while, in case it ends without the limit. Cells with hundreds of parts
    make it `tired`: then it splits exactly as often as plain best-first.
    """

    __slots__ = ("leaves", "limit", "schedule", "work")

    def __init__(self, schedule: BitSchedule | None, root: Cell, limit: int, exact: bool) -> None:
        """Create the refinement; without a `schedule`, a subclass splits cells on several ones."""
        super().__init__(root, exact)
        self.schedule = schedule
        self.limit = limit
        self.work = len(root.parts)
        self.leaves = 1

    def explore(self, most: int) -> None:
        """Split until there are `most` cells or all are full; continue longer if not `exact`."""
        while self.heap and self._goes_on(most):
            cell = heappop(self.heap)[2]
            self.take(cell)
            self.leaves += 1
            self.leaves -= _collapsed(cell)

    def rest(self) -> None:
        """Start another search without the cost of the last one."""
        self.tired, self.work = False, 0

    def _goes_on(self, most: int) -> bool:
        if self.tired:
            return self.leaves < most and len(self.order) < self.limit - 1
        return self.leaves < (most if self.exact else max(most, UNSURE))

    def split(self, cell: Cell) -> None:
        """Cut the cell's parts."""
        assert self.schedule is not None
        cell.left, cell.right = self.halves(self.schedule, cell)

    def halves(self, schedule: BitSchedule, cell: Cell) -> tuple[Cell, Cell]:
        """Cut the cell's parts; halves inherit whether their parts are known to be disjoint."""
        self.work += len(cell.parts)
        self.tired = self.work >= MAX_WORK
        halves = [cut(schedule, part, cell.rest) for part in cell.parts]
        cell.parts = ()
        return (
            smallest(schedule, [low for low, _ in halves if low], cell.disjoint, cell),
            smallest(schedule, [high for _, high in halves if high], cell.disjoint, cell),
        )


def is_exact(schedule: BitSchedule, root: Cell) -> bool:
    """Whether the volume of the filter is known in the cell and in all cells below it."""
    return root.disjoint and (len(root.parts) == 1 or not schedule.ragged)


def _collapsed(cell: Cell | None) -> int:
    """Join halves that fill their cell, upwards; return the number of joins."""
    joins = 0
    while cell is not None and _is_full(cell):
        cell.left = None
        cell.met = cell.volume
        cell = cell.parent
        joins += 1
    return joins


def _is_full(cell: Cell) -> bool:
    """Whether both halves are full, so that the cell is full."""
    left, right = cell.left, cell.right
    if left is None or left.met < left.volume or right.met < right.volume:
        return False
    return left.volume + right.volume == cell.volume


def smallest(schedule: BitSchedule, parts: Sequence[Part], distinct: bool, parent: Cell | None) -> Cell:
    """The smallest cell that contains the parts; `distinct`: they are known to be disjoint."""
    code, high, _, sides = parts[0]
    differing = code ^ high
    for other in parts[1:]:
        differing |= code ^ other[0] | code ^ other[1]
    rest = differing.bit_length()
    codes = () if schedule.all_even else [side[0] for side in sides]
    if schedule.ragged:
        if schedule.length(rest, codes) >= schedule.depth:
            cell = _deepest(schedule, code, rest, codes)
            cell.disjoint, cell.parent, cell.tried = True, parent, 0
            return cell
        coarse = _rounded(schedule, parts, rest, codes)
        distinct = distinct and coarse is parts
        parts = coarse
    volume = schedule.volume(rest, codes)
    distinct = distinct or len(parts) == 1
    tried = len(parts)
    if not distinct:
        if parent is None or parent.disjoint or 2 * tried <= parent.tried:
            parts, distinct = _made_disjoint(schedule, parts)
        else:
            tried = parent.tried
    met = sum([part[2] for part in parts]) if distinct else _estimate([part[2] for part in parts], volume)
    cell = Cell(code, rest, volume, met, parts, codes=codes)
    cell.disjoint, cell.parent, cell.tried = distinct, parent, tried
    return cell


def _deepest(schedule: BitSchedule, code: int, rest: int, codes: Sequence[int]) -> Cell:
    """The cell at which the limit cuts the dz; it counts as full, because part of it is needed."""
    while schedule.length(rest, codes) > schedule.depth:
        rest += 1
    volume = schedule.volume(rest, codes)
    return Cell(code, rest, volume, volume, (), codes=codes)


def _rounded(schedule: BitSchedule, parts: Sequence[Part], rest: int, codes: Sequence[int]) -> Sequence[Part]:
    """Round the parts to the cells at which the limit cuts dz; return `parts` if unchanged.

    A full-length dz that overlaps the filter is needed completely. So the rounding must be correct for all dz
    in this cell: that of the deepest one.
    """
    free = schedule.width - schedule.deepest(rest, codes)
    coarse = [rounded(schedule, part, free) for part in parts]
    return parts if all(new is old for new, old in zip(coarse, parts, strict=True)) else coarse


def _made_disjoint(schedule: BitSchedule, parts: Sequence[Part]) -> tuple[Sequence[Part], bool]:
    """Parts with the same union, and whether they are disjoint, which fails for too many parts."""
    parts = uncovered(parts, GIANTS)
    if len(parts) > MAX_DISJOINT:
        return parts, False
    distinct = disjoint(schedule, parts, 4 * MAX_DISJOINT)
    return (parts, False) if distinct is None else (distinct, True)


def _estimate(volumes: Sequence[int], cell: int) -> int:
    """Estimated volume of parts at random positions; the whole cell only if one part fills it."""
    if max(volumes) == cell:
        return cell
    missed = math.prod([1 - volume / cell for volume in volumes])
    return min(cell - (cell * int(missed * _UNIT) // _UNIT), cell - 1)
