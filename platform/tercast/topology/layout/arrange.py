"""The first layout of a topology, and places for switches that are added later."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from tercast.topology.layout.incremental import LEAST, MapPosition, beside
from tercast.topology.layout.stress_majorization import LINK, Coordinates, shape, spread

EndPairs = Collection[tuple[str, str]]
MapPositions = dict[str, MapPosition]

_ENOUGH = 0.8
"""A layout is a map if at least this share of the switches have coordinates."""


@dataclass(frozen=True, slots=True)
class Geography:
    """Conversion from degrees to positions: Mercator in `scale` units a radian, then moved."""

    scale: float
    x: float
    y: float

    def place(self, latitude: float, longitude: float) -> MapPosition:
        """Return the position of a point on the globe."""
        east, south = _mercator(latitude, longitude)
        return east * self.scale + self.x, south * self.scale + self.y


@dataclass(frozen=True, slots=True)
class Arranged:
    """Positions by name; `geography` is set if they are those of a map."""

    places: MapPositions
    geography: Geography | None


def arrange(
    names: Sequence[str], links: EndPairs, coordinates: Mapping[str, tuple[float, float]]
) -> Arranged:
    """Compute positions for `names`: a map if most have coordinates, else a layout by links.

    Args:
        names: the switches.
        links: pairs of switches.
        coordinates: latitude and longitude in degrees of the switches that have them.
    """
    known = {name: coordinates[name] for name in names if name in coordinates}
    if names and len(known) >= _ENOUGH * len(names) and len(set(known.values())) > 1:
        geography = _geography(known, links)
        flat = [geography.place(*known[name]) for name in known]
        places = dict(zip(known, _points(spread(np.array(flat), LEAST)), strict=True))
        return Arranged(place_new(names, links, places, {}, None), geography)
    return Arranged(_packed(_components(names, links), links), None)


def place_new(
    names: Sequence[str],
    links: EndPairs,
    places: Mapping[str, MapPosition],
    coordinates: Mapping[str, tuple[float, float]],
    geography: Geography | None,
) -> MapPositions:
    """Return `places` unchanged, with places added for those of `names` that have none."""
    out = dict(places)
    for name in names:
        if name not in out and name in coordinates and geography is not None:
            out[name] = _free(geography.place(*coordinates[name]), out.values())
    neighbours = _neighbours(names, links)
    waiting = [name for name in names if name not in out and any(other in out for other in neighbours[name])]
    for name in waiting:  # grows
        if name not in out:
            near = [out[other] for other in neighbours[name] if other in out]
            out[name] = beside(near, out.values())
            waiting += [other for other in neighbours[name] if other not in out]
    rest = [name for name in names if name not in out]
    if rest:
        apart = _packed(_components(rest, links), links)
        out |= _moved(apart, out.values())
    return out


def _geography(known: Mapping[str, tuple[float, float]], links: EndPairs) -> Geography:
    """Choose the scale at which the median link has the length `LINK`; centre at the origin."""
    flat = {name: _mercator(*at) for name, at in known.items()}
    lengths = [math.dist(flat[a], flat[b]) for a, b in links if a in flat and b in flat]
    lengths = [length for length in lengths if length > 1e-9]
    span = max(math.dist(a, b) for a in flat.values() for b in list(flat.values())[:1]) or 1.0
    scale = LINK / median(lengths) if lengths else LINK * math.sqrt(len(flat)) / span
    scale = min(scale, LINK * 4 * math.sqrt(len(flat)) / span)
    east = sum(at[0] for at in flat.values()) / len(flat)
    south = sum(at[1] for at in flat.values()) / len(flat)
    return Geography(scale, -east * scale, -south * scale)


def _mercator(latitude: float, longitude: float) -> MapPosition:
    """Convert to radians to the east and to the south; latitudes are cut off at 85 degrees."""
    north = math.radians(min(max(latitude, -85.0), 85.0))
    return math.radians(longitude), -math.asinh(math.tan(north))


def _free(place: MapPosition, others: Collection[MapPosition]) -> MapPosition:
    """Return the place itself, or a place next to it if another switch is too close."""
    if all(math.dist(place, other) >= LEAST for other in others):
        return place
    return beside([place], others)


def _neighbours(names: Iterable[str], links: EndPairs) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in names}
    for a, b in links:
        if a in found and b in found and a != b:
            found[a].append(b)
            found[b].append(a)
    return found


def _components(names: Sequence[str], links: EndPairs) -> list[list[str]]:
    """Find the connected parts, the largest first."""
    neighbours = _neighbours(names, links)
    parts, seen = [], set[str]()
    for name in names:
        if name in seen:
            continue
        part = [name]
        seen.add(name)
        for one in part:  # grows
            fresh = [other for other in dict.fromkeys(neighbours[one]) if other not in seen]
            seen.update(fresh)
            part += fresh
        parts.append(part)
    return sorted(parts, key=len, reverse=True)


def _packed(parts: Sequence[Sequence[str]], links: EndPairs) -> MapPositions:
    """Place each part in its own shape, in rows, such that width and height are similar."""
    shapes = [_shaped(part, links) for part in parts]
    sizes = [points.max(axis=0) - points.min(axis=0) + 1.5 * LINK for points in shapes]
    width = max(math.sqrt(sum(float(size[0] * size[1]) for size in sizes)) * 1.3, *(s[0] for s in sizes), 0.0)
    out: MapPositions = {}
    left = top = row = 0.0
    for part, points, size in zip(parts, shapes, sizes, strict=True):
        if left and left + size[0] > width:
            left, top, row = 0.0, top + row, 0.0
        corner = np.array([left, top])
        out |= zip(part, _points(points - points.min(axis=0) + corner), strict=True)
        left, row = left + float(size[0]), max(row, float(size[1]))
    return out


def _shaped(part: Sequence[str], links: EndPairs) -> Coordinates:
    numbers = {name: n for n, name in enumerate(part)}
    neighbours = _neighbours(part, links)
    return spread(shape([[numbers[other] for other in neighbours[name]] for name in part]), LEAST)


def _moved(places: MapPositions, others: Collection[MapPosition]) -> MapPositions:
    """Move places to the right of the others."""
    if not others:
        return places
    right = max(x for x, _ in others) + 1.5 * LINK
    top = min(y for _, y in others)
    return {name: (x + right, y + top) for name, (x, y) in places.items()}


def _points(points: Coordinates) -> list[MapPosition]:
    return [(float(x), float(y)) for x, y in points]
