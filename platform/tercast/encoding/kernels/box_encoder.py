"""Compiled encoder of filters that are one box on an even grid; it returns None for others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tercast.encoding.kernels.cell_selection import MAX_LIMIT, MAX_WIDTH, refine_box
from tercast.encoding.kernels.refinement_tree import EvenGrid
from tercast.eventspace.dz import DzSet
from tercast.filters.kernels.parser import Names, TextBytes, read_ranges, read_tests
from tercast.filters.tokens import NAME
from tercast.runtime.compiler import compile_kernel
from tercast.runtime.growable_array import Ints

if TYPE_CHECKING:
    from tercast.encoding.grid_boxes import Side
    from tercast.eventspace.interleaving import BitSchedule
    from tercast.eventspace.topic import Topic

_LARGEST = 1 << 55


class BoxEncoder:
    """Encoder of a topic's boxes on one grid; results equal `tercast.encoding.encoder`."""

    __slots__ = ("domains", "packed")

    def __init__(self, topic: Topic, schedule: BitSchedule) -> None:
        self.domains = np.array(_domains(topic), np.int64).T.copy()
        self.packed = _packed(topic, schedule)

    @staticmethod
    def serves(schedule: BitSchedule) -> bool:
        """Whether this encoder can encode boxes on this grid."""
        return schedule.all_even and 0 < schedule.width <= MAX_WIDTH

    def of_text(self, text: str, limit: int) -> DzSet | None:
        """The dz set of a filter's text; None if the parser must read it."""
        if limit > MAX_LIMIT or not text.isascii():
            return None
        out = np.empty(limit, np.int64)
        found = _encode_text(np.frombuffer(text.encode(), np.uint8), self.packed, out)
        return tuple(out[:found].tolist()) if found > 0 else None

    def of_texts(self, texts: Sequence[str], limit: int) -> list[DzSet | None]:
        """The dz sets of many filters, in one call."""
        whole = "".join(texts)
        if limit > MAX_LIMIT or not whole.isascii():
            return [self.of_text(text, limit) for text in texts]
        ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
        out = np.empty((len(texts), limit), np.int64)
        found = _encode_texts(np.frombuffer(whole.encode(), np.uint8), ends, self.packed, out)
        rows = zip(out.tolist(), found.tolist(), strict=True)
        return [tuple(row[:count]) if count > 0 else None for row, count in rows]

    def of_codes(self, sides: Sequence[Side], limit: int) -> DzSet | None:
        """The dz set of a box with one range of codes for each indexed attribute."""
        if limit > MAX_LIMIT:
            return None
        out = np.empty(limit, np.int64)
        found = encode_codes(np.array(sides, np.int64).T.copy(), self.packed, out)
        return tuple(out[:found].tolist()) if found > 0 else None

    def of_sides(self, low: int, high: int, sides: tuple[Side, ...], limit: int) -> DzSet | None:
        """The dz set of a box in the form of `tercast.encoding.single_box.box_of`."""
        if limit > MAX_LIMIT:
            return None
        out = np.empty(limit, np.int64)
        found = _encode_box(low, high, np.array(sides, np.int64).T.copy(), self.packed, out)
        return tuple(out[:found].tolist()) if found > 0 else None


def _domains(topic: Topic) -> list[tuple[int, int]]:
    """The first and last value of each attribute; an empty range if the kernel does not read it."""
    return [(a.domain[0], a.domain[1] - 1) if _is_plain(a) else (1, 0) for a in topic.attributes]


def _packed(topic: Topic, schedule: BitSchedule) -> Ints:
    """Pack all data for kernels in one array.

    Passing each array separately takes a third of a microsecond. First come the numbers of attributes, of
    name characters, of indexed attributes and of bits. Then the ends of names, the names, the domains (empty
    if the kernel does not handle the attribute), the rows of `_plan`, and the schedule's owner, place and
    below.
    """
    good = [_is_plain(attribute) for attribute in topic.attributes]
    rows = list(zip(topic.attributes, good, strict=True))
    names = [attribute.name.encode() if fine else b"" for attribute, fine in rows]
    domains = _domains(topic)
    text = b"".join(names)
    plan = _plan(topic, schedule)
    parts = (
        [len(rows), len(text), len(plan), schedule.width, 0],
        np.cumsum([len(name) for name in names]),
        list(text),
        [low for low, _ in domains],
        [high for _, high in domains],
        np.array(plan, np.int64).ravel(),
        schedule.owner,
        schedule.place,
        schedule.below,
    )
    return np.concatenate([np.array(part, np.int64) for part in parts])


def _is_plain(attribute: Any) -> bool:
    if attribute.kind != "int" or not re.fullmatch(NAME, attribute.name):
        return False
    low, high = attribute.domain
    return bool(low > -_LARGEST and high < _LARGEST)


def _plan(topic: Topic, schedule: BitSchedule) -> list[tuple[int, int, int, int]]:
    """The position, first value of the domain, shift and last code of each indexed attribute."""
    rows = []
    for a, position in enumerate(topic.indexed_positions):
        attribute, halving = topic.attributes[position], schedule.halvings[a]
        start = attribute.domain[0] if _is_plain(attribute) else 0
        rows.append((position, start, halving.shift, (1 << halving.bits) - 1))
    return rows


@compile_kernel
def _unpacked(packed: Ints) -> tuple[Names, Ints, EvenGrid]:
    """Unpack the array of `_packed`."""
    attributes, letters, indexed, width = packed[0], packed[1], packed[2], packed[3]
    starts = packed[4 : 5 + attributes]
    at = 5 + attributes
    text = packed[at : at + letters]
    at += letters
    low = packed[at : at + attributes]
    high = packed[at + attributes : at + 2 * attributes]
    at += 2 * attributes
    plan = packed[at : at + 4 * indexed].reshape(indexed, 4)
    at += 4 * indexed
    bits = width + 1
    grid = EvenGrid(
        packed[at : at + bits],
        packed[at + bits : at + 2 * bits],
        packed[at + 2 * bits : at + 3 * bits],
        width,
    )
    return Names(text, starts, low, high), plan, grid


@compile_kernel
def _encode_box(low: int, high: int, sides: Ints, packed: Ints, out: Ints) -> int:
    """Write the dz of a box to `out`, at most as many as fit; return their number."""
    _, _, grid = _unpacked(packed)
    return refine_box(grid, low, high, sides, out.size, out)


@compile_kernel
def _encode_text(text: TextBytes, packed: Ints, out: Ints) -> int:
    """Write the dz of a filter's text to `out`; 0 if the parser must read the text."""
    names, plan, grid = _unpacked(packed)
    low = np.empty(names.low.size, np.int64)
    high = np.empty(names.low.size, np.int64)
    if not read_ranges(text, names, low, high):
        return 0
    sides = np.empty((2, plan.shape[0]), np.int64)
    for a in range(plan.shape[0]):
        position = plan[a, 0]
        if names.low[position] > names.high[position]:
            sides[0, a], sides[1, a] = 0, plan[a, 3]
        else:
            sides[0, a] = (low[position] - plan[a, 1]) >> plan[a, 2]
            sides[1, a] = (high[position] - plan[a, 1]) >> plan[a, 2]
    return _encode_sides(grid, sides, out)


@compile_kernel
def _encode_sides(grid: EvenGrid, sides: Ints, out: Ints) -> int:
    """Write the dz of a box to `out`; `sides` has the first and last codes of each attribute."""
    first = last = 0
    for bit in range(grid.width, 0, -1):
        a, place = grid.owner[bit], grid.place[bit]
        first |= ((sides[0, a] >> place) & 1) << (bit - 1)
        last |= ((sides[1, a] >> place) & 1) << (bit - 1)
    return refine_box(grid, first, last, sides, out.size, out)


@compile_kernel
def encode_codes(sides: Ints, packed: Ints, out: Ints) -> int:
    """Write the dz of a box with these first and last codes to `out`; return their number."""
    _, _, grid = _unpacked(packed)
    return _encode_sides(grid, sides, out)


@compile_kernel
def read_some(text: TextBytes, at: int, packed: Ints, ranges: Ints) -> tuple[int, int]:
    """Narrow the ranges of attributes by tests of a text, as `read_tests`."""
    names, _, _ = _unpacked(packed)
    return read_tests(text, at, names, ranges[0], ranges[1])


@compile_kernel
def _encode_texts(text: TextBytes, ends: Ints, packed: Ints, out: Ints) -> Ints:
    """Write the dz of many concatenated texts to the rows of `out`; return their numbers."""
    found = np.empty(ends.size, np.int64)
    start = 0
    for i in range(ends.size):
        found[i] = _encode_text(text[start : ends[i]], packed, out[i])
        start = ends[i]
    return found
