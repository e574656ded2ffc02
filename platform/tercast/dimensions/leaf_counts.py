"""Numbers of boxes and events on both sides of the possible cuts of a leaf."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tercast.runtime.growable_array import Ints

CANDIDATES = 64
"""Maximum number of places of an attribute at which a cut of one leaf is considered."""

DENSE = 4
"""Steps of a leaf for each of its boxes and events up to which they are counted and not sorted."""

ShortInts = npt.NDArray[np.int32]


def leaf_counts(
    low: ShortInts, high: ShortInts, events: ShortInts, start: int, end: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return candidate steps of a leaf, and the boxes and events on both sides.

    The result: the steps, the numbers of boxes left and right of each, and of events before each.

    Args:
        low: The first step of each box, which may be before the leaf.
        high: The step after the last one of each box, which may be after the leaf.
        events: The step of each event of the leaf.
        start: The first step of the leaf.
        end: The step after its last one.
    """
    is_dense = end - start <= DENSE * (len(low) + len(events))
    return (dense_counts if is_dense else sorted_counts)(low, high, events, start, end)


def dense_counts(
    low: ShortInts, high: ShortInts, events: ShortInts, start: int, end: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Candidate steps of a leaf, the boxes left and right of them, and the events before them.

    It counts by step, which takes time for each step from `start` to `end`.
    """
    lows, highs = _counts_below(low, start, end), _counts_below(high, start, end)
    bounds = np.diff(lows) + np.diff(highs)
    bounds[0] = 0  # boxes that begin before the leaf
    inside = _thinned(np.flatnonzero(bounds))
    return (
        inside + start,
        highs[inside + 1],
        len(low) - lows[inside],
        _counts_below(events, start, end)[inside],
    )


def sorted_counts(
    low: ShortInts, high: ShortInts, events: ShortInts, start: int, end: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return what `dense_counts` returns, in time that does not depend on the number of steps."""
    bounds = np.unique(np.concatenate((low, high)))
    steps = _thinned(bounds[(bounds > start) & (bounds < end)])
    right = len(low) - np.searchsorted(np.sort(low), steps)
    left = np.searchsorted(np.sort(high), steps, side="right")
    return steps, left, right, np.searchsorted(np.sort(events), steps)


def _thinned(steps: Any) -> Any:
    """At most `CANDIDATES` of the steps, evenly spread."""
    if len(steps) <= CANDIDATES:
        return steps
    return steps[np.linspace(0, len(steps) - 1, CANDIDATES).astype(np.intp)]


def _counts_below(steps: ShortInts, start: int, end: int) -> Ints:
    """The number of `steps` below each step from `start` to `end`.

    Steps before `start` count as `start`.
    """
    inside = np.clip(steps, start, end) - start
    return np.concatenate(([0], np.cumsum(np.bincount(inside, minlength=end - start + 1)[:-1])))
