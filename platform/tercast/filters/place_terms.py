"""Terms of a filter as places: the form in which a cut tree divides them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tercast.eventspace.attribute import Attribute
from tercast.eventspace.intervals import IntervalSet
from tercast.eventspace.section import Place
from tercast.filters.filter import Filter

Spans = tuple[tuple[Place, Place], ...]
"""Places from the first to before the second, in order."""

PlaceTerm = dict[int, Spans]
"""A conjunction: the places by attribute; without an attribute, all places."""


def place_terms(
    filter_: Filter, attributes: Sequence[Attribute], positions: Sequence[int]
) -> list[PlaceTerm]:
    """The terms of a filter as places at `positions`, without terms that no event matches.

    A filter between two neighbouring doubles matches no event. It has the places of the lower double, because
    every filter has a cell.
    """
    every = [
        {position: _spans(attributes[position], held) for position, held in term if position in positions}
        for term in filter_.terms
    ]
    terms = [term for term in every if all(low < high for spans in term.values() for low, high in spans)]
    return terms or [{position: _widened(spans) for position, spans in every[0].items()}]


def _spans(attribute: Attribute, held: IntervalSet) -> Spans:
    """The places of intervals; a single empty span if no value is in any of them."""
    spans = tuple((attribute.place(low), attribute.place(high)) for low, high in held)
    return tuple(span for span in spans if span[0] < span[1]) or spans[:1]


def _widened(spans: Spans) -> Spans:
    """The spans, or the double before an empty one."""
    return tuple((low if low < high else math.nextafter(low, -math.inf), high) for low, high in spans)
