"""Texts that identify filters: two filters of a topic share one only if they are equivalent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercast.eventspace.attribute import Attribute
from tercast.eventspace.string_attribute import String, shares_point
from tercast.filters.filter import Filter
from tercast.filters.syntax_tree import And, Begins, Compare, Not, OneOf, Or, Tree


def identity(filter_: Filter) -> str:
    """Return the identity of a filter; the indexed attributes of its topic do not change it.

    Filters with the same normal form share an identity: `a >= 1 and a <= 2` and `a in [1, 2]`, or
    `a = 1 or b = 2` and `b = 2 or a = 1`. A normal form contains only the first 16 bytes of texts, so the
    identity of a filter with a longer text is its canonical text. Equal identities prove that filters are
    equivalent. Filters with different identities may still be equivalent.

    Args:
        filter_: The filter.

    Returns:
        A text of ASCII and of the literals in the filter.
    """
    if shares_points(filter_.tree, filter_.topic.attributes):
        return f"text {filter_}"
    terms = sorted(repr([(position, _plain(held)) for position, held in term]) for term in filter_.terms)
    return f"terms {' '.join(terms)}"


def shares_points(tree: Tree, attributes: Sequence[Attribute]) -> bool:
    """Return whether a text in a filter shares its point with other texts."""
    match tree:
        case And(parts) | Or(parts):
            return any(shares_points(part, attributes) for part in parts)
        case Not(inner):
            return shares_points(inner, attributes)
    if not isinstance(attributes[tree.attribute], String):
        return False
    match tree:
        case Compare(_, _, str(text)) | Begins(_, text):
            return shares_point(text)
        case OneOf(_, values):
            return any(shares_point(str(value)) for value in values)
    return False


def _plain(cut: Any) -> Any:
    """Replace equal numbers by one form: 1.0 and 1, -0.0 and 0."""
    if isinstance(cut, tuple):
        return tuple(map(_plain, cut))
    return int(cut) if isinstance(cut, float) and cut.is_integer() else cut
