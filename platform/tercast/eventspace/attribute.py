"""Attribute types: their domains, their values, and the integer indexes of the values.

Every type maps values to indexes 0..size-1, which the dz halves. Integers count from `min`; enums and bools
use the position. For reals see `tercast.eventspace.float_attribute`, for texts `...string_attribute`.

Tests use *cuts*. A cut is a place between values: `before` a value or `after` it. With cuts, open and closed
ends, and fractions compared with integers, need no special case:

| kind | cut before v | cut after v |
| --- | --- | --- |
| int, bool, enum | the integer | the integer + 1 |
| float | (v, 0) | (v, 1) |
| string | its first 16 bytes as an integer | that integer + 1 |
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from tercast.errors import Path, Refused, shown
from tercast.eventspace.intervals import Interval, IntervalEnd, IntervalSet, joined
from tercast.eventspace.section import CountedSection, Place, Section


@dataclass(frozen=True, slots=True)
class Attribute(ABC):
    """One named dimension of a topic.

    `size` is the number of indexes. `domain` is the cut before the first value and the cut after the last.
    """

    name: str
    size: int = field(init=False, compare=False, repr=False)
    domain: Interval = field(init=False, compare=False, repr=False)
    kind: ClassVar[str]

    @property
    @abstractmethod
    def domain_text(self) -> str:
        """The domain as text for messages."""

    @abstractmethod
    def check(self, value: object, path: Path = ()) -> Any:
        """Return the value in its normal form; Refused if its type is wrong or it is out of domain."""

    @abstractmethod
    def index(self, value: Any) -> int:
        """The index of a value; Refused as in `check`."""

    @abstractmethod
    def literal_problem(self, value: object) -> str | None:
        """The reason why a filter cannot compare this attribute with `value`; None if it can."""

    @abstractmethod
    def before(self, value: Any) -> IntervalEnd:
        """The cut before the literal `value`: all smaller values are below it."""

    @abstractmethod
    def after(self, value: Any) -> IntervalEnd:
        """The cut after the literal `value`: all larger values are above it."""

    @abstractmethod
    def cells(self, interval: Interval) -> tuple[int, int]:
        """First and last index of the cells that overlap the interval; first > last if none do."""

    @abstractmethod
    def share(self, interval: Interval) -> Fraction:
        """The interval's share of the domain: by length for reals, by points for other types."""

    @abstractmethod
    def place(self, cut: IntervalEnd) -> Place:
        """The first place at or after a cut: a value of the type, or a point, as a number.

        An event's value is after the cut if and only if `place_of` the value is at least this place.
        """

    @property
    def places(self) -> tuple[Place, Place]:
        """The place of the first value, and the first place after the last one."""
        return self.place(self.domain[0]), self.place(self.domain[1])

    @abstractmethod
    def place_of(self, value: Any) -> Place:
        """The place of an event's value; Refused as in `check`."""

    def snapped(self, place: Place) -> Place:
        """The first place at or after `place` that a value has, or else the end of the domain."""
        return place

    @abstractmethod
    def place_at(self, index: int) -> Place:
        """The first place of an index."""

    @abstractmethod
    def value_at(self, place: Place) -> Any:
        """The value of a snapped place."""

    @abstractmethod
    def section(self, low: Place, high: Place) -> Section:
        """The part of the domain from the place `low` up to, but without, the place `high`."""

    @abstractmethod
    def to_json(self) -> dict[str, object]:
        """Write the object that `parse_attribute` reads as this attribute."""

    def key(self, value: Any) -> Any:
        """The value that comparisons use: the position of a checked value among the cuts."""
        return value

    def compare(self, op: str, value: Any) -> IntervalSet:
        """The part of the domain for which `op value` is true, for the six comparisons."""
        start, end = self.domain
        low, high = self.before(value), self.after(value)
        match op:
            case "=":
                return self.within(low, high)
            case "!=":
                return self.clip([(start, low), (high, end)])
            case "<":
                return self.within(start, low)
            case "<=":
                return self.within(start, high)
            case ">":
                return self.within(high, end)
            case ">=":
                return self.within(low, end)
        raise ValueError(op)

    def between(self, low: Any, high: Any, closed: bool) -> IntervalSet:
        """The part of the domain from `low` to `high`; it includes `high` if `closed`."""
        return self.within(self.before(low), self.after(high) if closed else self.before(high))

    def one_of(self, values: Iterable[Any]) -> IntervalSet:
        """The part of the domain that equals one of `values`."""
        return self.clip((self.before(value), self.after(value)) for value in values)

    def within(self, low: IntervalEnd, high: IntervalEnd) -> IntervalSet:
        """The interval between two cuts, limited to the domain, as a set."""
        start, end = self.domain
        low = low if low > start else start
        high = high if high < end else end
        return ((low, high),) if low < high else ()

    def clip(self, pairs: Iterable[Interval]) -> IntervalSet:
        """The set of `pairs`, limited to the domain."""
        start, end = self.domain
        return joined((low if low > start else start, high if high < end else end) for low, high in pairs)

    def outside(self, value: object, path: Path) -> Refused:
        """The error for a value outside the domain."""
        detail = f"{shown(value)} is outside the domain of {self.name} ({self.domain_text})"
        return Refused(path, "out_of_domain", detail, value)

    def wrong(self, value: object, wanted: str, path: Path) -> Refused:
        """The error for a value of a wrong type."""
        detail = f"{shown(value)} is not {wanted}; attribute {self.name} has type {self.kind}"
        return Refused(path, "wrong_type", detail, value)

    def _derive(self, size: int, domain: Interval) -> None:
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "domain", domain)


@dataclass(frozen=True, slots=True)
class Counted(Attribute):
    """Common part of all types except float: a cut is an integer."""

    def cells(self, interval: Interval) -> tuple[int, int]:
        """First and last index of the interval."""
        start = self.domain[0]
        return interval[0] - start, interval[1] - 1 - start

    def share(self, interval: Interval) -> Fraction:
        """The interval's share of the values."""
        return Fraction(interval[1] - interval[0], self.size)

    def place(self, cut: IntervalEnd) -> int:
        """The cut itself."""
        place: int = cut
        return place

    def place_of(self, value: Any) -> int:
        """The number that cuts use for the value."""
        start: int = self.domain[0]
        return start + self.index(value)

    def place_at(self, index: int) -> int:
        """The number that cuts use for the index."""
        start: int = self.domain[0]
        return start + index

    def value_at(self, place: Place) -> Any:
        """The integer of the place."""
        return int(place)

    def section(self, low: Place, high: Place) -> Section:
        """The values from `low` to `high - 1`."""
        return CountedSection(int(low), int(high))
