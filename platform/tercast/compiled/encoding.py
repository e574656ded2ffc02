"""Compiled: filters that are one box on an even grid, from text or ranges to dz; all else answers None."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from tercast.compiled.cells import Grid, Ints
from tercast.compiled.choice import MAX_LIMIT, MAX_WIDTH, refine_box
from tercast.compiled.conjunction import Names, Text, read_ranges
from tercast.dz import DzSet
from tercast.filter_quick import NAME

if TYPE_CHECKING:
    from tercast.eventspace import Topic
    from tercast.region import Side
    from tercast.schedule import Schedule

_LARGEST = 1 << 55


class BoxEncoder:
    """Encodes the boxes of one topic on one grid; results are those of `tercast.encoder`."""

    __slots__ = ("_grid", "_names", "_out", "_plan", "_room", "_sides")

    def __init__(self, topic: Topic, schedule: Schedule) -> None:
        self._grid = Grid(
            np.array(schedule.owner, np.int64),
            np.array(schedule.place, np.int64),
            np.array(schedule.below, np.int64),
            schedule.width,
        )
        self._names = _names(topic)
        self._plan = _plan(topic, schedule)

    @staticmethod
    def serves(schedule: Schedule) -> bool:
        """Whether boxes on this grid can be encoded here."""
        return schedule.all_even and 0 < schedule.width <= MAX_WIDTH

    def of_text(self, text: str, limit: int) -> DzSet | None:
        """The dz set of a filter's text; None where it is not for here, or wrong."""
        if limit > MAX_LIMIT or not text.isascii():
            return None
        out = np.empty(limit, np.int64)
        found = _encode_text(
            np.frombuffer(text.encode(), np.uint8), self._names, self._plan, self._grid, limit, out
        )
        return tuple(out[:found].tolist()) if found > 0 else None

    def of_sides(self, low: int, high: int, sides: tuple[Side, ...], limit: int) -> DzSet | None:
        """The dz set of a box as `tercast.boxes.box_of` gives it."""
        if limit > MAX_LIMIT:
            return None
        out = np.empty(limit, np.int64)
        found = refine_box(self._grid, low, high, np.array(sides, np.int64).T.copy(), limit, out)
        return tuple(out[:found].tolist()) if found > 0 else None


def _names(topic: Topic) -> Names:
    """The names and domains of attributes; those that are not for here have an empty domain."""
    good = [_is_plain(attribute) for attribute in topic.attributes]
    names = [a.name.encode() if fine else b"" for a, fine in zip(topic.attributes, good, strict=True)]
    starts = np.cumsum([0, *map(len, names)])
    rows = zip(topic.attributes, good, strict=True)
    domains = [(a.domain[0], a.domain[1] - 1) if fine else (1, 0) for a, fine in rows]
    low, high = np.array(domains, np.int64).reshape(-1, 2).T.copy()
    return Names(np.frombuffer(b"".join(names), np.uint8), starts.astype(np.int64), low, high)


def _is_plain(attribute: Any) -> bool:
    if attribute.kind != "int" or not re.fullmatch(NAME, attribute.name):
        return False
    low, high = attribute.domain
    return bool(low > -_LARGEST and high < _LARGEST)


def _plan(topic: Topic, schedule: Schedule) -> Ints:
    """For each indexed attribute: its position, what its domain begins with, its shift, its last code."""
    rows = []
    for a, position in enumerate(topic.indexed_positions):
        attribute, halving = topic.attributes[position], schedule.halvings[a]
        start = attribute.domain[0] if _is_plain(attribute) else 0
        rows.append((position, start, halving.shift, (1 << halving.bits) - 1))
    return np.array(rows, np.int64)


@njit(cache=True)
def _encode_text(text: Text, names: Names, plan: Ints, grid: Grid, limit: int, out: Ints) -> int:
    """Write the dz of a filter's text to `out`; their number, or 0 or less where it is not for here."""
    low = np.empty(names.low.size, np.int64)
    high = np.empty(names.low.size, np.int64)
    if not read_ranges(text, names, low, high):
        return 0
    sides = np.empty((2, plan.shape[0]), np.int64)
    for a in range(plan.shape[0]):
        position = plan[a, 0]
        if names.low[position] > names.high[position]:
            sides[0, a], sides[1, a] = 0, plan[a, 3]
        else:
            sides[0, a] = (low[position] - plan[a, 1]) >> plan[a, 2]
            sides[1, a] = (high[position] - plan[a, 1]) >> plan[a, 2]
    first = last = 0
    for bit in range(grid.width, 0, -1):
        a, place = grid.owner[bit], grid.place[bit]
        first |= ((sides[0, a] >> place) & 1) << (bit - 1)
        last |= ((sides[1, a] >> place) & 1) << (bit - 1)
    return refine_box(grid, first, last, sides, limit, out)
