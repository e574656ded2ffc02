"""A place for a new switch near its neighbours; other switches do not move."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tercast.topology.layout.stress_majorization import LINK

MapPosition = tuple[float, float]

LEAST = 40.0
"""The smallest distance between switches, if there is enough space."""

_TURNS = 16
_GOLDEN = 2.399963


def beside(neighbours: Sequence[MapPosition], others: Iterable[MapPosition]) -> MapPosition:
    """Find a place near the middle of `neighbours` with enough distance to `others`."""
    x = sum(point[0] for point in neighbours) / len(neighbours)
    y = sum(point[1] for point in neighbours) / len(neighbours)
    near = [point for point in others if math.dist(point, (x, y)) < 6 * LINK]
    best, room = (x, y), -1.0
    for candidate in _candidates(x, y, len(neighbours) > 1):
        found = min((math.dist(candidate, point) for point in near), default=math.inf)
        if found >= 0.8 * LINK:
            return candidate
        if found > room:
            best, room = candidate, found
    return best


def _candidates(x: float, y: float, middle: bool) -> Iterable[MapPosition]:
    """Yield the middle if there are several neighbours, then places around it, ring by ring."""
    if middle:
        yield x, y
    for ring in (1.0, 1.5, 2.0, 3.0):
        for turn in range(_TURNS):
            angle = turn * _GOLDEN
            yield x + ring * LINK * math.cos(angle), y + ring * LINK * math.sin(angle)
