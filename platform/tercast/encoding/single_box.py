"""Fast path of `tercast.encoding.refinement`: one range per attribute, and even sizes.

Even sizes are powers of two. The cells, their order and the result are those of `refine`.
"""

from __future__ import annotations

from tercast.encoding.cell_node import Cell
from tercast.encoding.cell_selection import chosen
from tercast.encoding.grid_boxes import Part
from tercast.encoding.refinement_tree import Refinement
from tercast.eventspace.interleaving import BitSchedule
from tercast.filters.filter import Filter


def box_of(filter_: Filter, schedule: BitSchedule) -> Part | None:
    """The filter as a single box on the schedule's grid; None if it is not a single box."""
    if len(filter_.terms) > 1 or not schedule.all_even:
        return None
    held = dict(filter_.terms[0])
    attributes = filter_.topic.attributes
    low = high = 0
    volume = 1
    sides = []
    for a, position in enumerate(filter_.topic.indexed_positions):
        intervals = held.get(position)
        if intervals is None:
            side = schedule.whole_sides[a]
            high |= schedule.masks[a]
        else:
            if len(intervals) > 1:
                return None
            first, last = attributes[position].cells(intervals[0])
            if first > last:
                return None
            shift = schedule.halvings[a].shift
            side = first, last = first >> shift, last >> shift
            tables = schedule.tables[a]
            if len(tables) == 1:
                low |= tables[0][first]
                high |= tables[0][last]
            else:
                low |= schedule.interleave(a, first)
                high |= schedule.interleave(a, last)
        sides.append(side)
        volume *= side[1] - side[0] + 1
    return low, high, volume, tuple(sides)


def refine_box(schedule: BitSchedule, box: Part, limit: int) -> list[Cell]:
    """Return what `refine` returns for this single part."""
    low, high, volume, _ = box
    rest = (low ^ high).bit_length()
    root = Cell(low, rest, 1 << rest, volume, (box,))
    root.parent = None
    return chosen(_Box(schedule, root), limit)


class _Box(Refinement):
    """The refinement of one box."""

    __slots__ = ("schedule",)

    def __init__(self, schedule: BitSchedule, root: Cell) -> None:
        super().__init__(root, True)
        self.schedule = schedule

    def split(self, cell: Cell) -> None:
        """Cut the cell's part of the box."""
        schedule = self.schedule
        low, high, volume, sides = cell.parts[0]
        bit = cell.rest
        a, place, below, mask = schedule.owner[bit], schedule.place[bit], schedule.below[bit], 1 << bit - 1
        first, last = sides[a]
        middle = last >> place << place
        before, after = sides[:a], sides[a + 1 :]
        unit = volume // (last - first + 1)

        volume = unit * (middle - first)
        top = high ^ mask | below
        rest = (low ^ top).bit_length()
        cell.left = left = Cell(
            low, rest, 1 << rest, volume, ((low, top, volume, (*before, (first, middle - 1), *after)),)
        )

        volume = unit * (last - middle + 1)
        bottom = (low | mask) & ~below
        rest = (bottom ^ high).bit_length()
        cell.right = right = Cell(
            bottom, rest, 1 << rest, volume, ((bottom, high, volume, (*before, (middle, last), *after)),)
        )
        left.parent = right.parent = cell
