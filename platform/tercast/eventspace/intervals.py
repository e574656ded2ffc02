"""Sets of half-open intervals between cuts, the exact form of every test on one attribute.

A cut is a place between values of an attribute; cuts of one attribute compare with each other (see
`tercast.eventspace.attribute` for what they are).
An interval (a, b) holds the values between two cuts a < b. A set
is a sorted tuple of intervals of which no two touch, so equal sets are equal tuples.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Cut = Any
Interval = tuple[Cut, Cut]
IntervalSet = tuple[Interval, ...]

NOTHING: IntervalSet = ()


def joined(intervals: Iterable[Interval]) -> IntervalSet:
    """The set that holds what any of `intervals` holds; empty and reversed ones hold nothing."""
    out: list[Interval] = []
    for low, high in sorted(pair for pair in intervals if pair[0] < pair[1]):
        if out and low <= out[-1][1]:
            if high > out[-1][1]:
                out[-1] = (out[-1][0], high)
        else:
            out.append((low, high))
    return tuple(out)


def union(a: IntervalSet, b: IntervalSet) -> IntervalSet:
    """What lies in either set."""
    return joined((*a, *b))


def intersection(a: IntervalSet, b: IntervalSet) -> IntervalSet:
    """What lies in both sets."""
    out: list[Interval] = []
    i = j = 0
    while i < len(a) and j < len(b):
        low = max(a[i][0], b[j][0])
        high = min(a[i][1], b[j][1])
        if low < high:
            out.append((low, high))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return tuple(out)


def complement(a: IntervalSet, domain: Interval) -> IntervalSet:
    """What lies in `domain` and not in `a`, which is within `domain`."""
    out: list[Interval] = []
    low = domain[0]
    for start, end in a:
        if low < start:
            out.append((low, start))
        low = end
    if low < domain[1]:
        out.append((low, domain[1]))
    return tuple(out)


def covers(a: IntervalSet, b: IntervalSet) -> bool:
    """Whether all of `b` lies in `a`."""
    if not a or not b or a[0][0] > b[0][0] or a[-1][1] < b[-1][1]:
        return not b
    return len(a) == 1 or intersection(a, b) == b
