"""Attributes whose values are counted: integers, bools and enums."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar

from tercast.errors import Path, shown
from tercast.eventspace.attribute import Counted
from tercast.eventspace.section import Place
from tercast.runtime.strict_json import integer_json


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

    def value_at(self, place: Place) -> bool:
        """False for 0, true for 1."""
        return bool(place)

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
            raise self.wrong(value, "one of the texts of this attribute", path)
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
            return f"must be compared with one of the listed texts, not {shown(value)}"
        known = value in self._positions
        return None if known else f"has no value {shown(value)}; use one of {self.domain_text}"

    def before(self, value: Any) -> int:
        """The position of the value."""
        return self._positions[value]

    def after(self, value: Any) -> int:
        """The position of the value, plus 1."""
        return self._positions[value] + 1

    def value_at(self, place: Place) -> str:
        """The text at the position."""
        return self.values[int(place)]

    def to_json(self) -> dict[str, object]:
        """Write name, type, and values in order."""
        return {"name": self.name, "type": "enum", "values": list(self.values)}


def number_problem(value: object) -> str | None:
    """The reason why `value` cannot be compared with a number; None if it can."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return f"must be compared with a number, not {shown(value)}"
    return None
