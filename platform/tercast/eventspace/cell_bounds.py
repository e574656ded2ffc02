"""Position of a dz in the event space: the range of indexes of each indexed attribute."""

from __future__ import annotations

from collections.abc import Iterator

from tercast.eventspace import dz as names
from tercast.eventspace.dz import Dz
from tercast.eventspace.topic import Topic

Ranges = dict[str, tuple[int, int]]


def cell_ranges(topic: Topic, dz: Dz) -> Ranges:
    """First and last index of each indexed attribute, by attribute name.

    The bits of a dz go through the indexed attributes in order and repeat. They skip attributes that cannot
    be split further (see `tercast.eventspace.bisection`).

    Raises:
        ValueError: The dz has more bits than there are splits.
    """
    attributes = [topic.attributes[i] for i in topic.indexed_positions]
    starts, sizes = [0] * len(attributes), [attribute.size for attribute in attributes]
    turns = _turns(sizes)
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
    return {
        attribute.name: (start, start + size - 1)
        for attribute, start, size in zip(attributes, starts, sizes, strict=True)
    }


def _turns(sizes: list[int]) -> Iterator[int]:
    """Yield the attribute to split next while a size is above 1; the caller may change sizes."""
    while any(size > 1 for size in sizes):
        for turn, size in enumerate(sizes):
            if size > 1:
                yield turn
