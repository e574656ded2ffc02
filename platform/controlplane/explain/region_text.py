"""Regions: filters that contain the same events as a dz."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Self

from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Topic as TopicRow
from controlplane.registry.transitions.models import OPEN, Encoding, Move
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.cell_bounds import cell_intervals
from tercast.eventspace.counted_attributes import Bool, Enum, Int
from tercast.eventspace.dz import Dz
from tercast.eventspace.float_attribute import Float
from tercast.eventspace.intervals import Interval
from tercast.eventspace.string_attribute import POINT_BYTES, POINTS, first_text, point
from tercast.eventspace.topic import Topic

EVERYTHING = "true"
LAST_TEXT = "\U0010ffff" * 4
"""Last text of 16 bytes. Cells after it contain no text, which no filter can express."""
LISTED = 8
"""Maximum number of listed values of an enum."""


@dataclass(frozen=True, slots=True)
class Regions:
    """Topics by code, in the encoding of this code. A moving topic has two codes."""

    topics: Mapping[int, Topic]

    @classmethod
    def of_codes(cls, codes: Iterable[int]) -> Self:
        """Return the topics of these codes, or of the even codes before them; three queries."""
        found: dict[int, Topic] = {}
        wanted = {code & ~1 for code in codes} | set(codes)
        rows = {row.pk: row for row in TopicRow.objects.filter(code__in=wanted)}
        for row in rows.values():
            found[row.code] = core_topic(row)
        for model, which in ((Encoding, {}), (Move, {"stage__in": OPEN})):
            announcements = model._default_manager.filter(topic__in=rows, **which)
            for topic, code, indexed, cuts in announcements.values_list("topic", "code", "indexed", "cuts"):
                encoded = core_topic(rows[topic]).with_indexed(indexed).with_cuts(cuts)
                found[code] = encoded.with_code(code)
        return cls(found)

    def text(self, code: int, cell: Dz) -> str | None:
        """Return the filter of a topic's cell; None if no topic has the code."""
        topic = self.topics.get(code)
        if topic is None:
            return None
        try:
            intervals = cell_intervals(topic, cell)
        except ValueError:
            return None  # longer than any dz of the topic: an entry of another owner
        parts = [_part(topic.attribute(name), interval) for name, interval in intervals.items()]
        return " and ".join(filter(None, parts)) or EVERYTHING


def _part(attribute: Attribute, interval: Interval) -> str:
    """Return the condition on one attribute; empty if every value is in the interval."""
    if interval == attribute.domain:
        return ""
    name = attribute.name
    low, high = interval
    match attribute:
        case Bool():
            return f"{name} = {'true' if low else 'false'}"
        case Enum(values=values):
            listed = ", ".join(_quoted(value) for value in islice(values, low, min(high, low + LISTED)))
            return f"{name} in ({listed}{', …' if high - low > LISTED else ''})"
        case Int():
            return f"{name} in [{low}, {high - 1}]"
        case Float():
            return _doubles(attribute, interval)
        case _:
            return _texts(name, low, high)


def _doubles(attribute: Float, interval: Interval) -> str:
    """Return the condition for the doubles between two cuts."""
    (low, high), (start, end) = interval, attribute.domain
    above = "" if low == start else f"{attribute.name} >= {_number(attribute.place(low))}"
    below = "" if high == end else f"{attribute.name} < {_number(attribute.place(high))}"
    return " and ".join(filter(None, (above, below)))


def _number(value: float) -> str:
    """Return a double as a filter writes it, so that it reads as the same number."""
    return repr(value).removesuffix(".0")


def _texts(name: str, first: int, end: int) -> str:
    """Return the condition for the points before `end`; the last text replaces a missing border."""
    low = first_text(first) if first else ""
    high = None if end == POINTS else first_text(end)
    if low and _is_single(low, end):
        return f"{name} = {_quoted(low)}"
    above = "" if low == "" else f"{name} >= {_quoted(LAST_TEXT if low is None else low)}"
    below = "" if high is None else f"{name} < {_quoted(high)}"
    return " and ".join(filter(None, (above, below)))


def _is_single(text: str, end: int) -> bool:
    """Whether no other text has a point from that of `text` up to, but without, `end`."""
    encoded = text.encode()
    if len(encoded) >= POINT_BYTES or point(encoded) + 1 >= POINTS:
        return False
    following = first_text(point(encoded) + 1)
    return following is None or point(following.encode()) >= end


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
