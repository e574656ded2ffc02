"""Live announcements by what they hold: those with the same dz set are looked at once."""

import time
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from tercast.eventspace.dz import DzSet, set_overlaps
from tercast.requests.registry import Registration

Group = tuple[DzSet, Any]


class Deadline:
    """A time after which nothing more is looked at; `passed` then."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._calls = 0
        self.passed = False

    def over(self) -> bool:
        """Whether it has passed, looked at now and then."""
        self._calls += 1
        if self._calls % 256 == 0 and time.monotonic() > self._end:
            self.passed = True
        return self.passed


def grouped(rows: Iterable[tuple[Registration, Hashable]]) -> dict[Group, list[Registration]]:
    """Registrations by their dz set and what stands beside them."""
    groups: dict[Group, list[Registration]] = {}
    for one, beside in rows:
        groups.setdefault((one.dz, beside), []).append(one)
    return groups


def meeting(groups: Iterable[Group], cells: Iterable[DzSet], deadline: Deadline) -> Iterator[Group]:
    """The groups of which some dz overlaps one of the sets, until the deadline."""
    sets = list(dict.fromkeys(cells))
    for group in groups:
        if deadline.over():
            return
        if any(set_overlaps(group[0], one) for one in sets):
            yield group
