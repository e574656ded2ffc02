"""The volume of a filter: its share of the event space of all attributes.

Shares are of values for int, bool and enum, of points for string, and of length for float. If every term
tests a float for equality, the filter has no volume. It is then measured in the finest cells: a float
counts each of the 2**32 cells of its domain that overlap the filter.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tercast.eventspace.attribute import Attribute
from tercast.eventspace.intervals import IntervalSet, complement, intersection
from tercast.filters.filter import Filter
from tercast.filters.normal_form import Term

_MAX_WORK = 65_536


def filter_volume(filter_: Filter) -> Fraction:
    """The filter's share of the event space, above 0 and at most 1.

    Terms that overlap are split into disjoint pieces first. If this takes too much work, overlaps are counted
    twice instead (the result is still at most 1), so that the call does not take minutes.
    """
    attributes = filter_.topic.attributes
    terms = _disjoint(filter_.terms, attributes)
    return _total(terms, attributes, False) or _total(terms, attributes, True)


def _total(terms: Sequence[Term], attributes: Sequence[Attribute], cells: bool) -> Fraction:
    total = Fraction(0)
    for term in terms:
        share = Fraction(1)
        for a, held in term:
            share *= _cell_share(attributes[a], held) if cells else _share(attributes[a], held)
        total += share
    return min(total, Fraction(1))


def _share(attribute: Attribute, held: IntervalSet) -> Fraction:
    return sum((attribute.share(interval) for interval in held), Fraction(0))


def _cell_share(attribute: Attribute, held: IntervalSet) -> Fraction:
    """The share of the indexes that overlap the set; each index counts once."""
    count, behind = 0, 0
    for interval in held:
        first, last = attribute.cells(interval)
        first = max(first, behind)
        if first <= last:
            count += last - first + 1
            behind = last + 1
    return Fraction(count, attribute.size)


def _disjoint(terms: Sequence[Term], attributes: Sequence[Attribute]) -> Sequence[Term]:
    if len(terms) == 1:
        return terms
    out: list[Term] = []
    work = 0
    for term in terms:
        pieces = [term]
        for other in out:
            work += len(pieces)
            pieces = [rest for piece in pieces for rest in _minus(piece, other, attributes)]
        if work > _MAX_WORK:
            return terms
        out.extend(pieces)
    return out


def _minus(a: Term, b: Term, attributes: Sequence[Attribute]) -> list[Term]:
    """Disjoint terms whose union is the part of `a` outside `b`."""
    left = dict(a)
    common: dict[int, IntervalSet] = {}
    for position, held in b:
        domain = (attributes[position].domain,)
        common[position] = intersection(left.get(position, domain), held)
        if not common[position]:
            return [a]
    out = []
    for position, held in b:
        attribute = attributes[position]
        outside = intersection(left.get(position, (attribute.domain,)), complement(held, attribute.domain))
        if outside:
            out.append(tuple(sorted({**left, position: outside}.items())))
        left[position] = common[position]
    return out
