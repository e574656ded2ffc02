"""Position of a dz in the event space: the range of indexes of each indexed attribute."""

from __future__ import annotations

from collections.abc import Iterator

from tercast.eventspace import dz as names
from tercast.eventspace.dz import Dz
from tercast.eventspace.intervals import Interval
from tercast.eventspace.topic import Topic


def cell_ranges(topic: Topic, dz: Dz) -> dict[str, tuple[int, int]]:
    """First and last index of each indexed attribute of a topic without cuts, by attribute name.

    The bits of a dz go through the indexed attributes in order and repeat. They skip attributes that cannot
    be split further (see `tercast.eventspace.bisection`).

    Raises:
        ValueError: The dz has more bits than there are splits.
    """
    attributes = [topic.attributes[i] for i in topic.indexed_positions]
    ranges = _halved([attribute.size for attribute in attributes], dz, topic)
    return {attribute.name: pair for attribute, pair in zip(attributes, ranges, strict=True)}


def _halved(sizes: list[int], dz: Dz, topic: Topic) -> list[tuple[int, int]]:
    """First and last index of attributes of these sizes, after the bits of a dz."""
    starts = [0] * len(sizes)
    turns = _split_order(sizes)
    for bit in names.text(dz):
        turn = next(turns, None)
        if turn is None:
            raise ValueError(f"dz {names.text(dz)} is longer than the longest dz of topic {topic.name}")
        half = sizes[turn] >> 1
        if bit == "1":
            starts[turn] += half
            sizes[turn] -= half
        else:
            sizes[turn] = half
    return [(start, start + size - 1) for start, size in zip(starts, sizes, strict=True)]


def cell_intervals(topic: Topic, dz: Dz) -> dict[str, Interval]:
    """The cuts around the values of each attribute that determines a dz, by attribute name.

    Raises:
        ValueError: The dz has more bits than there are cuts and splits.
    """
    if not topic.cuts:
        found = {}
        for name, (first, last) in cell_ranges(topic, dz).items():
            attribute = topic.attribute(name)
            found[name] = attribute.section(*attribute.places).interval(first, last)
        return found
    branch, rest = topic.cut_space(max(1, names.length(dz))).branch_of(dz)
    positions = topic.indexed_positions
    sections = {i: topic.attributes[i].section(*branch.region[i]) for i in topic.coded_positions}
    ranges = dict(zip(positions, _halved([sections[i].size for i in positions], rest, topic), strict=True))
    return {
        topic.attributes[i].name: section.interval(*ranges.get(i, (0, section.size - 1)))
        for i, section in sections.items()
    }


def _split_order(sizes: list[int]) -> Iterator[int]:
    """Yield the attribute to split next while a size is above 1; the caller may change sizes."""
    while any(size > 1 for size in sizes):
        for turn, size in enumerate(sizes):
            if size > 1:
                yield turn
