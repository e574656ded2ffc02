"""Float attributes: a domain of reals, cut into 2**32 equal cells whose borders are exact rationals."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from tercast.errors import Path, shown
from tercast.eventspace.attribute import Attribute, number_problem
from tercast.eventspace.intervals import Interval

SPLITS = 32
CELLS = 1 << SPLITS

MARGIN = 2.0**-16
"""Farther than this from a cell border, double arithmetic cannot be on its wrong side (see `Float.scale`)."""


@dataclass(frozen=True, slots=True)
class Float(Attribute):
    """Reals min..max, both included; values and bounds are IEEE doubles.

    `scale` is cells per unit in double arithmetic. (v - min) * scale has three roundings and the one of the
    scale's own span, so it is off by less than 2**32 * 2**-50 cells, well below `MARGIN`. It is 0.0, which
    sends every value to the exact way, where the span is extreme enough for overflows. `exact_span`: max -
    min is a double.
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
        """min..max."""
        return f"{self.min!r}..{self.max!r}"

    def check(self, value: object, path: Path = ()) -> float:
        """The value as a double; an integer only where a double holds it exactly."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(value, "a number", path)
        number = exact_double(value)
        if number is None:
            raise self.wrong(value, "a number that an IEEE double holds", path)
        if not self.min <= number <= self.max:  # NaN too
            raise self.outside(value, path)
        return number

    def index(self, value: Any) -> int:
        """The cell of the value, exact; max lies in the last one."""
        if type(value) is not float or not self.min <= value <= self.max:
            value = self.check(value, (self.name,))
        if self.scale:
            cell = (value - self.min) * self.scale
            index = int(cell)
            if MARGIN < cell - index < 1 - MARGIN:
                return index
        return min(self._exact_cell(value)[0], CELLS - 1)

    def literal_problem(self, value: object) -> str | None:
        """Numbers of both kinds compare exactly."""
        return number_problem(value)

    def before(self, value: Any) -> tuple[Any, int]:
        """Just below the value."""
        return value, 0

    def after(self, value: Any) -> tuple[Any, int]:
        """Just above the value."""
        return value, 1

    def cells(self, interval: Interval) -> tuple[int, int]:
        """First and last cell that hold a real of the interval."""
        (low, _), (high, above) = interval
        last, on_border = self._exact_cell(high)
        if on_border and not above:
            last -= 1
        # Only `max` itself lies behind the last cell; an open lower end there leaves nothing at all.
        return min(self._exact_cell(low)[0], CELLS - 1), min(last, CELLS - 1)

    def share(self, interval: Interval) -> Fraction:
        """The part of the length; a single value has none."""
        length = Fraction(interval[1][0]) - Fraction(interval[0][0])
        return length / (Fraction(self.max) - Fraction(self.min))

    def first_double(self, cell: int) -> float:
        """The smallest double of a cell: at its lower border, or next above it."""
        low, span = Fraction(self.min), Fraction(self.max) - Fraction(self.min)
        return double_at_least(low + span * cell / CELLS)

    def to_json(self) -> dict[str, object]:
        """Bounds as doubles."""
        return {"name": self.name, "type": "float", "min": self.min, "max": self.max}

    def _exact_cell(self, value: float) -> tuple[int, bool]:
        """The cell whose lower border is at or below the value, and whether the value is that border."""
        numerator, denominator = value.as_integer_ratio()
        above = (numerator << self._shift) - self._low * denominator
        cell, rest = divmod(above << SPLITS, self._span * denominator)
        return cell, rest == 0


def double_at_least(number: int | Decimal | Fraction | float) -> float:
    """The smallest double that is not below a number, or an infinity."""
    try:
        nearest = float(number)
    except OverflowError:
        return math.inf if number > 0 else -sys.float_info.max
    return math.nextafter(nearest, math.inf) if nearest < number else nearest


def exact_double(value: int | float) -> float | None:
    """The double equal to `value`; None for an integer that no double equals. NaN and infinities pass."""
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isinstance(value, float) or number == value else None


def describe_inexact(value: int) -> str:
    """Why an integer bound of a float domain is refused."""
    return f"{shown(value)} is not exactly an IEEE double; write the double that is meant"
