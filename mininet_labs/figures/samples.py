"""Samples of a figure: the values of all seeds at each point, and statistics of them.

The *spread* at a point is the standard deviation over the seeds. A difference is beyond the spread if it is
larger than the spread at both points.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import Any

Row = dict[str, Any]
"""One measurement: `seed`, `x`, `series`, and measured values by name."""


def points(rows: Iterable[Row], value: str, series: str) -> dict[float, list[float]]:
    """Return the values of a series; the last row of a seed and x counts."""
    last: dict[tuple[float, int], float] = {}
    for row in rows:
        if row["series"] == series and row.get(value) is not None:
            last[row["x"], row["seed"]] = float(row[value])
    found: defaultdict[float, list[float]] = defaultdict(list)
    for (x, _), number in sorted(last.items()):
        found[x].append(number)
    return dict(found)


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation over the seeds; 0 for one seed."""
    return stdev(values) if len(values) > 1 else 0.0


def is_beyond_spread(lower: Sequence[float], higher: Sequence[float]) -> bool:
    """Whether the mean of `higher` is above that of `lower` by more than both spreads."""
    return fmean(higher) - fmean(lower) > max(spread(lower), spread(higher))


def ratio(over: float, under: float) -> float:
    """Return the ratio of two values; 1 if both are 0, infinite if only the second is."""
    return over / under if under else (1.0 if not over else float("inf"))


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Spearman's rank correlation; ties share their mean rank; 0 without variance."""
    a, b = _ranks(first), _ranks(second)
    mean_a, mean_b = fmean(a), fmean(b)
    top = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    norm = (sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)) ** 0.5
    return top / norm if norm else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    return [order.index(value) + (order.count(value) - 1) / 2 for value in values]
