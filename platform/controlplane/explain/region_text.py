"""Regions: filters that contain the same events as a dz."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Self

from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Topic as TopicRow
from controlplane.registry.transitions.models import OPEN, Encoding, Move
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.cell_bounds import cell_ranges
from tercast.eventspace.counted_attributes import Bool, Enum, Int
from tercast.eventspace.dz import Dz
from tercast.eventspace.float_attribute import Float
from tercast.eventspace.string_attribute import first_text
from tercast.eventspace.topic import Topic

EVERYTHING = "true"
LAST_TEXT = "\U0010ffff" * 4
"""Last text of 16 bytes. Cells after it contain no text, which no filter can express."""
LISTED = 8
"""Maximum number of listed values of an enum."""


@dataclass(frozen=True, slots=True)
class Regions:
    """Topics by code, with the attributes indexed under this code. A moving topic has two codes."""

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
            told = model._default_manager.filter(topic__in=rows, **which)
            for topic, code, indexed in told.values_list("topic", "code", "indexed"):
                found[code] = core_topic(rows[topic]).with_indexed(indexed).with_code(code)
        return cls(found)

    def text(self, code: int, cell: Dz) -> str | None:
        """Return the filter of a topic's cell; None if no topic has the code."""
        topic = self.topics.get(code)
        if topic is None:
            return None
        try:
            ranges = cell_ranges(topic, cell)
        except ValueError:
            return None  # longer than any dz of the topic: an entry of another owner
        parts = [_part(topic.attribute(name), *ends) for name, ends in ranges.items()]
        return " and ".join(filter(None, parts)) or EVERYTHING


def _part(attribute: Attribute, first: int, last: int) -> str:
    """Return the condition on one attribute; empty if every value is in the range."""
    whole = last - first + 1 == attribute.size
    name = attribute.name
    match attribute:
        case _ if whole:
            return ""
        case Bool():
            return f"{name} = {'true' if first else 'false'}"
        case Enum(values=values):
            listed = ", ".join(
                _quoted(value) for value in islice(values, first, min(last + 1, first + LISTED))
            )
            return f"{name} in ({listed}{', …' if last - first >= LISTED else ''})"
        case Int(min=low):
            return f"{name} in [{low + first}, {low + last}]"
        case Float():
            ends = attribute.first_double(first), attribute.first_double(last + 1)
        case _:
            return _texts(attribute, first, last)
    above = "" if first == 0 else f"{name} >= {_number(ends[0])}"
    below = "" if last == attribute.size - 1 else f"{name} < {_number(ends[1])}"
    return " and ".join(filter(None, (above, below)))


def _number(value: float) -> str:
    """Return a double as a filter writes it, so that it reads as the same number."""
    return repr(value).removesuffix(".0")


def _texts(attribute: Attribute, first: int, last: int) -> str:
    """Return the condition for a range of points; the last text replaces a missing border."""
    low = first_text(first) if first else ""
    high = None if last == attribute.size - 1 else first_text(last + 1)
    above = "" if low == "" else f"{attribute.name} >= {_quoted(LAST_TEXT if low is None else low)}"
    below = "" if high is None else f"{attribute.name} < {_quoted(high)}"
    return " and ".join(filter(None, (above, below)))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
