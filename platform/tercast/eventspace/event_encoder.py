"""The dz of many events with NumPy; each result equals that of `Topic.event_dz`.

Each indexed attribute becomes a column of codes. Table look-ups interleave the columns into words of 60 bits.
If a column cannot be computed with NumPy (a value is invalid, or a code has more than 63 bits), the events
are encoded one at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tercast.errors import Refused
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.bisection import Halving
from tercast.eventspace.cut_columns import cut_columns
from tercast.eventspace.dz import Dz
from tercast.eventspace.interleaving import CHUNK, BitSchedule
from tercast.eventspace.topic import Topic
from tercast.eventspace.value_columns import (
    NotVectorizable,
    indexes_of_events,
    int_columns,
    places_of,
    places_of_events,
)

_WORD = 60
_AT_ONCE = 8192  # events in one pass: as many as fit in the processor's cache
_WORTHWHILE = 32  # events for which NumPy is faster in a space with cuts
_Words = npt.NDArray[np.uint64]
_Flags = npt.NDArray[np.bool_]


def event_dz_batch(topic: Topic, events: Sequence[Mapping[str, Any]], depth: int) -> list[Dz]:
    """Return `Topic.event_dz` of each event; Refused with the number of the first invalid event."""
    out: list[Dz] = []
    for start in range(0, len(events), _AT_ONCE):
        out += _dz_of_some(topic, events[start : start + _AT_ONCE], depth, start)
    return out


def _dz_of_some(topic: Topic, events: Sequence[Mapping[str, Any]], depth: int, number: int) -> list[Dz]:
    """Encode events that fit in the processor's cache; `number` is the number of the first one."""
    if topic.cuts:
        return _dz_in_cuts(topic, events, depth, number)
    schedule = topic.schedule(depth)
    try:
        codes, early = [], []
        columns = int_columns([topic.attributes[i] for i in topic.indexed_positions], events)
        for a, (position, halving) in enumerate(zip(topic.indexed_positions, schedule.halvings, strict=True)):
            if halving.bits > 63:
                raise NotVectorizable
            if columns is None:
                column, ended = _column(topic.attributes[position], halving, events)
            else:
                column, ended = _codes(halving, columns[a])
            codes.append(column)
            early.append(ended)
    except (NotVectorizable, Refused, KeyError, TypeError, OverflowError):
        return _one_by_one(topic, events, depth, number)
    return _dz(schedule, codes, early)


def _dz_in_cuts(topic: Topic, events: Sequence[Mapping[str, Any]], depth: int, number: int) -> list[Dz]:
    columns = cut_columns(topic.cut_space(depth)) if len(events) >= _WORTHWHILE else None
    if columns is None:
        return _one_by_one(topic, events, depth, number)
    try:
        places = [places_of_events(topic.attributes[i], events) for i in topic.coded_positions]
    except (NotVectorizable, Refused, KeyError, TypeError, OverflowError):
        return _one_by_one(topic, events, depth, number)
    return columns.dz(places)


def event_indexes(topic: Topic, events: Sequence[Mapping[str, Any]]) -> list[npt.NDArray[Any]]:
    """The indexes of values by attribute of `coded_positions`; all are in their domains.

    Columns are uint64, or Python ints for domains of at least 2**63 indexes.
    """
    found: list[npt.NDArray[Any]] = []
    for position in topic.coded_positions:
        attribute = topic.attributes[position]
        try:
            if attribute.size >> 63:
                raise NotVectorizable
            found.append(indexes_of_events(attribute, events))
        except (NotVectorizable, OverflowError, ValueError):
            column = np.empty(len(events), dtype=np.uint64 if attribute.size >> 63 == 0 else object)
            column[:] = [attribute.index(event[attribute.name]) for event in events]
            found.append(column)
    return found


def indexes_dz_batch(topic: Topic, columns: Sequence[npt.NDArray[Any]], depth: int) -> list[Dz]:
    """The dz of events at these indexes, in the form that `event_indexes` returns.

    With cuts, an index of a float represents the first double of its cell.
    """
    if not len(columns[0]):
        return []
    if topic.cuts:
        return _with_cuts(topic, columns, depth)
    schedule = topic.schedule(depth)
    if any(halving.bits > 63 for halving in schedule.halvings) or any(
        column.dtype != np.uint64 for column in columns
    ):
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [schedule.event_dz(row) for row in rows]
    pairs = [_codes(halving, column) for halving, column in zip(schedule.halvings, columns, strict=True)]
    return _dz(schedule, [codes for codes, _ in pairs], [ended for _, ended in pairs])


def _with_cuts(topic: Topic, columns: Sequence[npt.NDArray[Any]], depth: int) -> list[Dz]:
    space, positions = topic.cut_space(depth), topic.coded_positions
    attributes = [topic.attributes[i] for i in positions]
    batch = cut_columns(space)
    if batch is not None:
        return batch.dz([places_of(row, column) for row, column in zip(attributes, columns, strict=True)])
    return [
        space.dz_at(
            {
                i: attribute.place_at(int(index))
                for i, attribute, index in zip(positions, attributes, row, strict=True)
            }
        )
        for row in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _one_by_one(topic: Topic, events: Sequence[Mapping[str, Any]], depth: int, number: int) -> list[Dz]:
    out = []
    for i, event in enumerate(events, number):
        try:
            out.append(topic.event_dz(event, depth))
        except Refused as refused:
            raise refused.under(i) from None
    return out


def _column(
    attribute: Attribute, halving: Halving, events: Sequence[Mapping[str, Any]]
) -> tuple[_Words, _Flags | None]:
    """The codes of the attribute's checked values, and flags of phantom bits (None: none)."""
    if attribute.size >> 63 == 0:
        return _codes(halving, indexes_of_events(attribute, events))
    name = attribute.name
    codes = [halving.code(attribute.index(event[name])) for event in events]
    column = np.array(codes, dtype=np.uint64)
    if not halving.phantoms:
        return column, None
    return column, np.array([halving.ends_early(code) for code in codes], dtype=np.bool_)


def _codes(halving: Halving, indexes: _Words) -> tuple[_Words, _Flags | None]:
    """The codes of indexes, and flags of codes that end in a phantom bit (None: no phantoms)."""
    if halving.even:
        return indexes >> np.uint64(halving.full_bits - halving.bits), None
    index = indexes.astype(np.int64)
    size = np.full(len(index), halving.size, dtype=np.int64)
    code = np.zeros(len(index), dtype=np.uint64)
    ended = None
    for level in range(halving.bits):
        if level == halving.full_bits - 1:
            ended = size == 1
        half = np.maximum(size >> 1, 1)
        right = index >= half
        index -= np.where(right, half, 0)
        size = np.where(right, size - half, half)
        code = code << np.uint64(1) | right.astype(np.uint64)
    return code, ended


def _dz(schedule: BitSchedule, codes: list[_Words], ended: list[_Flags | None]) -> list[Dz]:
    words = _interleaved(schedule, codes)
    if len(words) == 1:
        return _shortened(schedule, words[0], ended)
    whole = [0] * len(words[0])
    for word in reversed(words):
        whole = [dz << _WORD | low for dz, low in zip(whole, word.tolist(), strict=True)]
    if not schedule.phantoms:
        sentinel = 1 << schedule.width
        return [sentinel | dz for dz in whole]
    rows = zip(*(column.tolist() for column in codes), strict=True)
    return [schedule.dz(dz, 0, row) for dz, row in zip(whole, rows, strict=True)]


def _interleaved(schedule: BitSchedule, codes: list[_Words]) -> list[_Words]:
    """The interleaved codes in words; the first word has the last bits."""
    count = max(1, -(-schedule.width // _WORD))
    words = [np.zeros(len(codes[0]), dtype=np.uint64) for _ in range(count)]
    for column, tables in zip(codes, _word_tables(schedule, count), strict=True):
        for chunk, by_word in enumerate(tables):
            part = column >> np.uint64(chunk * CHUNK) & np.uint64((1 << CHUNK) - 1)
            for word, table in zip(words, by_word, strict=True):
                if table is not None:
                    word |= table[part]
    return words


def _word_tables(schedule: BitSchedule, count: int) -> list[list[list[_Words | None]]]:
    """The spread bits of a chunk by attribute, chunk and word; cached in the schedule."""
    if schedule.word_tables is None:
        schedule.word_tables = [
            [[_word_table(table, word) for word in range(count)] for table in tables]
            for tables in schedule.tables
        ]
    kept: list[list[list[_Words | None]]] = schedule.word_tables
    return kept


def _word_table(table: list[int], word: int) -> _Words | None:
    inside = [spread >> word * _WORD & (1 << _WORD) - 1 for spread in table]
    return np.array(inside, dtype=np.uint64) if any(inside) else None


def _shortened(schedule: BitSchedule, code: _Words, ended: list[_Flags | None]) -> list[Dz]:
    """The dz of codes that fit in one word: without phantom bits, and cut to the depth."""
    one = np.uint64(1)
    dz = code | one << np.uint64(schedule.width)
    length = np.full(len(code), schedule.width, dtype=np.int64)
    for bit, a in schedule.phantoms:
        flags = ended[a]
        assert flags is not None
        place = (length - (schedule.width - bit) - 1).astype(np.uint64)
        without = dz >> place + one << place | dz & (one << place) - one
        dz = np.where(flags, without, dz)
        length -= flags
    surplus = np.maximum(length - schedule.depth, 0).astype(np.uint64)
    shortened: list[Dz] = (dz >> surplus).tolist()
    return shortened
