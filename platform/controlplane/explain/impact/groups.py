"""Groups of active announcements with equal dz sets, so that each set is checked once."""

import time
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from tercast.eventspace.dz import DzSet, set_overlaps
from tercast.requests.registry import Registration

CellGroup = tuple[DzSet, Any]


class Deadline:
    """Limit for the time of a search. `passed` is true once the search has stopped for it."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._calls = 0
        self.passed = False

    def over(self) -> bool:
        """Whether the time is over. Only one of 256 calls reads the clock."""
        self._calls += 1
        if self._calls % 256 == 0 and time.monotonic() > self._end:
            self.passed = True
        return self.passed


def grouped(rows: Iterable[tuple[Registration, Hashable]]) -> dict[CellGroup, list[Registration]]:
    """Group registrations by their dz set and the given second key."""
    groups: dict[CellGroup, list[Registration]] = {}
    for one, beside in rows:
        groups.setdefault((one.dz, beside), []).append(one)
    return groups


def meeting(groups: Iterable[CellGroup], cells: Iterable[DzSet], deadline: Deadline) -> Iterator[CellGroup]:
    """Yield the groups whose dz set overlaps one of the sets, until the deadline."""
    sets = list(dict.fromkeys(cells))
    for group in groups:
        if deadline.over():
            return
        if any(set_overlaps(group[0], one) for one in sets):
            yield group
