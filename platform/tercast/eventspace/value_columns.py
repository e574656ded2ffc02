"""The values of one attribute in many events as NumPy columns: indexes, or places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from tercast.eventspace.attribute import Attribute
from tercast.eventspace.counted_attributes import Bool, Enum, Int
from tercast.eventspace.float_attribute import Float
from tercast.eventspace.float_columns import float_indexes

_Words = npt.NDArray[np.uint64]


class NotVectorizable(Exception):  # noqa: N818 - named by meaning
    """A column that NumPy cannot compute; the events are encoded one at a time."""


def int_columns(attributes: Sequence[Attribute], events: Sequence[Mapping[str, Any]]) -> list[_Words] | None:
    """The checked indexes of all values by attribute; None if an attribute is not an integer.

    One pass through the events is several times as fast as one pass for each attribute.
    """
    if len(attributes) < 2 or not all(isinstance(row, Int) and row.size >> 63 == 0 for row in attributes):
        return None
    rows = list(map(itemgetter(*[row.name for row in attributes]), events))
    if set(map(type, chain.from_iterable(rows))) != {int}:
        raise NotVectorizable
    flat = np.fromiter(chain.from_iterable(rows), np.int64, len(rows) * len(attributes))
    columns = flat.reshape(-1, len(attributes)).T
    return [_from_start(row, column) for row, column in zip(attributes, columns, strict=True)]  # type: ignore[arg-type]


def indexes_of_events(attribute: Attribute, events: Sequence[Mapping[str, Any]]) -> _Words:
    """The indexes of the attribute's values, checked."""
    name = attribute.name
    values = [event[name] for event in events]
    match attribute:
        case Int():
            return _int_indexes(attribute, values)
        case Float():
            return float_indexes(attribute, _doubles(attribute, values))
        case Bool() if set(map(type, values)) == {bool}:
            return np.array(values, dtype=np.uint64)
        case Enum() if set(map(type, values)) == {str}:
            return np.array([attribute.key(value) for value in values], dtype=np.uint64)
    raise NotVectorizable


def _int_indexes(attribute: Int, values: list[Any]) -> _Words:
    if set(map(type, values)) != {int}:
        raise NotVectorizable
    return _from_start(attribute, np.array(values, dtype=np.int64))


def _from_start(attribute: Int, column: npt.NDArray[np.int64]) -> _Words:
    """The indexes of integers, which must be in the domain."""
    if column.min() < attribute.min or column.max() > attribute.max:
        raise NotVectorizable
    # Differences wrap around to the correct index, even if min is below -2**62.
    return column.astype(np.uint64) - np.uint64(attribute.min & (1 << 64) - 1)


def _doubles(attribute: Float, values: list[Any]) -> npt.NDArray[np.float64]:
    if set(map(type, values)) != {float}:
        raise NotVectorizable
    column = np.array(values, dtype=np.float64)
    if not (column.min() >= attribute.min and column.max() <= attribute.max):  # also true for NaN
        raise NotVectorizable
    return column


def places_of_events(attribute: Attribute, events: Sequence[Mapping[str, Any]]) -> npt.NDArray[Any]:
    """The places of the attribute's values, checked."""
    if isinstance(attribute, Float):
        return _doubles(attribute, [event[attribute.name] for event in events])
    return places_of(attribute, indexes_of_events(attribute, events))


def places_of(attribute: Attribute, indexes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The places of values by index; for floats, the first double of the cell."""
    if isinstance(attribute, Float):
        return np.array([attribute.place_at(index) for index in indexes.tolist()], np.float64)
    return indexes.astype(np.int64) + int(attribute.places[0])
