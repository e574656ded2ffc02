"""Encoding of a filter as a dz set: the canonical cells that contain every matching event."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction

from tercast.encoding.cell_node import dz_of
from tercast.encoding.cut_refinement import dz_in_cuts, refine_in_cuts, share_in_cuts
from tercast.encoding.dispatch import dz_of_box, dz_of_parts, dz_of_terms
from tercast.encoding.grid_boxes import Side, make_part, side_of
from tercast.encoding.refinement import refine
from tercast.encoding.single_box import box_of, refine_box
from tercast.eventspace.cut_space import CutSpace
from tercast.eventspace.dz import DzSet
from tercast.eventspace.interleaving import BitSchedule
from tercast.filters.filter import Filter
from tercast.filters.place_terms import place_terms
from tercast.filters.volume import filter_volume
from tercast.runtime.strict_json import expect_integer

MAX_LIMIT = (1 << 31) - 1
"""Largest limit for the number of cells of one filter."""

MAX_CELLS = 1 << 18
"""Maximum number of cells of any filter, regardless of its limit."""

_LARGEST = Fraction(sys.float_info.max)


@dataclass(frozen=True, slots=True)
class EncodedFilter:
    """A filter's dz set, and its excess volume as a share of the filter's own volume.

    See `filter_volume` for volumes. The excess is at least 0 and finite: a share beyond the largest double
    becomes the largest double. `volume` is the filter's own share of the event space, `covered` is that of
    the dz set. Both are 0 below the smallest double.
    If `volume_error` is 0, `volume` and `excess` are exact. Otherwise they are estimates, and `volume_error`
    is half the width of the 95 % confidence interval of `volume`, as a share of `volume`. `volume` is never
    larger than `covered`.
    """

    dz: DzSet
    excess: float
    volume: float
    covered: float
    volume_error: float = 0.0

    @property
    def excess_error(self) -> float:
        """Half the width of the 95 % confidence interval of `excess`; 0 if it is exact.

        It is the first-order approximation for a small `volume_error`.
        """
        return self.volume_error * (1 + self.excess)


def encode(filter_: Filter, depth: int, limit: int) -> EncodedFilter:
    """Encode a filter as at most `limit` cells of at most `depth` bits.

    If `limit` is large enough, the set is the canonical set of all full-length cells that overlap the filter.
    Otherwise it is a superset of it (see `tercast.encoding.refinement`).
    """
    volume = filter_volume(filter_)
    if filter_.topic.cuts:
        dz, covered = _cells_in_cuts(filter_, filter_.topic.cut_space(depth), _checked(limit), shares=True)
    else:
        schedule = filter_.topic.schedule(depth)
        dz, taken = _cells(filter_, schedule, limit)
        covered = Fraction(taken, schedule.volume(schedule.width, [0] * len(schedule.halvings)))
    share = min(volume.share, covered) if volume.error or filter_.topic.cuts else volume.share
    # A cell that holds a single value of a continuous attribute has no volume.
    excess = min(max(covered / share - 1, Fraction(0)), _LARGEST) if share else Fraction(0)
    return EncodedFilter(dz, float(excess), float(share), float(covered), volume.error)


def encode_dz(filter_: Filter, depth: int, limit: int) -> DzSet:
    """Return only the dz set of `encode`, which is faster."""
    topic = filter_.topic
    if topic.cuts:
        return _cells_in_cuts(filter_, topic.cut_space(depth), _checked(limit), shares=False)[0]
    return _cells(filter_, topic.schedule(depth), limit)[0]


def _cells_in_cuts(filter_: Filter, space: CutSpace, limit: int, shares: bool) -> tuple[DzSet, Fraction]:
    """The dz set in a space with cuts, and its share of the event space if `shares`."""
    terms = place_terms(filter_, space.attributes, space.positions)
    found = dz_of_terms(terms, space, limit, shares)
    if found is not None:
        return found
    cells = refine_in_cuts(space, terms, limit)
    return tuple(map(dz_in_cuts, cells)), sum(map(share_in_cuts, cells), Fraction(0))


def _cells(filter_: Filter, schedule: BitSchedule, limit: int) -> tuple[DzSet, int]:
    """The dz set, and its volume in units of the schedule."""
    limit = _checked(limit)
    box = box_of(filter_, schedule)
    if box is not None:
        dz = dz_of_box(box, filter_.topic, schedule, limit)
        if dz is not None:
            return dz, sum([1 << schedule.width + 1 - cell.bit_length() for cell in dz])
    sides = [box[3]] if box else _sides(filter_, schedule)
    found = dz_of_parts(sides, schedule, limit)
    if found is not None:
        return found
    if box is not None:
        cells = refine_box(schedule, box, limit)
    else:
        cells = refine(schedule, [make_part(schedule, each) for each in sides], limit)
    return tuple([dz_of(schedule, cell) for cell in cells]), sum([cell.volume for cell in cells])


def _checked(limit: int) -> int:
    """Return a valid limit, at most `MAX_CELLS`."""
    if type(limit) is not int or not 1 <= limit <= MAX_LIMIT:
        expect_integer(limit, ("max_dz_per_filter",), 1, MAX_LIMIT)
    return min(limit, MAX_CELLS)


def _sides(filter_: Filter, schedule: BitSchedule) -> list[tuple[Side, ...]]:
    """The sides of the filter's terms on the schedule's grid, by indexed attribute."""
    attributes = filter_.topic.attributes
    indexed = {position: a for a, position in enumerate(filter_.topic.indexed_positions)}
    parts = []
    for term in filter_.terms:
        sides: list[Side] = schedule.whole_sides.copy()  # type: ignore[assignment]
        for position, held in term:
            a = indexed.get(position)
            if a is not None:
                sides[a] = side_of(attributes[position], schedule.halvings[a], held)
        if all(sides):
            parts.append(tuple(sides))
    return parts
