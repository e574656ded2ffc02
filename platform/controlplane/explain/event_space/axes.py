"""Axis of a projection: positions of the values, intervals and cells of one attribute.

Numbers are at their values; an int extends to the next one. Booleans and enums are at their positions. Texts
would be concentrated at a few points of their domain, so each relevant text has its own slot, with another
slot between two of them.
"""

import math
import sys
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from tercast.eventspace.attribute import Attribute
from tercast.eventspace.counted_attributes import Bool, Enum, Int
from tercast.eventspace.float_attribute import Float
from tercast.eventspace.intervals import IntervalEnd
from tercast.eventspace.section import Place
from tercast.eventspace.string_attribute import POINTS, beginning

MAX_SLOTS = 60
"""Maximum number of texts with their own slot."""

MAX_TICKS = 200


@dataclass(frozen=True, slots=True)
class Axis:
    """Axis of `attribute`. For texts, `slots` are the distinguished cuts in order."""

    attribute: Attribute
    slots: tuple[int, ...] = ()

    @classmethod
    def of(cls, attribute: Attribute, cuts: Collection[IntervalEnd]) -> "Axis":
        """Return the axis; for texts it has slots for the cuts that occur."""
        if attribute.kind != "string":
            return cls(attribute)
        inner = sorted({cut for cut in cuts if 0 < cut < POINTS})
        step = -(-len(inner) // (2 * MAX_SLOTS)) or 1
        return cls(attribute, (0, *inner[::step], POINTS))

    @property
    def whole(self) -> tuple[float, float]:
        """Return both ends of the axis."""
        start, end = self.attribute.domain
        return self.at(start), self.at(end)

    def at(self, cut: IntervalEnd) -> float:
        """Return the position of a cut."""
        if isinstance(self.attribute, Float):
            return float(cut[0])
        if not self.slots:
            return _double(cut)
        place = min(bisect_right(self.slots, cut) - 1, len(self.slots) - 2)
        low, high = self.slots[place], self.slots[place + 1]
        return place + float((cut - low) / (high - low))

    def point(self, value: Any) -> float:
        """Return the position of a checked value: the middle of its extent if it has one."""
        if isinstance(self.attribute, Float):
            return float(value)
        return (self.at(self.attribute.before(value)) + self.at(self.attribute.after(value))) / 2

    def place(self, place: Place) -> float:
        """Return the position of a place (see `tercast.eventspace.section`)."""
        if isinstance(self.attribute, Float):
            return min(float(place), self.attribute.max)
        return self.at(place)

    def to_json(self) -> dict[str, Any]:
        """Return the axis with its ends, and with labels if it does not show numbers."""
        low, high = self.whole
        kind = "number" if isinstance(self.attribute, Int | Float) else "category"
        fields = {"attribute": self.attribute.name, "type": self.attribute.kind}
        return {
            **fields,
            "kind": "text" if self.slots else kind,
            "low": low,
            "high": high,
            "ticks": self._ticks(),
        }

    def _ticks(self) -> list[dict[str, Any]]:
        match self.attribute:
            case Bool():
                labels = [(0.5, "false"), (1.5, "true")]
            case Enum(values=values):
                labels = [(n + 0.5, value) for n, value in enumerate(values)]
            case _:
                labels = self._texts()
        return [{"at": at, "label": label} for at, label in labels[:MAX_TICKS]]

    def _texts(self) -> list[tuple[float, str]]:
        """Return labels of slots that start at a text, or within the first different character."""
        labels = [self._text(n) for n in range(1, len(self.slots) - 1)]
        labels = [(at, label) for at, label in labels if "\0" not in label and label != "…"]
        return [one for n, one in enumerate(labels) if n == 0 or one[1] != labels[n - 1][1]]

    def _text(self, slot: int) -> tuple[float, str]:
        """Return the label's position, and the start of the slot's text (with U+0000 if none)."""
        cut, behind = self.slots[slot], self.slots[slot + 1]
        return slot + 0.5 * (behind == cut + 1), beginning(cut)


def _double(number: int) -> float:
    """Return the nearest double, or the largest one for larger numbers."""
    try:
        return float(number)
    except OverflowError:
        return math.copysign(sys.float_info.max, number)
