"""Float attributes: a domain of reals in 2**32 equal cells with exact rational borders."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from tercast.errors import Path, shown
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.counted_attributes import number_problem
from tercast.eventspace.intervals import Interval, IntervalEnd
from tercast.eventspace.section import Place, Section

SPLITS = 32
CELLS = 1 << SPLITS

MARGIN = 2.0**-16
"""At this distance from a cell border, double arithmetic finds the correct cell (see `Float.scale`)."""


@dataclass(frozen=True, slots=True)
class Float(Attribute):
    """Reals min..max, both included; values and bounds are IEEE doubles.

    `scale` is the number of cells per unit in double arithmetic. (v - min) * scale has three roundings, and
    the scale has one more in its span. So the error is below 2**32 * 2**-50 cells, far less than `MARGIN`. If
    the span is so extreme that overflows are possible, `scale` is 0.0 and every cell is computed exactly.
    `exact_span`: max - min is a double.
    """

    min: float
    max: float
    kind: ClassVar[str] = "float"
    scale: float = field(init=False, compare=False, repr=False)
    exact_span: bool = field(init=False, compare=False, repr=False)
    _shift: int = field(init=False, compare=False, repr=False)
    _low: int = field(init=False, compare=False, repr=False)
    _span: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        low, high = Fraction(self.min), Fraction(self.max)
        shift = max(low.denominator, high.denominator).bit_length() - 1
        span = self.max - self.min
        scale = CELLS / span if 1e-200 < span < 1e200 else 0.0
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "exact_span", span < math.inf and Fraction(span) == high - low)
        object.__setattr__(self, "_shift", shift)
        object.__setattr__(self, "_low", int(low * (1 << shift)))
        object.__setattr__(self, "_span", int((high - low) * (1 << shift)))
        self._derive(CELLS, ((self.min, 0), (self.max, 1)))

    @property
    def domain_text(self) -> str:
        """The text `min..max`."""
        return f"{self.min!r}..{self.max!r}"

    def check(self, value: object, path: Path = ()) -> float:
        """Return the value as a double; an integer is accepted only if a double equals it."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(value, "a number", path)
        number = exact_double(value)
        if number is None:
            raise self.wrong(
                value, "a number that a 64-bit floating-point number can represent exactly", path
            )
        if not self.min <= number <= self.max:  # also true for NaN
            raise self.outside(value, path)
        return number

    def index(self, value: Any) -> int:
        """The exact cell of the value; `max` is in the last cell."""
        if type(value) is not float or not self.min <= value <= self.max:
            value = self.check(value, (self.name,))
        if self.scale:
            cell = (value - self.min) * self.scale
            index = int(cell)
            if MARGIN < cell - index < 1 - MARGIN:
                return index
        return min(self._exact_cell(value)[0], CELLS - 1)

    def literal_problem(self, value: object) -> str | None:
        """Accept integers, doubles and decimals: all compare exactly."""
        return number_problem(value)

    def before(self, value: Any) -> tuple[Any, int]:
        """The cut just below the value."""
        return value, 0

    def after(self, value: Any) -> tuple[Any, int]:
        """The cut just above the value."""
        return value, 1

    def cells(self, interval: Interval) -> tuple[int, int]:
        """First and last cell that contain a real of the interval."""
        (low, _), (high, above) = interval
        last, on_border = self._exact_cell(high)
        if on_border and not above:
            last -= 1
        # Only `max` is after the last cell. An interval with an open lower end there is empty.
        return min(self._exact_cell(low)[0], CELLS - 1), min(last, CELLS - 1)

    def share(self, interval: Interval) -> Fraction:
        """The interval's share of the length; 0 for a single value."""
        length = Fraction(interval[1][0]) - Fraction(interval[0][0])
        return length / (Fraction(self.max) - Fraction(self.min))

    def place(self, cut: tuple[Any, int]) -> float:
        """The first double after the cut; infinity if there is none."""
        value, above = cut
        double = double_at_least(value)
        return math.nextafter(double, math.inf) if above and double == value else double

    def place_of(self, value: Any) -> float:
        """The value as a double."""
        if type(value) is float and self.min <= value <= self.max:
            return value
        return self.check(value, (self.name,))

    def place_at(self, index: int) -> float:
        """The smallest double of the cell, or `max` if there is none within the domain."""
        return min(self.first_double(index), self.max)

    def value_at(self, place: Place) -> float:
        """The double."""
        return float(place)

    def section(self, low: Place, high: Place) -> Section:
        """The doubles from `low` up to, but without, `high`."""
        last = math.nextafter(high, -math.inf)
        end = min((high, 0), self.domain[1])
        if low == last:
            return SingleDouble(low, high, end)
        return DoubleSection(low, high, end, Float(self.name, low, last))

    def first_double(self, cell: int) -> float:
        """The smallest double of a cell: the double at its lower border, or the next one above it."""
        low, span = Fraction(self.min), Fraction(self.max) - Fraction(self.min)
        return double_at_least(low + span * cell / CELLS)

    def to_json(self) -> dict[str, object]:
        """Write name, type and bounds as doubles."""
        return {"name": self.name, "type": "float", "min": self.min, "max": self.max}

    def _exact_cell(self, value: float) -> tuple[int, bool]:
        """The cell that contains the value, and whether the value is on its lower border."""
        numerator, denominator = value.as_integer_ratio()
        above = (numerator << self._shift) - self._low * denominator
        cell, rest = divmod(above << SPLITS, self._span * denominator)
        return cell, rest == 0


@dataclass(frozen=True, slots=True)
class SingleDouble:
    """A section with one double, which cannot be split."""

    low: Place
    high: Place
    end: IntervalEnd
    size: int = 1

    def index(self, place: Place) -> int:
        """0, the only index."""
        return 0

    def cells(self, low: Place, high: Place) -> tuple[int, int]:
        """First and last index: 0."""
        return 0, 0

    def interval(self, first: int, last: int) -> Interval:
        """The cuts before and after the double."""
        return (self.low, 0), self.end


@dataclass(frozen=True, slots=True)
class DoubleSection:
    """Doubles between two places; they are split as the domain of the attribute `part`."""

    low: Place
    high: Place
    end: IntervalEnd
    part: Float
    size: int = CELLS

    def index(self, place: Place) -> int:
        """The cell of a double of the section."""
        return self.part.index(place)

    def cells(self, low: Place, high: Place) -> tuple[int, int]:
        """First and last cell with a real at least `low` and below `high`."""
        return self.part.cells(((low, 0), (high, 0) if high < self.high else self.part.domain[1]))

    def interval(self, first: int, last: int) -> Interval:
        """The cuts before the first double of `first`, and after the last double of `last`."""
        end = self.end if last == CELLS - 1 else (self.part.first_double(last + 1), 0)
        return (self.part.first_double(first), 0), end


def double_at_least(number: int | Decimal | Fraction | float) -> float:
    """The smallest double that is not below a number; may be infinity."""
    try:
        nearest = float(number)
    except OverflowError:
        return math.inf if number > 0 else -sys.float_info.max
    return math.nextafter(nearest, math.inf) if nearest < number else nearest


def exact_double(value: int | float) -> float | None:
    """The double equal to `value`; None for an integer that no double equals.

    NaN and infinity are returned unchanged.
    """
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isinstance(value, float) or number == value else None


def describe_inexact(value: int) -> str:
    """Explain why an integer bound of a float domain is refused."""
    try:
        nearest = repr(float(value))
    except OverflowError:
        nearest = "a number closer to 0"
    return f"{shown(value)} has no exact 64-bit floating-point form; write {nearest}"
