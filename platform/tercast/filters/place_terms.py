"""Terms of a filter as places: the form in which a cut tree divides them."""

from __future__ import annotations

from collections.abc import Sequence

from tercast.eventspace.attribute import Attribute
from tercast.eventspace.section import Place
from tercast.filters.filter import Filter

Spans = tuple[tuple[Place, Place], ...]
"""Places from the first to before the second, in order."""

PlaceTerm = dict[int, Spans]
"""A conjunction: the places by attribute; without an attribute, all places."""


def place_terms(
    filter_: Filter, attributes: Sequence[Attribute], positions: Sequence[int]
) -> list[PlaceTerm]:
    """The terms of a filter as places at `positions`, without empty terms."""
    terms = []
    for term in filter_.terms:
        spans: PlaceTerm = {}
        for position, held in term:
            if position in positions:
                attribute = attributes[position]
                places = [(attribute.place(low), attribute.place(high)) for low, high in held]
                spans[position] = tuple(pair for pair in places if pair[0] < pair[1])
        if all(spans.values()):
            terms.append(spans)
    return terms
