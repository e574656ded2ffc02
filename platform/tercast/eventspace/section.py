"""Sections: parts of an attribute's domain, which a leaf of a cut tree halves further.

A *place* is a value as a number: an integer, the position of a bool or of a text of an enum, the point of a
text, or a double. A section contains the values from its place `low` up to, but without, `high`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from tercast.eventspace.intervals import Interval

Place = int | float


class Section(Protocol):
    """A part of a domain with `size` indexes."""

    @property
    def low(self) -> Place:
        """The first place."""

    @property
    def high(self) -> Place:
        """The first place after the section."""

    @property
    def size(self) -> int:
        """The number of indexes."""

    def index(self, place: Place) -> int:
        """The index of a place of the section."""

    def cells(self, low: Place, high: Place) -> tuple[int, int]:
        """First and last index that overlap places of the section from `low` to before `high`."""

    def interval(self, first: int, last: int) -> Interval:
        """The cuts around the values of the indexes from `first` to `last`."""


@dataclass(frozen=True, slots=True)
class CountedSection:
    """The integers from `low` to `high - 1`; each is an index."""

    low: int
    high: int
    size: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", self.high - self.low)

    def index(self, place: Place) -> int:
        """The distance from `low`."""
        return int(place) - self.low

    def cells(self, low: Place, high: Place) -> tuple[int, int]:
        """First and last index."""
        return int(low) - self.low, int(high) - 1 - self.low

    def interval(self, first: int, last: int) -> Interval:
        """The cuts before the first and after the last integer."""
        return self.low + first, self.low + last + 1
