"""Exact matcher for many events: the hosts whose filters match each event.

A term of a filter is a box: an interval set for each attribute. Every term has a bit. For each attribute, and
for each position of a value between the cuts of all terms, a row contains the bits of the terms that contain
such a value. The terms of an event are the AND of one row per attribute. The bits of one host are in bytes of
their own, so the host expects the event if one of these bytes is not zero.

Texts of 16 bytes or more share a point with others (see `tercast.eventspace.string_attribute`). So the boxes
of a filter with such a literal may be wider than the filter. Such a filter gets bytes of its own, and its
matcher decides.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tercast.eventspace.attribute import Attribute
from tercast.eventspace.counted_attributes import Int
from tercast.eventspace.float_attribute import Float, double_at_least
from tercast.eventspace.intervals import IntervalEnd, IntervalSet
from tercast.eventspace.string_attribute import String
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.filters.identity import shares_points

Flags = npt.NDArray[np.bool_]
_Bytes = npt.NDArray[np.uint8]
_Ints = npt.NDArray[np.int64]

_ROWS_BYTES = 1 << 25
"""Maximum size of the rows, and of the bits of events in one pass, in bytes."""


@dataclass(slots=True)
class _Lanes:
    """The bytes of one host's exact filters, or of one filter that its matcher must confirm."""

    host: int
    filter: Filter | None
    first: int


@dataclass(slots=True)
class _AttributeConditions:
    """Conditions of all terms on one attribute: sorted cuts, and bits that change at each."""

    attribute: Attribute
    held: list[tuple[IntervalSet, int]] = field(default_factory=list)
    cuts: list[IntervalEnd] = field(default_factory=list)
    turns: _Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    bits: _Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    free: _Bytes = field(default_factory=lambda: np.zeros(0, np.uint8))
    sorted_cuts: npt.NDArray[Any] | None = None
    rows: _Bytes | None = None


class Audience:
    """The subscriptions of one topic, as pairs (number of the host, filter)."""

    def __init__(self, topic: Topic, filters: Iterable[tuple[int, Filter]], hosts: int) -> None:
        self._hosts = hosts
        self._lanes: list[_Lanes] = []
        self._idle: list[int] = []
        self._sides = [_AttributeConditions(attribute) for attribute in topic.attributes]
        terms = self._place(filters)
        self._width = max(1, -(-terms // 8))
        self._sides = [side for side in self._sides if side.held]
        for side in self._sides:
            self._prepare(side, terms)

    def wanting(self, events: Sequence[Mapping[str, Any]]) -> Flags:
        """Whether each host (column) expects each event (row), given by its checked values."""
        wanted = np.zeros((len(events), self._hosts), dtype=np.bool_)
        if not self._lanes:
            return wanted
        step = max(1, _ROWS_BYTES // self._width)
        for start in range(0, len(events), step):
            self._mark(events[start : start + step], wanted[start : start + step])
        return wanted

    def _place(self, filters: Iterable[tuple[int, Filter]]) -> int:
        """Assign a bit to every term; return the number of bits, with those unused in whole bytes."""
        exact: dict[int, list[Filter]] = {}
        vague: list[tuple[int, Filter]] = []
        for host, filter_ in filters:
            if shares_points(filter_.tree, filter_.topic.attributes):
                vague.append((host, filter_))
            else:
                exact.setdefault(host, []).append(filter_)
        bit = 0
        for host, own in exact.items():
            self._lanes.append(_Lanes(host, None, bit // 8))
            bit = self._place_terms(own, bit)
        for host, filter_ in vague:
            self._lanes.append(_Lanes(host, filter_, bit // 8))
            bit = self._place_terms([filter_], bit)
        return bit

    def _place_terms(self, filters: Iterable[Filter], bit: int) -> int:
        for filter_ in filters:
            for term in filter_.terms:
                for position, held in term:
                    self._sides[position].held.append((held, bit))
                bit += 1
        last = bit
        bit += -bit % 8
        self._idle += range(last, bit)
        return bit

    def _prepare(self, side: _AttributeConditions, terms: int) -> None:
        side.cuts = sorted({cut for held, _ in side.held for interval in held for cut in interval})
        places = {cut: number for number, cut in enumerate(side.cuts)}
        turns, bits = [], []
        free = np.ones(terms, dtype=np.bool_)
        free[self._idle] = False
        for held, bit in side.held:
            free[bit] = False
            for interval in held:
                turns += [places[cut] + 1 for cut in interval]
                bits += [bit, bit]
        side.turns, side.bits = np.array(turns, dtype=np.int64), np.array(bits, dtype=np.int64)
        side.free = np.packbits(free, bitorder="little")
        side.sorted_cuts = _sorted_cuts(side.attribute, side.cuts)
        if (len(side.cuts) + 1) * self._width <= _ROWS_BYTES:
            side.rows = self._rows(side, np.arange(len(side.cuts) + 1))

    def _rows(self, side: _AttributeConditions, places: _Ints) -> _Bytes:
        """The bits of the terms that contain values at each of these sorted positions."""
        rows = np.zeros((len(places) + 1, self._width), dtype=np.uint8)
        at = np.searchsorted(places, side.turns)
        flat = at * self._width + (side.bits >> 3)
        np.bitwise_xor.at(rows.reshape(-1), flat, np.uint8(1) << (side.bits & 7).astype(np.uint8))
        rows[0] ^= side.free
        np.bitwise_xor.accumulate(rows, axis=0, out=rows)
        return rows[:-1]

    def _mark(self, events: Sequence[Mapping[str, Any]], wanted: Flags) -> None:
        bits = self._bits(events)
        held = np.bitwise_or.reduceat(bits, [lanes.first for lanes in self._lanes], axis=1) != 0
        exact = [number for number, lanes in enumerate(self._lanes) if lanes.filter is None]
        wanted[:, [self._lanes[number].host for number in exact]] = held[:, exact]
        for number in range(len(exact), len(self._lanes)):
            lanes = self._lanes[number]
            assert lanes.filter is not None
            for row in np.flatnonzero(held[:, number] & ~wanted[:, lanes.host]).tolist():
                wanted[row, lanes.host] = lanes.filter.matches(events[row])

    def _bits(self, events: Sequence[Mapping[str, Any]]) -> _Bytes:
        """The terms that contain each event, as bits."""
        bits: _Bytes | None = None
        for side in self._sides:
            places = _places(side, [event[side.attribute.name] for event in events])
            rows = side.rows
            if rows is None:
                some, places = np.unique(places, return_inverse=True)
                rows = self._rows(side, some)
            if bits is None:
                bits = rows[places]
            else:
                bits &= rows[places]
        if bits is None:  # no filter has a test
            free = np.ones(self._width * 8, dtype=np.bool_)
            free[self._idle] = False
            bits = np.repeat(np.packbits(free, bitorder="little")[None], len(events), axis=0)
        return bits


def _sorted_cuts(attribute: Attribute, cuts: list[IntervalEnd]) -> npt.NDArray[Any] | None:
    """The cuts as numbers for a binary search; None if the attribute has no such numbers."""
    if isinstance(attribute, Int) and attribute.min > -(1 << 62) and attribute.max < 1 << 62:
        return np.array(cuts, dtype=np.int64)
    if isinstance(attribute, Float):
        return np.array([_first_double(cut) for cut in cuts], dtype=np.float64)
    return None


def _first_double(cut: tuple[Any, int]) -> float:
    """The smallest double above a cut; a literal may be an integer of any size."""
    value, above = cut
    number = double_at_least(value)
    return math.nextafter(number, math.inf) if above and number == value else number


def _places(side: _AttributeConditions, values: list[Any]) -> _Ints:
    """The number of cuts below each value."""
    if side.sorted_cuts is not None:
        column = np.array(values, dtype=side.sorted_cuts.dtype)
        return np.searchsorted(side.sorted_cuts, column, side="right")
    attribute = side.attribute
    find = attribute.index if isinstance(attribute, String) else attribute.key
    known: dict[Any, int] = {}
    for value in values:
        if value not in known:
            known[value] = bisect_right(side.cuts, find(value))
    return np.array([known[value] for value in values], dtype=np.int64)
