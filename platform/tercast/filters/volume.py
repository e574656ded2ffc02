"""Volume of a filter: its share of the event space over all attributes, exact or estimated.

Shares are of values for int, bool and enum, of points for string, and of length for float. If every term
tests a float for equality, the filter has no volume. It is then measured in the finest cells: a float
counts each of the 2**32 cells of its domain that overlap the filter.

The exact share of a union of boxes is #P-hard to compute. `filter_volume` sweeps one attribute after the
other and joins states from which the same terms remain, as an ordered decision diagram does. This is fast for
filters that people write. Beyond a limit on its work it estimates the share (Karp, Luby and Madras,
"Monte-Carlo approximation algorithms for enumeration problems", 1989).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm, prod, sqrt
from random import Random

from tercast.eventspace.attribute import Attribute
from tercast.eventspace.intervals import Interval, IntervalSet, joined
from tercast.filters.filter import Filter
from tercast.filters.normal_form import Term

WORK = 1 << 18
"""Largest number of steps of one sweep: a step follows one term from one state over one segment."""

SAMPLES = 1 << 13
"""Points of an estimate. The relative error is at most about 2 sqrt(terms / SAMPLES), usually far less."""

MeasureFunction = Callable[[Attribute, Interval], Fraction]
ExtentFunction = Callable[[Attribute, IntervalSet], IntervalSet]


@dataclass(frozen=True, slots=True)
class FilterVolume:
    """A share of the event space, greater than 0 and at most 1.

    `error` is 0 for an exact share. Otherwise it is half the width of the 95 % confidence interval of an
    estimate, as a share of `share`.
    """

    share: Fraction
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class _SegmentAxis:
    """Segments of an attribute, each inside or outside of every term.

    `terms[i]` has bit t if segment i is inside term t. `scale` is the weight of the whole domain.
    `tests[t]` numbers the test of term t: equal tests have equal numbers, and no test is 0.
    """

    weights: Sequence[int]
    terms: Sequence[int]
    scale: int
    tests: Sequence[int]


def filter_volume(filter_: Filter) -> FilterVolume:
    """Return the filter's share of the event space, exact or estimated.

    The result is an estimate if the exact share takes too long to compute. Equal filters have equal
    estimates.
    """
    terms, attributes = filter_.terms, filter_.topic.attributes
    for extent, measure in ((_values, _share), (_cells, _cell_share)):
        if len(terms) == 1:
            found = FilterVolume(_box(terms[0], attributes, extent, measure))
        else:
            found = _union(terms, attributes, extent, measure)
        if found.share:
            break
    return found


def _values(_: Attribute, held: IntervalSet) -> IntervalSet:
    return held


def _share(attribute: Attribute, interval: Interval) -> Fraction:
    return attribute.share(interval)


def _cells(attribute: Attribute, held: IntervalSet) -> IntervalSet:
    """Return the indexes of the cells that overlap a set, as intervals of integers."""
    return joined((first, last + 1) for first, last in map(attribute.cells, held))


def _cell_share(attribute: Attribute, interval: Interval) -> Fraction:
    return Fraction(interval[1] - interval[0], attribute.size)


def _box(
    term: Term, attributes: Sequence[Attribute], extent: ExtentFunction, measure: MeasureFunction
) -> Fraction:
    """Return the share of one term."""
    return prod(
        (
            sum((measure(attributes[a], each) for each in extent(attributes[a], held)), Fraction(0))
            for a, held in term
        ),
        start=Fraction(1),
    )


def _union(
    terms: Sequence[Term], attributes: Sequence[Attribute], extent: ExtentFunction, measure: MeasureFunction
) -> FilterVolume:
    """Return the share of what any term holds."""
    axes, count = _axes(terms, attributes, extent, measure), len(terms)
    whole = prod(axis.scale for axis in axes)
    exact = _sweep(axes, count)
    if exact is None:
        exact = _sweep(_narrowest_first(axes, count), count)
    return _estimate(axes, count, whole) if exact is None else FilterVolume(Fraction(exact, whole))


def _axes(
    terms: Sequence[Term], attributes: Sequence[Attribute], extent: ExtentFunction, measure: MeasureFunction
) -> list[_SegmentAxis]:
    """Divide each attribute that a term tests into segments."""
    tested: dict[int, list[IntervalSet | None]] = {}
    for t, term in enumerate(terms):
        for a, held in term:
            tested.setdefault(a, [None] * len(terms))[t] = extent(attributes[a], held)
    return [_axis(attributes[a], tests, measure) for a, tests in sorted(tested.items())]


def _axis(
    attribute: Attribute, tests: Sequence[IntervalSet | None], measure: MeasureFunction
) -> _SegmentAxis:
    """Divide an attribute into segments; those with the same terms are joined."""
    free = sum(1 << t for t, held in enumerate(tests) if held is None)
    starts: dict[object, int] = {}
    for t, held in enumerate(tests):
        for low, high in held or ():
            starts[low] = starts.get(low, 0) ^ 1 << t
            starts[high] = starts.get(high, 0) ^ 1 << t
    shares: dict[int, Fraction] = {}
    inside, covered, before = 0, Fraction(0), None
    for cut in sorted(starts):  # type: ignore[type-var] # the cuts of one attribute have an order
        if inside:
            share = measure(attribute, (before, cut))
            shares[inside] = shares.get(inside, Fraction(0)) + share
            covered += share
        inside ^= starts[cut]
        before = cut
    if free and covered < 1:
        shares[0] = 1 - covered
    scale = lcm(*(share.denominator for share in shares.values()))
    numbers: dict[IntervalSet | None, int] = {None: 0}
    return _SegmentAxis(
        [int(share * scale) for share in shares.values()],
        [terms | free for terms in shares],
        scale,
        [numbers.setdefault(held, len(numbers)) for held in tests],
    )


def _sweep(axes: Sequence[_SegmentAxis], count: int) -> int | None:
    """Return the weight of the union, in units of the product of all scales.

    The result is None if it takes too many steps.

    A state is the set of remainders of the terms that hold so far. A remainder is a term without the tests
    of the attributes that have been swept; equal remainders are one.
    """
    levels = _remainders(axes, count)
    rest = list(accumulate((axis.scale for axis in reversed(axes)), int.__mul__, initial=1))[::-1]
    if levels[0].done:
        return rest[0]
    states, total, work = {(1 << levels[0].count) - 1: 1}, 0, 0
    for i, axis in enumerate(axes):
        now, then = levels[i], levels[i + 1]
        following: dict[int, int] = {}
        segments = [
            (weight, now.holding(terms)) for weight, terms in zip(axis.weights, axis.terms, strict=True)
        ]
        for state, reached in states.items():
            work += len(segments) * state.bit_count()
            if work > WORK:
                return None
            for weight, holding in segments:
                alive = now.followed(state & holding)
                if alive & then.done:
                    total += reached * weight * rest[i + 1]
                elif alive:
                    following[alive] = following.get(alive, 0) + reached * weight
        states = following
    return total


@dataclass(frozen=True, slots=True)
class _Remainders:
    """The distinct remainders of all terms at one attribute.

    `of[t]` is that of term t, `next[r]` the bit of what remains of r behind the attribute, and `done` the bit
    of the remainder without tests, if there is one.
    """

    count: int
    of: Sequence[int]
    next: Sequence[int]
    done: int

    def holding(self, terms: int) -> int:
        """Return the remainders of a set of terms."""
        found = 0
        for t, remainder in enumerate(self.of):
            if terms >> t & 1:
                found |= 1 << remainder
        return found

    def followed(self, state: int) -> int:
        """Return what remains of a set of remainders behind the attribute."""
        found = 0
        while state:
            low = state & -state
            found |= self.next[low.bit_length() - 1]
            state ^= low
        return found


def _remainders(axes: Sequence[_SegmentAxis], count: int) -> list[_Remainders]:
    """Number the remainders before each attribute and after the last one."""
    of = [0] * count
    levels = [_Remainders(1, of, (), 1)]
    for axis in reversed(axes):
        numbers: dict[tuple[int, int], int] = {}
        of = [numbers.setdefault(key, len(numbers)) for key in zip(axis.tests, of, strict=True)]
        done = levels[-1].done.bit_length() - 1
        free = numbers.get((0, done)) if done >= 0 else None
        following = [1 << after for _, after in numbers]
        levels.append(_Remainders(len(numbers), of, following, 0 if free is None else 1 << free))
    return levels[::-1]


def _narrowest_first(axes: Sequence[_SegmentAxis], count: int) -> list[_SegmentAxis]:
    """Order the attributes so that few remainders are left after each."""
    left, order = list(axes), []
    while left:
        best = min(left, key=lambda axis: _width([other for other in left if other is not axis], count))
        order.append(best)
        left.remove(best)
    return order


def _width(axes: Sequence[_SegmentAxis], count: int) -> int:
    """Count the terms that differ in a test of these attributes."""
    return len(set(zip(*(axis.tests for axis in axes), strict=True))) if axes else min(count, 1)


def _estimate(axes: Sequence[_SegmentAxis], count: int, whole: int) -> FilterVolume:
    """Sample points in terms, and weigh each by the number of terms that hold it."""
    random = Random(count)
    choices = [[_allowed(axis, t) for axis in axes] for t in range(count)]
    shares = [Fraction(prod(allowed.total for allowed in each), whole) for each in choices]
    sum_of_shares = sum(shares, Fraction(0))
    if not sum_of_shares:
        return FilterVolume(sum_of_shares)
    weights = [float(share / sum_of_shares) for share in shares]
    found = []
    for t in random.choices(range(count), weights, k=SAMPLES):
        held = -1
        for axis, choice in zip(axes, choices[t], strict=True):
            held &= axis.terms[random.choices(choice.segments, cum_weights=choice.upto)[0]]
        found.append(1 / held.bit_count())
    mean = sum(found) / SAMPLES
    deviation = sqrt(sum((each - mean) ** 2 for each in found) / (SAMPLES - 1))
    share = max(min(sum_of_shares * Fraction(mean), Fraction(1)), *shares)
    return FilterVolume(share, max(1.96 * deviation / sqrt(SAMPLES) / mean, 1 / SAMPLES))


@dataclass(frozen=True, slots=True)
class _Allowed:
    """Segments of an attribute inside one term, with the running sums of their weights."""

    segments: Sequence[int]
    upto: Sequence[float]
    total: int


def _allowed(axis: _SegmentAxis, term: int) -> _Allowed:
    segments = [i for i, terms in enumerate(axis.terms) if terms >> term & 1]
    upto = list(accumulate(axis.weights[i] for i in segments))
    return _Allowed(segments, [float(Fraction(each, axis.scale)) for each in upto], upto[-1] if upto else 0)
