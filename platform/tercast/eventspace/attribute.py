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

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from tercast.errors import Path, Refused, shown
from tercast.eventspace.intervals import Cut, Interval, IntervalSet, joined
from tercast.runtime.strict_json import integer_json


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
    def before(self, value: Any) -> Cut:
        """The cut before the literal `value`: all smaller values are below it."""

    @abstractmethod
    def after(self, value: Any) -> Cut:
        """The cut after the literal `value`: all larger values are above it."""

    @abstractmethod
    def cells(self, interval: Interval) -> tuple[int, int]:
        """First and last index of the cells that overlap the interval; first > last if none do."""

    @abstractmethod
    def share(self, interval: Interval) -> Fraction:
        """The interval's share of the domain: by length for reals, by points for other types."""

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

    def within(self, low: Cut, high: Cut) -> IntervalSet:
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


@dataclass(frozen=True, slots=True)
class Int(Counted):
    """Integers min..max of any size; both bounds are included."""

    min: int
    max: int
    kind: ClassVar[str] = "int"

    def __post_init__(self) -> None:
        self._derive(self.max - self.min + 1, (self.min, self.max + 1))

    @property
    def domain_text(self) -> str:
        """The text `min..max`."""
        return f"{shown(self.min)}..{shown(self.max)}"

    def check(self, value: object, path: Path = ()) -> int:
        """Return the integer; a bool, a float and a text are refused."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(value, "an integer", path)
        if not self.min <= value <= self.max:
            raise self.outside(value, path)
        return int(value)

    def index(self, value: Any) -> int:
        """The distance of the value from `min`."""
        if type(value) is int and self.min <= value <= self.max:
            return value - self.min
        return self.check(value, (self.name,)) - self.min

    def literal_problem(self, value: object) -> str | None:
        """Accept integers, doubles and decimals: all compare exactly."""
        return number_problem(value)

    def before(self, value: Any) -> int:
        """The smallest integer that is not below `value`."""
        return value if type(value) is int else math.ceil(value)

    def after(self, value: Any) -> int:
        """The smallest integer above `value`."""
        return value + 1 if type(value) is int else math.floor(value) + 1

    def to_json(self) -> dict[str, object]:
        """Write name, type and bounds; bounds beyond 2**53-1 are decimal strings."""
        low, high = integer_json(self.min), integer_json(self.max)
        return {"name": self.name, "type": "int", "min": low, "max": high}


@dataclass(frozen=True, slots=True)
class Bool(Counted):
    """The values false and true, in this order."""

    kind: ClassVar[str] = "bool"

    def __post_init__(self) -> None:
        self._derive(2, (0, 2))

    @property
    def domain_text(self) -> str:
        """The two values."""
        return "false, true"

    def check(self, value: object, path: Path = ()) -> bool:
        """Return the bool; 0 and 1 are refused."""
        if not isinstance(value, bool):
            raise self.wrong(value, "true or false", path)
        return value

    def index(self, value: Any) -> int:
        """0 for false, 1 for true."""
        return int(value if type(value) is bool else self.check(value, (self.name,)))

    def literal_problem(self, value: object) -> str | None:
        """Accept only true and false."""
        return None if isinstance(value, bool) else f"must be compared with true or false, not {shown(value)}"

    def before(self, value: Any) -> int:
        """The index of the value."""
        return int(value)

    def after(self, value: Any) -> int:
        """The index of the value, plus 1."""
        return int(value) + 1

    def to_json(self) -> dict[str, object]:
        """Write name and type."""
        return {"name": self.name, "type": "bool"}


@dataclass(frozen=True, slots=True)
class Enum(Counted):
    """An ordered list of distinct texts."""

    values: tuple[str, ...]
    kind: ClassVar[str] = "enum"
    _positions: dict[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_positions", {value: i for i, value in enumerate(self.values)})
        self._derive(len(self.values), (0, len(self.values)))

    @property
    def domain_text(self) -> str:
        """The first eight values, and the number of the others."""
        listed = ", ".join(shown(value) for value in self.values[:8])
        return listed if len(self.values) <= 8 else f"{listed} and {len(self.values) - 8} more"

    def check(self, value: object, path: Path = ()) -> str:
        """Return the text if it is in the list."""
        if not isinstance(value, str):
            raise self.wrong(value, "a text from its list of values", path)
        if value not in self._positions:
            raise self.outside(value, path)
        return value

    def index(self, value: Any) -> int:
        """The position in the list."""
        position = self._positions.get(value) if type(value) is str else None
        return self._positions[self.check(value, (self.name,))] if position is None else position

    def key(self, value: Any) -> int:
        """The position in the list."""
        return self._positions[value]

    def literal_problem(self, value: object) -> str | None:
        """Accept only the listed texts."""
        if not isinstance(value, str):
            return f"must be compared with one of its texts, not {shown(value)}"
        known = value in self._positions
        return None if known else f"has no value {shown(value)}; use one of {self.domain_text}"

    def before(self, value: Any) -> int:
        """The position of the value."""
        return self._positions[value]

    def after(self, value: Any) -> int:
        """The position of the value, plus 1."""
        return self._positions[value] + 1

    def to_json(self) -> dict[str, object]:
        """Write name, type, and values in order."""
        return {"name": self.name, "type": "enum", "values": list(self.values)}


def number_problem(value: object) -> str | None:
    """The reason why `value` cannot be compared with a number; None if it can."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return f"must be compared with a number, not {shown(value)}"
    return None
