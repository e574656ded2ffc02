"""Volumes of filters: counted value by value on small domains, estimated for many boxes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from tercast.encoding.encoder import encode
from tercast.errors import Refused
from tercast.eventspace.counted_attributes import Bool, Enum, Int
from tercast.eventspace.float_attribute import Float
from tercast.eventspace.topic import Topic
from tercast.filters import volume
from tercast.filters.filter import Filter
from tercast.filters.volume import FilterVolume, filter_volume
from tests.support.wide_filters import CROSSED, NEIGHBOUR_PAIRS, WIDE, alternatives, crossed_boxes

SMALL = Topic("small", 1, (Int("a", -2, 4), Bool("b"), Enum("c", ("x", "y", "z")), Int("d", 0, 5)))

tests = st.one_of(
    st.tuples(
        st.sampled_from("ad"), st.sampled_from(("<", "<=", ">", ">=", "=", "!=")), st.integers(0, 4)
    ).map(lambda test: f"{test[0]} {test[1]} {test[2]}"),
    st.sampled_from(
        ('c = "x"', 'c != "y"', 'c in ("x", "z")', "b = true", "a in (0, 2, 3)", "not (d in (1, 3))")
    ),
)
texts = st.recursive(
    tests,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(("and", "or")), inner).map(
            lambda each: f"({each[0]} {each[1]} {each[2]})"
        ),
        inner.map(lambda text: f"not ({text})"),
    ),
    max_leaves=12,
)


def parsed(topic: Topic, text: str) -> Filter:
    return Filter.parse(text, topic)


def satisfiable(text: str) -> Filter:
    """A filter of the small topic; one that no event matches is refused, and is not an example."""
    try:
        return parsed(SMALL, text)
    except Refused as refused:
        assert refused.code == "matches_nothing", refused
        reject()


def counted(filter_: Filter) -> Fraction:
    """The share of the events of the small topic that match."""
    domains: list[list[Any]] = [list(range(-2, 5)), [False, True], ["x", "y", "z"], list(range(6))]
    names = [attribute.name for attribute in SMALL.attributes]
    events = [dict(zip(names, values, strict=True)) for values in product(*domains)]
    return Fraction(sum(filter_.matches(event) for event in events), len(events))


@given(texts)
def test_volumes_equal_those_counted_value_by_value(text: str) -> None:
    filter_ = satisfiable(text)
    assert filter_volume(filter_) == FilterVolume(counted(filter_))


@given(texts)
def test_estimates_are_near_the_exact_volume(text: str) -> None:
    filter_ = satisfiable(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(volume, "WORK", 0)
        estimate = filter_volume(filter_)
    exact = counted(filter_)
    if len(filter_.terms) == 1:
        assert estimate == FilterVolume(exact)
    else:
        assert 0 < estimate.error < 0.2
        assert abs(estimate.share - exact) <= 3 * estimate.error * exact


@pytest.mark.parametrize(
    "pairs",
    [
        NEIGHBOUR_PAIRS,
        [(n, 17 - n) for n in range(9)],  # only another order of the attributes keeps the sweep small
        [(n, n + 9) for n in range(9)],
    ],
)
def test_many_alternatives_are_counted_exactly(pairs: list[tuple[int, int]]) -> None:
    encoded = encode(parsed(WIDE, alternatives(*pairs)), 30, 50)
    assert encoded.volume == pytest.approx(0.75**9)
    assert encoded.volume_error == 0 == encoded.excess_error
    assert encoded.covered >= encoded.volume
    assert encoded.excess == pytest.approx(encoded.covered / encoded.volume - 1)
    if pairs == NEIGHBOUR_PAIRS:
        assert (encoded.covered, encoded.excess) == pytest.approx((0.328, 3.37), abs=0.001)


def test_a_share_that_takes_too_long_is_an_estimate() -> None:
    filter_ = parsed(WIDE, crossed_boxes(100, 18))
    found = filter_volume(filter_)
    assert 0 < found.error < 0.1
    one = prod(Fraction(50 + 5 * a % 49 - 13 * a % 40, 100) for a in range(18))
    assert one <= found.share <= 1
    assert found == filter_volume(filter_)


def test_the_excess_of_an_estimate_has_an_error() -> None:
    encoded = encode(parsed(WIDE, CROSSED), 96, 50)
    assert 0 < encoded.volume_error < 0.1
    assert encoded.volume <= encoded.covered
    low, high = (encoded.volume * (1 + sign * encoded.volume_error) for sign in (-1, 1))
    bounds = encoded.covered / high - 1, encoded.covered / low - 1
    middle, half = encoded.excess, encoded.excess_error
    assert (middle - half, middle + half) == pytest.approx(bounds, rel=3 * encoded.volume_error**2)


@given(texts, st.integers(1, 12), st.integers(1, 20), st.booleans())
def test_a_volume_is_at_most_what_the_cells_cover(text: str, depth: int, limit: int, exact: bool) -> None:
    filter_ = satisfiable(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(volume, "WORK", volume.WORK if exact else 0)
        encoded = encode(filter_, depth, limit)
    assert encoded.volume <= encoded.covered
    if exact:
        assert encoded.volume == pytest.approx(float(counted(filter_)))


def test_an_estimate_above_what_the_cells_cover_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    filter_ = parsed(SMALL, "a < 2 or b = true or d < 3")
    monkeypatch.setattr(volume, "WORK", 0)
    encoded = encode(filter_, 12, 50)
    assert filter_volume(filter_).share > encoded.covered
    assert (encoded.volume, encoded.excess) == (encoded.covered, 0)
    assert encoded.excess_error == encoded.volume_error > 0


def test_equality_of_floats_is_measured_on_cells() -> None:
    topic = Topic("f", 3, (Float("x", 0.0, 1.0), Int("n", 0, 9)))
    found = filter_volume(parsed(topic, "x = 0.25 or (x = 0.5 and n < 5)"))
    assert found == FilterVolume(Fraction(3, 2) / (1 << 32))


def test_terms_without_tests_hold_everything() -> None:
    topic = Topic("one", 4, (Int("x", 1, 1),))
    filter_ = parsed(topic, "not (x = 0 and x = 0)")
    assert filter_.terms == ((), ())
    assert filter_volume(filter_) == FilterVolume(Fraction(1))
