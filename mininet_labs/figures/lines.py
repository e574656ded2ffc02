"""Lines of a diagram: for each series, the values of all seeds at each point."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from mininet_labs.figures.figure import Panel
from mininet_labs.figures.samples import Row

DIGITS = 6
"""Decimal places of coordinates."""


class Point(NamedTuple):
    """Values of one series at one place: the mean of x, and lowest, mean and highest y."""

    x: float
    low: float
    mean: float
    high: float


Lines = dict[str, list[Point]]


def panel_lines(panel: Panel, rows: Sequence[Row]) -> Lines:
    """Return the points of each series of a panel, in ascending order of x.

    Rows with `after` are later than the others at the same x.
    """
    found: dict[str, defaultdict[tuple[float, int], list[Row]]] = {}
    for row in rows:
        if row.get("group", "") == panel.group and row.get(panel.y) is not None:
            place = row["x"], row.get("after", 0)
            found.setdefault(row["series"], defaultdict(list))[place].append(row)
    return {
        series: sorted((_point(panel, places[at]) for at in sorted(places)), key=lambda point: point.x)
        for series, places in found.items()
    }


def _point(panel: Panel, rows: Sequence[Row]) -> Point:
    values = [float(row[panel.y]) for row in rows]
    across = fmean(float(row[panel.x]) for row in rows)
    return Point(*(round(value, DIGITS) for value in (across, min(values), fmean(values), max(values))))


def lines_json(lines: Lines) -> list[dict[str, Any]]:
    """Return lines as in a document; a point is a list of x, lowest, mean and highest y."""
    return [
        {"series": series, "points": [list(point) for point in points]} for series, points in lines.items()
    ]


def read_lines(panel: Mapping[str, Any]) -> Lines:
    """Read the lines of a panel of a document."""
    return {line["series"]: [Point(*point) for point in line["points"]] for line in panel["lines"]}
