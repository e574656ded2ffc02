"""Learned cuts: a cut tree for the registered filters and the published events.

A leaf is divided where it gains most. A cut gains the deliveries that it can avoid: the events left of it
times the boxes that are right of it, and the reverse. A box that spans the cut may need one more cell, so the
gain is divided by a price for each of these. The boxes of a host that needs the whole leaf do not count. No
paper has this method.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from tercast.dimensions.leaf_counts import ShortInts, leaf_counts
from tercast.dimensions.workload import Events, Workload
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.cut_tree import MAX_CUTS
from tercast.eventspace.intervals import Interval, IntervalEnd
from tercast.eventspace.section import Place
from tercast.filters.filter import Filter

MAX_BOXES = 64
"""Maximum number of boxes of one term of a filter."""

PRICE = 0.02
"""Relative price of a box that spans a cut."""

_TRACE = 1e-3
"""Events that the whole event space weighs by volume, so that space without events is divided last."""


class BoundAxis:
    """An attribute with the places at which filters begin or end, numbered from 1.

    An event's *step* is the number of the places at or below its own. A box contains the steps from `low` to
    before `high`.
    """

    def __init__(self, attribute: Attribute, position: int, filters: Sequence[Filter]) -> None:
        self.attribute, self.position = attribute, position
        self.start, self.end = attribute.places
        found = {cut: self.place(cut) for cut in _cuts_at(position, filters)}
        self.places = sorted({place for place in found.values() if self.start < place < self.end})
        first, after = attribute.domain
        found |= {first: self.place(first), after: self.place(after)}
        self._steps = {cut: self.step(place) for cut, place in found.items()}
        self._ends = {cut: self._end_step(place) for cut, place in found.items()}
        self.whole = self.side(attribute.domain)
        span = float(self.end) - float(self.start)
        self.shares = np.array(
            [0.0, *((float(place) - float(self.start)) / span for place in self.places), 1.0],
            dtype=np.float64,
        )

    def place(self, cut: IntervalEnd) -> Place:
        """The place of the first value after a cut."""
        return self.attribute.snapped(self.attribute.place(cut))

    def step(self, place: Place) -> int:
        """The step of a place; a place of a filter's end or beginning is its own number."""
        return bisect_right(self.places, place)

    def side(self, interval: Interval) -> tuple[int, int]:
        """The steps of an interval of the filters: the first one, and the one after the last."""
        return self._steps[interval[0]], self._ends[interval[1]]

    def _end_step(self, place: Place) -> int:
        """The first step that is not before a place."""
        return len(self.places) + 1 if place >= self.end else bisect_left(self.places, place) + 1

    def event_steps(self, events: Events) -> ShortInts:
        """The steps of events."""
        name, known = self.attribute.name, {}
        values = [event[name] for event in events]
        for value in set(values):
            known[value] = self.step(self.attribute.place_of(value))
        return np.array([known[value] for value in values], dtype=np.int32)

    def part(self, low: int, high: int, steps: Any) -> Any:
        """The share of the domain from step `low` to `high` that is below each of `steps`."""
        first, whole = self.shares[low], self.shares[high] - self.shares[low]
        return (self.shares[steps] - first) / whole if whole > 0 else 0.5

    def value(self, step: int) -> Any:
        """The value of a cut before a step."""
        return self.attribute.value_at(self.places[step - 1])


def _cuts_at(position: int, filters: Sequence[Filter]) -> set[IntervalEnd]:
    """The cuts at which the terms of filters begin or end in one attribute."""
    cuts: set[IntervalEnd] = set()
    for filter_ in filters:
        for term in filter_.terms:
            for other, held in term:
                if other == position:
                    for interval in held:
                        cuts.update(interval)
    return cuts


@dataclass(slots=True)
class _GrownLeaf:
    """A leaf: its events and boxes, first and last steps by attribute, and best cut."""

    events: npt.NDArray[np.intp]
    boxes: npt.NDArray[np.intp]
    low: tuple[int, ...]
    high: tuple[int, ...]
    share: float
    gain: float = 0.0
    axis: int = -1
    step: int = 0
    left: int = -1
    right: int = -1


class Learner:
    """Learns the cuts of one workload, the most useful first."""

    def __init__(self, workload: Workload, price: float = PRICE) -> None:
        self.price = price
        filters = [filter_ for _, filter_ in workload.subscriptions]
        self.axes = [BoundAxis(row, i, filters) for i, row in enumerate(workload.topic.attributes)]
        self.axes = [axis for axis in self.axes if axis.places]
        self.events = [axis.event_steps(workload.events) for axis in self.axes]
        numbers = {host: number for number, host in enumerate(workload.hosts)}
        by_host = sorted(
            (
                (numbers[host], box)
                for host, filter_ in workload.subscriptions
                for box in self._boxes(filter_)
            ),
            key=lambda pair: pair[0],
        )
        self.hosts = np.array([host for host, _ in by_host], dtype=np.int32)
        sides = np.array([box for _, box in by_host], dtype=np.int32).reshape(len(by_host), len(self.axes), 2)
        self.lows, self.highs = np.ascontiguousarray(sides[:, :, 0].T), np.ascontiguousarray(sides[:, :, 1].T)
        self.leaves: list[_GrownLeaf] = []
        self._heap: list[tuple[float, int]] = []
        root = _GrownLeaf(
            np.arange(len(workload.events)),
            np.arange(len(by_host)),
            tuple(0 for _ in self.axes),
            tuple(len(axis.places) + 1 for axis in self.axes),
            1.0,
        )
        self._add(root)
        self.cuts = 0

    def grow(self, cuts: int) -> bool:
        """Divide leaves until the tree has `cuts` cuts; False if no leaf gains before that."""
        while self.cuts < min(cuts, MAX_CUTS):
            if not self._heap:
                return False
            self._divide(self.leaves[heappop(self._heap)[1]])
            self.cuts += 1
        return True

    def nodes(self) -> list[object]:
        """The cut tree as its JSON list; empty without cuts."""
        if not self.cuts:
            return []
        out: list[object] = []
        waiting = [0]
        while waiting:
            leaf = self.leaves[waiting.pop()]
            if leaf.left < 0:
                out.append(len(leaf.events))
                continue
            axis = self.axes[leaf.axis]
            out.append([axis.attribute.name, axis.value(leaf.step)])
            waiting += (leaf.right, leaf.left)
        return out

    def _boxes(self, filter_: Filter) -> Iterable[tuple[tuple[int, int], ...]]:
        """The boxes of a filter in steps; a term of more than `MAX_BOXES` is one box around them."""
        for term in filter_.terms:
            spans = dict(term)
            sides = []
            for axis in self.axes:
                held = spans.get(axis.position)
                sides.append([axis.whole] if held is None else list(map(axis.side, held)))
            if prod(map(len, sides)) > MAX_BOXES:
                sides = [[(side[0][0], side[-1][1])] for side in sides]
            yield from product(*sides)

    def _add(self, leaf: _GrownLeaf) -> None:
        self.leaves.append(leaf)
        self._choose(leaf)
        if leaf.gain > 0:
            heappush(self._heap, (-leaf.gain, len(self.leaves) - 1))

    def _choose(self, leaf: _GrownLeaf) -> None:
        """Find the cut of a leaf that gains most."""
        if not len(leaf.boxes):
            return
        for a in range(len(self.axes)):
            low, high = self.lows[a][leaf.boxes], self.highs[a][leaf.boxes]
            events = self.events[a][leaf.events]
            start, end = leaf.low[a], leaf.high[a]
            steps, left, right, below = leaf_counts(low, high, events, start, end)
            if not len(steps):
                continue
            before = below.astype(np.float64)
            part = self.axes[a].part(leaf.low[a], leaf.high[a], steps)
            trace = _TRACE * leaf.share
            gain = (before + trace * part) * right + (len(events) - before + trace * (1 - part)) * left
            gain /= 1 + self.price * (len(low) - right - left)
            best = int(np.argmax(gain))
            if gain[best] > leaf.gain:
                leaf.gain, leaf.axis, leaf.step = float(gain[best]), a, int(steps[best])

    def _divide(self, leaf: _GrownLeaf) -> None:
        """Divide a leaf at its best cut."""
        a, step = leaf.axis, leaf.step
        before = self.events[a][leaf.events] < step
        low, high = self.lows[a][leaf.boxes], self.highs[a][leaf.boxes]
        part = self.axes[a].part(leaf.low[a], leaf.high[a], step)
        left_high = (*leaf.high[:a], step, *leaf.high[a + 1 :])
        right_low = (*leaf.low[:a], step, *leaf.low[a + 1 :])
        leaf.left = len(self.leaves)
        self._add(
            self._half(leaf.events[before], leaf.boxes[low < step], leaf.low, left_high, leaf.share * part)
        )
        leaf.right = len(self.leaves)
        share = leaf.share * (1 - part)
        self._add(self._half(leaf.events[~before], leaf.boxes[high > step], right_low, leaf.high, share))
        leaf.boxes = leaf.boxes[:0]

    def _half(
        self,
        events: npt.NDArray[np.intp],
        boxes: npt.NDArray[np.intp],
        low: tuple[int, ...],
        high: tuple[int, ...],
        share: float,
    ) -> _GrownLeaf:
        """A leaf without the boxes of hosts that need all of it."""
        covering = np.ones(len(boxes), dtype=np.bool_)
        for a in range(len(self.axes)):
            covering &= (self.lows[a][boxes] <= low[a]) & (self.highs[a][boxes] >= high[a])
        if covering.any():
            hosts = self.hosts[boxes]
            boxes = boxes[~np.isin(hosts, hosts[covering])]
        return _GrownLeaf(events, boxes, low, high, share)
