"""Weights become costs in the same order, in proportion if possible; other changes are noted."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.topology.importers import read_topology
from tercast.topology.importers.link_costs import LARGEST_COST, costs
from tercast.topology.importers.raw_graph import RawEdge


def costs_of(*weights: object) -> tuple[list[int], list[str]]:
    notes: list[str] = []
    return costs([RawEdge("a", "b", weight) for weight in weights], notes), notes


@pytest.mark.parametrize(
    ("weights", "expected", "factor"),
    [
        ((3, 1, 2), [3, 1, 2], None),
        (("1.0004", "1.0001", 1), [10004, 10001, 10000], "10000 times"),
        (("0.00149", "0.0006", "0.0006"), [149, 60, 60], "100000 times"),
        ((0.5, 2), [1, 4], "2 times"),
        (("1e-9", "2"), [1, 2 * 10**9], "1000000000 times"),
        (("1e-30", "3e-30"), [1, 3], "1e+30 times"),
        ((10**20, 3 * 10**20), [1, 3], "1e-20 times"),
        ((LARGEST_COST, 1), [LARGEST_COST, 1], None),
        ((None, None), [1, 1], None),
    ],
)
def test_proportions_that_fit_are_kept_exactly(weights, expected, factor):
    found, notes = costs_of(*weights)
    assert found == expected
    assert len(notes) == (factor is not None)
    assert not factor or f"all link costs are {factor} the weights" in notes[0]


def test_what_does_not_fit_is_rounded_as_little_as_it_can_be_and_reported():
    found, notes = costs_of("0.3", "0.30000000000000004", "1.0000000001", "1.0000000001")
    assert found[0] < found[1] < found[2] == found[3] <= LARGEST_COST
    assert found[3] > LARGEST_COST * 0.99
    assert abs(Fraction(found[0], found[2]) / Fraction("0.3") - 1) < 1e-8
    assert len(notes) == 1
    assert "4 costs are rounded" in notes[0] and "%, at the weight 0.3" in notes[0]


def test_weights_too_far_apart_stay_in_their_order_and_that_is_reported():
    imported = read_topology(b"a b 1e20\nb c 1e-20\nc d 7\n", "rocketfuel")
    large, small, between = (row["cost"] for row in imported.topology["links"])
    assert (small, between) == (1, 2)
    assert LARGEST_COST - 10 < large <= LARGEST_COST
    assert any("2 costs are rounded" in note and "at the weight 1e-20" in note for note in imported.repairs)


def test_links_without_a_weight_among_others_are_reported():
    found, notes = costs_of("2.5", None, 3)
    assert found == [5, 2, 6]
    assert "1 link has no weight, although other links have one; they get the weight 1" in notes


number = st.one_of(
    st.integers(1, 10**12),
    st.floats(min_value=1e-300, max_value=1e300),
    st.decimals(min_value="0.0001", max_value="10", places=4).map(str),
)


@given(st.lists(number, min_size=1, max_size=8))
def test_the_order_stays_and_what_is_not_in_proportion_is_reported(weights):
    found, notes = costs_of(*weights)
    pairs = sorted((Fraction(str(weight)), cost) for weight, cost in zip(weights, found, strict=True))
    assert all(1 <= cost <= LARGEST_COST for cost in found)
    for (less, cheap), (more, dear) in pairwise(pairs):
        assert (less < more) == (cheap < dear)
    rounded = any("rounded" in note for note in notes)
    assert rounded or len({cost / weight for weight, cost in pairs}) == 1
    if all(isinstance(weight, int) for weight in weights) and max(found) == max(weights):
        assert found == weights and notes == []
