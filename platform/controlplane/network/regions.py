"""What a dz means in the attributes of its topic, as a filter that says the same."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Self

from controlplane.moves.models import OPEN, Encoding, Move
from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Topic as TopicRow
from tercast.attributes import Attribute, Bool, Enum, Int
from tercast.cell_ranges import cell_ranges
from tercast.dz import Dz
from tercast.eventspace import Topic
from tercast.float_attribute import CELLS, Float
from tercast.string_attribute import POINT_BYTES

EVERYTHING = "true"
LISTED = 8
"""Values of an enum that are told one by one."""


@dataclass(frozen=True, slots=True)
class Regions:
    """Topics by code, with what they index under it: a topic that moves is encoded in two ways."""

    topics: Mapping[int, Topic]

    @classmethod
    def of_codes(cls, codes: Iterable[int]) -> Self:
        """Those of the topics that these codes, or the even ones before them, belong to; three queries."""
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
        """What the cell of a topic holds; None where nobody knows the code."""
        topic = self.topics.get(code)
        if topic is None:
            return None
        try:
            ranges = cell_ranges(topic, cell)
        except ValueError:
            return None  # longer than any of the topic: somebody else's
        parts = [_part(topic.attribute(name), *ends) for name, ends in ranges.items()]
        return " and ".join(filter(None, parts)) or EVERYTHING


def _part(attribute: Attribute, first: int, last: int) -> str:
    """What holds of one attribute; empty where everything does."""
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
        case Float(min=low, max=high):
            width = high / CELLS - low / CELLS
            ends = (low + first * width, low + (last + 1) * width)
        case _:
            return _texts(attribute, first, last)
    above = "" if first == 0 else f"{name} >= {ends[0]:.10g}"
    below = "" if last == attribute.size - 1 else f"{name} < {ends[1]:.10g}"
    return " and ".join(filter(None, (above, below)))


def _texts(attribute: Attribute, first: int, last: int) -> str:
    start = attribute.domain[0]
    above = "" if first == 0 else f"{attribute.name} >= {_beginning(start + first)}"
    below = "" if last == attribute.size - 1 else f"{attribute.name} < {_beginning(start + last + 1)}"
    return " and ".join(filter(None, (above, below)))


def _beginning(cut: int) -> str:
    """What the texts from a cut on begin with."""
    return _quoted(cut.to_bytes(POINT_BYTES, "big").rstrip(b"\0").decode(errors="replace"))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
