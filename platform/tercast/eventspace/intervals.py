"""Sets of half-open intervals between cuts: the exact form of every test on one attribute.

A cut is a place between values of an attribute. Cuts of one attribute can be compared with each other (see
`tercast.eventspace.attribute` for their types). An interval (a, b) contains the values between two cuts
a < b. A set is a sorted tuple of intervals that do not touch, so equal sets are equal tuples.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

IntervalEnd = Any
Interval = tuple[IntervalEnd, IntervalEnd]
IntervalSet = tuple[Interval, ...]

NOTHING: IntervalSet = ()


def joined(intervals: Iterable[Interval]) -> IntervalSet:
    """The union of `intervals`; empty and reversed intervals contain nothing."""
    out: list[Interval] = []
    for low, high in sorted(pair for pair in intervals if pair[0] < pair[1]):
        if out and low <= out[-1][1]:
            if high > out[-1][1]:
                out[-1] = (out[-1][0], high)
        else:
            out.append((low, high))
    return tuple(out)


def union(a: IntervalSet, b: IntervalSet) -> IntervalSet:
    """The union of two sets."""
    return joined((*a, *b))


def intersection(a: IntervalSet, b: IntervalSet) -> IntervalSet:
    """The intersection of two sets."""
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
    """The part of `domain` outside `a`; `a` is within `domain`."""
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
    """Whether `a` contains all of `b`."""
    if not a or not b or a[0][0] > b[0][0] or a[-1][1] < b[-1][1]:
        return not b
    return len(a) == 1 or intersection(a, b) == b
