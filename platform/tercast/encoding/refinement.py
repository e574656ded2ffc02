"""Best-first refinement: from the parts of a filter to at most so many cells with the least excess volume.

The papers encode a filter by halving the event space until cells lie inside it, and bound the number of dz
by leaving some cells whole. Here the order of halving is by excess, the volume of a cell that the filter
does not want, and every cell first shrinks to the smallest one that holds its part of the filter.
Refinement goes on past the limit, and the best way to stay within it is chosen on the tree of cells (see
`tercast.encoding.cell_selection`): of two halves that gain nothing, the whole remains,
and what that frees is spent where it
gains most.
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
"""How many cells it goes to where full cells may not be seen to be full at once."""

_MAX_WORK = 16_384  # parts that are cut in the search for something better than plain best-first
_MAX_DISJOINT = 24  # more parts than these are not made disjoint; their cell is refined as it is
_GIANTS = 8  # so many of the largest parts are looked at to drop what they cover
_UNIT = 1 << 30


def refine(schedule: BitSchedule, parts: Sequence[Part], limit: int) -> list[Cell]:
    """At most `limit` disjoint cells, in text order, that hold all of `parts`; exact where that is enough.

    Exact means: the cells are the canonical set of all full-length dz that meet the parts.
    """
    root = smallest(schedule, parts, len(parts) == 1, None)
    return chosen(_Parts(schedule, root, limit), limit)


class _Parts(Refinement):
    """The refinement of any number of parts.

    Where full cells may not be seen to be full at once (not `exact`), their halves are, and join them again;
    so there refinement goes on for a while, in case it ends by itself. Cells of hundreds of parts tire it:
    then it splits as often as plain best-first, and no more.
    """

    __slots__ = ("leaves", "limit", "schedule", "work")

    def __init__(self, schedule: BitSchedule, root: Cell, limit: int) -> None:
        super().__init__(root, root.disjoint and (len(root.parts) == 1 or not schedule.ragged))
        self.schedule = schedule
        self.limit = limit
        self.work = len(root.parts)
        self.leaves = 1

    def explore(self, most: int) -> None:
        """Split until there are `most` cells, or all are full; where that may show late, a while longer."""
        while self.heap and self._goes_on(most):
            cell = heappop(self.heap)[2]
            self.take(cell)
            self.leaves += 1
            self.leaves -= _collapsed(cell)

    def rest(self) -> None:
        """Begin another search: what the last one cost counts no more."""
        self.tired, self.work = False, 0

    def _goes_on(self, most: int) -> bool:
        if self.tired:
            return self.leaves < most and len(self.order) < self.limit - 1
        return self.leaves < (most if self.exact else max(most, UNSURE))

    def split(self, cell: Cell) -> None:
        """Cut the cell's parts, and see to it that halves know which of theirs do not overlap."""
        self.work += len(cell.parts)
        self.tired = self.work >= _MAX_WORK
        halves = [cut(self.schedule, part, cell.rest) for part in cell.parts]
        cell.left = smallest(self.schedule, [low for low, _ in halves if low], cell.disjoint, cell)
        cell.right = smallest(self.schedule, [high for _, high in halves if high], cell.disjoint, cell)
        cell.parts = ()


def _collapsed(cell: Cell | None) -> int:
    """Join halves that turned out to fill their cell, upwards; the number of joins."""
    joins = 0
    while cell is not None and _is_full(cell):
        cell.left = None
        cell.met = cell.volume
        cell = cell.parent
        joins += 1
    return joins


def _is_full(cell: Cell) -> bool:
    """Whether both halves are full, and so the cell."""
    left, right = cell.left, cell.right
    if left is None or left.met < left.volume or right.met < right.volume:
        return False
    return left.volume + right.volume == cell.volume


def smallest(schedule: BitSchedule, parts: Sequence[Part], distinct: bool, parent: Cell | None) -> Cell:
    """The smallest cell that holds the parts; `distinct`: they are known not to overlap."""
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
    """The cell where the limit cuts the dz: all of it is wanted, since something of it is."""
    while schedule.length(rest, codes) > schedule.depth:
        rest += 1
    volume = schedule.volume(rest, codes)
    return Cell(code, rest, volume, volume, (), codes=codes)


def _rounded(schedule: BitSchedule, parts: Sequence[Part], rest: int, codes: Sequence[int]) -> Sequence[Part]:
    """The parts rounded to where the limit cuts the dz of this cell; `parts` itself when that changes
    nothing.

    A dz of full length that meets the filter is wanted whole, so the coarsest rounding that is right for all
    of them counts: that of the deepest.
    """
    free = schedule.width - schedule.deepest(rest, codes)
    coarse = [rounded(schedule, part, free) for part in parts]
    return parts if all(new is old for new, old in zip(coarse, parts, strict=True)) else coarse


def _made_disjoint(schedule: BitSchedule, parts: Sequence[Part]) -> tuple[Sequence[Part], bool]:
    """Parts of the same union, and whether they do not overlap: they may be too many for that."""
    parts = uncovered(parts, _GIANTS)
    if len(parts) > _MAX_DISJOINT:
        return parts, False
    distinct = disjoint(schedule, parts, 4 * _MAX_DISJOINT)
    return (parts, False) if distinct is None else (distinct, True)


def _estimate(volumes: Sequence[int], cell: int) -> int:
    """What parts of these volumes take of a cell, as if they lay at random; all of it only when one does."""
    if max(volumes) == cell:
        return cell
    missed = math.prod([1 - volume / cell for volume in volumes])
    return min(cell - (cell * int(missed * _UNIT) // _UNIT), cell - 1)
