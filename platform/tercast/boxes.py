"""The fast way of `tercast.refine` for the commonest filters: one range for each attribute, all sizes even.

Even sizes are powers of two. The cells, their order and the result are those of `refine`.
"""

from __future__ import annotations

from heapq import heappop, heappush

from tercast.cell import Cell
from tercast.choice import chosen
from tercast.filters import Filter
from tercast.refine import LOOKAHEAD
from tercast.region import Part
from tercast.schedule import Schedule


def box_of(filter_: Filter, schedule: Schedule) -> Part | None:
    """The filter as a single box on the schedule's grid; None when it is none."""
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


def refine_box(schedule: Schedule, box: Part, limit: int) -> list[Cell]:
    """What `refine` makes of this one part."""
    low, high, volume, _ = box
    rest = (low ^ high).bit_length()
    root = Cell(low, rest, 1 << rest, volume, (box,))
    return chosen(root, _explored(schedule, root, LOOKAHEAD * limit), limit)


def _explored(schedule: Schedule, root: Cell, most: int) -> list[Cell]:
    owner, places, belows = schedule.owner, schedule.place, schedule.below
    heap = [(root.met - root.volume, 0, root)]
    order: list[Cell] = []
    count = 0
    while len(order) < most - 1 and heap:
        excess, _, cell = heappop(heap)
        if not excess:
            break
        order.append(cell)
        low, high, volume, sides = cell.parts[0]
        bit = cell.rest
        a, place, below, mask = owner[bit], places[bit], belows[bit], 1 << bit - 1
        first, last = sides[a]
        middle = last >> place << place
        before, after = sides[:a], sides[a + 1 :]
        unit = volume // (last - first + 1)

        volume = unit * (middle - first)
        top = high ^ mask | below
        rest = (low ^ top).bit_length()
        size = 1 << rest
        part = low, top, volume, (*before, (first, middle - 1), *after)
        cell.left = Cell(low, rest, size, volume, (part,))
        heappush(heap, (volume - size, count, cell.left))

        volume = unit * (last - middle + 1)
        bottom = (low | mask) & ~below
        rest = (bottom ^ high).bit_length()
        size = 1 << rest
        part = bottom, high, volume, (*before, (middle, last), *after)
        cell.right = Cell(bottom, rest, size, volume, (part,))
        heappush(heap, (volume - size, count + 1, cell.right))
        count += 2
    return order
