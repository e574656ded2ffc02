"""Reader of filters that are one box but for few tests, or a few of them joined by "or".

The kernel reads tests of integers. The parser reads the other tests, one at a time. Terms and sides are those
of the normal form and of `tercast.encoding.encoder`, without a syntax tree of the whole filter.
"""

from __future__ import annotations

from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np

from tercast.encoding.grid_boxes import Side, side_of
from tercast.encoding.kernels.box_encoder import BoxEncoder, read_some
from tercast.errors import Refused
from tercast.eventspace.intervals import IntervalSet, intersection
from tercast.filters.kernels.parser import ALL, FACTOR, NOTHING
from tercast.filters.normal_form import Term, are_apart
from tercast.filters.parser import MAX_TEXT, factor_at, joint_at
from tercast.filters.syntax_tree import And, Not, Or, excluded_set, interval_set

if TYPE_CHECKING:
    from tercast.eventspace.interleaving import BitSchedule
    from tercast.eventspace.topic import Topic

MAX_TERMS = 8
"""Terms of a filter beyond which the normal form reads it."""

_SEVERAL = (And, Or, Not)

ReadRanges = tuple[list[int], list[int]]
"""First and last value of each attribute; those that the kernel does not read have an empty range."""

TermReading = tuple[ReadRanges, dict[int, IntervalSet]]
"""A term: the ranges that the kernel has read, and the intervals of attributes with other tests."""


class TermReader:
    """Reader of filters of a topic on an even grid."""

    __slots__ = ("_packed", "_plan", "_schedule", "_topic", "_whole", "_whole_ranges")

    def __init__(self, topic: Topic, schedule: BitSchedule, encoder: BoxEncoder) -> None:
        self._topic, self._schedule = topic, schedule
        self._packed, self._whole = encoder.packed, encoder.domains
        self._whole_ranges: ReadRanges = tuple(self._whole.tolist())
        self._plan = [
            (position, self._whole_ranges[0][position], schedule.halvings[a].shift, schedule.whole_sides[a])
            for a, position in enumerate(topic.indexed_positions)
        ]

    def sides(self, text: str) -> list[tuple[Side, ...]] | None:
        """The sides of the filter's terms; None if the parser must read the whole filter."""
        if len(text) > MAX_TEXT or not text.isascii():
            return None
        try:
            terms = self._terms(text)
        except Refused:
            return None
        if len(terms) > 1 and not self._are_apart(terms):
            return None
        parts = [self._sides(*term) for term in terms]
        return parts if parts and all(map(all, parts)) else None

    def _terms(self, text: str) -> list[TermReading]:
        """Read all terms; none if the parser must read the filter. Refused if it has an error."""
        letters = np.frombuffer(text.encode(), np.uint8)
        terms: list[TermReading] = []
        at, joint = 0, "or"
        while joint == "or":
            found = self._read(text, letters, at)
            if found is None or len(terms) == MAX_TERMS:
                return []
            term, joint, at = found
            terms.append(term)
        return terms

    def _read(self, text: str, letters: Any, at: int) -> tuple[TermReading, str, int] | None:
        """Read one term, up to "or" or the end: the term, the word, and the position after it."""
        ranges = self._whole.copy()
        other: dict[int, IntervalSet] = {}
        joint = "and"
        while joint == "and":
            at, reason = read_some(letters, at, self._packed, ranges)
            if reason == NOTHING:
                return None
            if reason == ALL:
                joint = ""
            elif reason == FACTOR:
                tree, joint, at = factor_at(text, self._topic, at)
                if not self._narrow(tree, other):
                    return None
            else:
                joint, at = joint_at(text, self._topic, at)
        term = tuple(ranges.tolist())
        return ((term, other), joint, at) if self._met(term, other) else None

    def _narrow(self, tree: Any, other: dict[int, IntervalSet]) -> bool:
        """Add a test to the intervals of a term; False if it is not one test, or nothing passes."""
        test = tree.inner if isinstance(tree, Not) else tree
        if isinstance(test, _SEVERAL):
            return False
        position = test.attribute
        attribute = self._topic.attributes[position]
        held = (excluded_set if test is not tree else interval_set)(test, attribute)
        other[position] = intersection(other[position], held) if position in other else held
        return bool(other[position])

    def _met(self, ranges: ReadRanges, other: dict[int, IntervalSet]) -> bool:
        """Narrow the intervals by the kernel's ranges of the attributes; False if nothing is left."""
        for position, held in other.items():
            low, high = ranges[0][position], ranges[1][position]
            if low <= high:
                other[position] = held = intersection(held, ((low, high + 1),))
            if not held:
                return False
        return True

    def _are_apart(self, terms: list[TermReading]) -> bool:
        """Whether the normal form joins and drops none of the terms."""
        if len(terms) == 2 and not terms[0][1] and not terms[1][1]:
            (lows, highs), (other_lows, other_highs) = terms[0][0], terms[1][0]
            below = [a - b for a, b in zip(lows, other_lows, strict=True)]
            above = [a - b for a, b in zip(highs, other_highs, strict=True)]
            unequal = sum(map(bool, map(or_, below, above)))
            inner = min(below) >= 0 >= max(above) or max(below) <= 0 <= min(above)
            return unequal > 1 and not inner
        return are_apart([self._term(*term) for term in terms])

    def _term(self, ranges: ReadRanges, other: dict[int, IntervalSet]) -> Term:
        """The term in the form of a normal form."""
        pairs = []
        for position, attribute in enumerate(self._topic.attributes):
            held = other.get(position)
            if held is None:
                low, high = ranges[0][position], ranges[1][position]
                held = ((low, high + 1),) if low <= high else (attribute.domain,)
            if held != (attribute.domain,):
                pairs.append((position, held))
        return tuple(pairs)

    def _sides(self, ranges: ReadRanges, other: dict[int, IntervalSet]) -> tuple[Side, ...]:
        """The sides of a term on the grid."""
        lows, highs = ranges
        sides: list[Side] = []
        for a, (position, start, shift, whole) in enumerate(self._plan):
            if other and position in other:
                halving = self._schedule.halvings[a]
                sides.append(side_of(self._topic.attributes[position], halving, other[position]))
            elif lows[position] > highs[position]:
                sides.append(whole)
            else:
                sides.append((lows[position] - start >> shift, highs[position] - start >> shift))
        return tuple(sides)
