"""Disjunctive normal form of a syntax tree: terms with an interval set per attribute.

A term is a tuple of (attribute, interval set) in the order of attributes. Attributes without a condition are
not in it, so the empty term contains every event. A filter is the union of its terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tercast.errors import Refused
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.intervals import Interval, IntervalSet, covers, intersection, joined
from tercast.filters.syntax_tree import And, Not, Or, Test, Tree, excluded_set, interval_set

Term = tuple[tuple[int, IntervalSet], ...]

MAX_TERMS = 4_096
"""Maximum number of terms of a normal form."""

MAX_WORK = 1 << 18
"""Maximum number of pairs of terms that are compared while a normal form is built."""

_RIVALS = 128  # number of terms, the largest ones, that are compared with all others to drop covered ones


def normal_form(tree: Tree, attributes: Sequence[Attribute]) -> tuple[Term, ...]:
    """The terms of `tree`; none if it matches nothing. Refused beyond the limits above."""
    parts = tree.parts if isinstance(tree, And) else (tree,)
    if not any(isinstance(part, Not | And | Or) for part in parts):
        return _term(parts, attributes)  # type: ignore[arg-type]
    return tuple(_Builder(attributes).terms(tree, False))


def _term(tests: Sequence[Test], attributes: Sequence[Attribute]) -> tuple[Term, ...]:
    """The single term, or no term, of a conjunction of tests."""
    narrow: dict[int, IntervalSet] = {}
    for test in tests:
        position = test.attribute
        held = interval_set(test, attributes[position])
        if position in narrow:
            held = intersection(narrow[position], held)
        if not held:
            return ()
        narrow[position] = held
    term = [pair for pair in narrow.items() if pair[1] != (attributes[pair[0]].domain,)]
    return (tuple(sorted(term)),)


def are_apart(terms: Sequence[Term]) -> bool:
    """Whether terms are surely the normal form of their union: none is joined or dropped.

    Two terms that differ in one attribute are joined, and a term that another one covers is dropped.
    """
    if len(terms) < 2:
        return True
    pairs = [set(term) for term in terms]
    held = [dict(term) for term in terms]
    for i, own in enumerate(pairs):
        for j in range(i):
            if len(own ^ pairs[j]) < 3 or _covers(terms[i], held[j]) or _covers(terms[j], held[i]):
                return False
    return True


class _Builder:
    def __init__(self, attributes: Sequence[Attribute]) -> None:
        self.attributes = attributes
        self.work = 0

    def terms(self, tree: Tree, negated: bool) -> list[Term]:
        match tree:
            case Not(inner):
                return self.terms(inner, not negated)
            case And(parts) | Or(parts):
                if isinstance(tree, And) != negated:
                    return self.conjunction(self.terms(part, negated) for part in parts)
                return self.disjunction(self.terms(part, negated) for part in parts)
            case _:
                attribute = self.attributes[tree.attribute]
                held = (excluded_set if negated else interval_set)(tree, attribute)
                if held == (attribute.domain,):
                    return [()]
                return [((tree.attribute, held),)] if held else []

    def conjunction(self, parts: Iterable[list[Term]]) -> list[Term]:
        # Single terms first: they narrow the terms that the others multiply.
        narrow: dict[int, IntervalSet] = {}
        several = []
        for part in parts:
            if len(part) != 1:
                several.append(part)
                continue
            for attribute, held in part[0]:
                narrow[attribute] = intersection(narrow[attribute], held) if attribute in narrow else held
        out: list[Term] = [tuple(sorted(narrow.items()))] if all(narrow.values()) else []
        for part in sorted(several, key=len):
            self.spend(len(out) * len(part))
            products = (_both(a, b) for a in out for b in part)
            out = self.simplified([term for term in products if term is not None])
        return out

    def disjunction(self, parts: Iterable[list[Term]]) -> list[Term]:
        return self.simplified([term for part in parts for term in part])

    def simplified(self, terms: list[Term]) -> list[Term]:
        """Return an equal union with fewer terms.

        Terms that differ in one attribute are joined, and covered terms are dropped.
        """
        before = 0
        while len(terms) > 1 and len(terms) != before:
            before = len(terms)
            self.spend(before)
            sums = _hash_sums(terms)
            for attribute in {attribute for term in terms for attribute, _ in term}:
                if len({total - held.get(attribute, 0) for total, held in sums}) < len(terms):
                    terms = self.joined(terms, attribute)
                    sums = _hash_sums(terms)
        if len(terms) > MAX_TERMS:
            raise _too_complex()
        rivals = terms
        if len(terms) > _RIVALS:
            rivals = sorted(terms, key=self.size, reverse=True)[:_RIVALS]
        self.spend(len(terms) * len(rivals))
        return _uncovered(terms, rivals)

    def joined(self, terms: list[Term], attribute: int) -> list[Term]:
        """Join terms that are equal in all attributes except `attribute`."""
        groups: dict[Term, list[Interval] | None] = {}
        for term in terms:
            rest = tuple(pair for pair in term if pair[0] != attribute)
            held = next((held for a, held in term if a == attribute), None)
            known = groups.setdefault(rest, [])
            if held is None:
                groups[rest] = None  # no condition on this attribute, so the other terms add nothing
            elif known is not None:
                known.extend(held)
        return [self.widened(rest, attribute, held) for rest, held in groups.items()]

    def widened(self, rest: Term, attribute: int, intervals: list[Interval] | None) -> Term:
        held = joined(intervals or ())
        if intervals is None or held == (self.attributes[attribute].domain,):
            return rest
        return tuple(sorted((*rest, (attribute, held)), key=_position))

    def size(self, term: Term) -> float:
        """The approximate share of a term in the event space."""
        share = 1.0
        for a, held in term:
            attribute = self.attributes[a]
            spans = (attribute.cells(interval) for interval in held)
            share *= sum(max(0, last - first + 1) for first, last in spans) / attribute.size
        return share

    def spend(self, pairs: int) -> None:
        self.work += pairs
        if self.work > MAX_WORK:
            raise _too_complex()


def _hash_sums(terms: list[Term]) -> list[tuple[int, dict[int, int]]]:
    """The sum of the hashes of each term's pairs, and the hash of each pair by attribute.

    Terms that are equal except in one attribute have equal sums without this attribute.
    """
    sums = []
    for term in terms:
        held = {pair[0]: hash(pair) for pair in term}
        sums.append((sum(held.values()), held))
    return sums


def _uncovered(terms: list[Term], rivals: list[Term]) -> list[Term]:
    """Drop the terms that one of `rivals` covers; equal terms have been joined before."""
    if len(terms) < 2:
        return terms
    out = []
    for term in terms:
        held = dict(term)
        for rival in rivals:
            if rival is not term and _covers(rival, held):
                break
        else:
            out.append(term)
    return out


def _position(pair: tuple[int, IntervalSet]) -> int:
    return pair[0]


def _both(a: Term, b: Term) -> Term | None:
    """The intersection of two terms; None if it is empty."""
    if not a:
        return b
    out = dict(a)
    for attribute, held in b:
        if attribute in out:
            held = intersection(out[attribute], held)
            if not held:
                return None
        out[attribute] = held
    return tuple(sorted(out.items()))


def _covers(a: Term, held: dict[int, IntervalSet]) -> bool:
    """Whether term `a` contains all of another term."""
    for attribute, wide in a:
        narrow = held.get(attribute)
        if narrow is None or wide[0][0] > narrow[0][0] or wide[-1][1] < narrow[-1][1]:
            return False
        if len(wide) > 1 and not covers(wide, narrow):
            return False
    return True


def _too_complex() -> Refused:
    detail = (
        f"the filter is too complex: its `or`, `in` and `not` result in more than {MAX_TERMS} combinations; "
        "split it into several subscriptions"
    )
    return Refused((), "too_complex", detail)
