"""Where a dz lies in the event space: of each indexed attribute, the indexes that it holds."""

from __future__ import annotations

from collections.abc import Iterator

from tercast.eventspace import dz as names
from tercast.eventspace.dz import Dz
from tercast.eventspace.topic import Topic

Ranges = dict[str, tuple[int, int]]


def cell_ranges(topic: Topic, dz: Dz) -> Ranges:
    """By name: first and last index of each indexed attribute.

    The bits of a dz go round the indexed attributes in their order, passing over those that cannot be split
    any more (see `tercast.eventspace.bisection`). ValueError where it has more bits than there are splits.
    """
    attributes = [topic.attributes[i] for i in topic.indexed_positions]
    starts, sizes = [0] * len(attributes), [attribute.size for attribute in attributes]
    turns = _turns(sizes)
    for bit in names.text(dz):
        turn = next(turns, None)
        if turn is None:
            raise ValueError(f"dz {names.text(dz)} is longer than any of topic {topic.name}")
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
    """Whose turn it is, as long as one of the sizes, which change meanwhile, is above 1."""
    while any(size > 1 for size in sizes):
        for turn, size in enumerate(sizes):
            if size > 1:
                yield turn
