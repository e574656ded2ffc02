"""An axis of a picture: where the values, intervals and cells of one attribute lie on it.

Numbers lie at their values (an int takes the room up to the next one), bools and enums at their place. Texts
would all lie at a few spots of their domain, so each that matters has a slot of its own, with one between.
"""

import math
import sys
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from tercast.eventspace.attribute import Attribute, Bool, Enum, Int
from tercast.eventspace.float_attribute import CELLS, Float
from tercast.eventspace.intervals import Cut
from tercast.eventspace.string_attribute import POINTS, beginning

MAX_SLOTS = 60
"""Texts that have a slot of their own, at most."""

MAX_TICKS = 200

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Axis:
    """The axis of `attribute`; of texts, `slots` are the cuts that are told apart, in order."""

    attribute: Attribute
    slots: tuple[int, ...] = ()

    @classmethod
    def of(cls, attribute: Attribute, cuts: Collection[Cut]) -> "Axis":
        """With room for the cuts that occur, where they are texts."""
        if attribute.kind != "string":
            return cls(attribute)
        inner = sorted({cut for cut in cuts if 0 < cut < POINTS})
        step = -(-len(inner) // (2 * MAX_SLOTS)) or 1
        return cls(attribute, (0, *inner[::step], POINTS))

    @property
    def whole(self) -> Range:
        """From end to end."""
        start, end = self.attribute.domain
        return self.at(start), self.at(end)

    def at(self, cut: Cut) -> float:
        """Where a cut lies."""
        if isinstance(self.attribute, Float):
            return float(cut[0])
        if not self.slots:
            return _double(cut)
        place = min(bisect_right(self.slots, cut) - 1, len(self.slots) - 2)
        low, high = self.slots[place], self.slots[place + 1]
        return place + float((cut - low) / (high - low))

    def point(self, value: Any) -> float:
        """Where a checked value lies: in the middle of its room where it has some."""
        if isinstance(self.attribute, Float):
            return float(value)
        return (self.at(self.attribute.before(value)) + self.at(self.attribute.after(value))) / 2

    def cells(self, first: int, last: int) -> Range:
        """Where the indexes from `first` to `last` lie."""
        attribute = self.attribute
        if isinstance(attribute, Float):
            width = attribute.max / CELLS - attribute.min / CELLS
            return attribute.min + first * width, min(attribute.min + (last + 1) * width, attribute.max)
        start = attribute.domain[0]
        return self.at(start + first), self.at(start + last + 1)

    def to_json(self) -> dict[str, Any]:
        """The axis with its ends, and labels where numbers alone say nothing."""
        low, high = self.whole
        kind = "number" if isinstance(self.attribute, Int | Float) else "category"
        told = {"attribute": self.attribute.name, "type": self.attribute.kind}
        return {
            **told,
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
        """The labels of slots that begin at a text, or inside the first character that differs."""
        labels = [self._text(n) for n in range(1, len(self.slots) - 1)]
        labels = [(at, label) for at, label in labels if "\0" not in label and label != "…"]
        return [one for n, one in enumerate(labels) if n == 0 or one[1] != labels[n - 1][1]]

    def _text(self, slot: int) -> tuple[float, str]:
        """Where the label of a slot stands, and the text that it begins with (with U+0000: it is none)."""
        cut, behind = self.slots[slot], self.slots[slot + 1]
        return slot + 0.5 * (behind == cut + 1), beginning(cut)


def _double(number: int) -> float:
    """The nearest double; the largest one for what is beyond it."""
    try:
        return float(number)
    except OverflowError:
        return math.copysign(sys.float_info.max, number)
