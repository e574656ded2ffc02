"""The state machine of links, without a network: pure steps over artificial time."""

from __future__ import annotations

import random
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from controller_app.discovery.adjacency import Adjacency, LinkChange, PortId, PortPair, pair_of, resolve_links

A1, A2, B1, B2, C1 = (1, 1), (1, 2), (2, 1), (2, 2), (3, 1)
ALL = (1, 2, 3)


def hear_both(neighbours: Adjacency, a: PortId, b: PortId, now: float) -> None:
    neighbours.record_probe(a, b, now)
    neighbours.record_probe(b, a, now)


def turns(steps) -> list[tuple[LinkChange, PortPair]]:
    return [(step.change, step.pair) for step in steps]


def linked(horizon: float = 10) -> Adjacency:
    neighbours = Adjacency(horizon)
    hear_both(neighbours, A1, B1, 0)
    assert turns(neighbours.update_links(0, ALL)) == [(LinkChange.FOUND, (A1, B1))]
    return neighbours


def test_hearing_in_both_directions_is_a_link() -> None:
    neighbours = Adjacency(10)
    assert not neighbours.record_probe(A1, B1, 0)
    assert neighbours.find_links(0) == []
    assert neighbours.record_probe(B1, A1, 1)
    assert turns(neighbours.find_links(1)) == [(LinkChange.FOUND, (A1, B1))]
    assert not neighbours.record_probe(A1, B1, 2)


def test_two_directions_too_far_apart_are_none() -> None:
    neighbours = Adjacency(10)
    neighbours.record_probe(A1, B1, 0)
    assert not neighbours.record_probe(B1, A1, 11)
    assert neighbours.update_links(11, ALL) == []


def test_silence_is_reported_once_and_its_end_after_two_rounds() -> None:
    neighbours = linked()
    assert turns(neighbours.update_links(11, ALL)) == [(LinkChange.SILENT, (A1, B1))]
    assert neighbours.update_links(12, ALL) == []
    hear_both(neighbours, A1, B1, 13)
    assert neighbours.update_links(13, ALL) == []
    assert turns(neighbours.update_links(14, ALL)) == [(LinkChange.HEARD, (A1, B1))]
    assert neighbours.links() == [((A1, B1), 13, False)]


def test_a_link_that_flickers_stays_silent() -> None:
    neighbours = linked()
    neighbours.update_links(11, ALL)
    for now in range(20, 200, 20):
        hear_both(neighbours, A1, B1, now)
        assert neighbours.update_links(now, ALL) == []
        assert neighbours.update_links(now + 11, ALL) == []
    assert neighbours.links()[0][2]


def test_a_link_of_an_absent_switch_is_not_silent() -> None:
    neighbours = linked()
    assert neighbours.update_links(50, (1,)) == []
    neighbours.excuse_absence(2, 60)
    assert neighbours.update_links(65, ALL) == []
    assert turns(neighbours.update_links(71, ALL)) == [(LinkChange.SILENT, (A1, B1))]


def test_a_port_that_is_forgotten_loses_its_link_and_what_it_heard() -> None:
    neighbours = linked()
    assert turns(neighbours.forget_port(B1, "down")) == [(LinkChange.LOST, (A1, B1))]
    assert neighbours.update_links(1, ALL) == []
    neighbours.record_probe(A1, B1, 2)
    assert neighbours.update_links(2, ALL) == []


def test_another_neighbour_takes_the_place_of_a_silent_one() -> None:
    neighbours = linked()
    hear_both(neighbours, A1, B2, 20)
    assert turns(neighbours.update_links(20, ALL)) == [
        (LinkChange.LOST, (A1, B1)),
        (LinkChange.FOUND, (A1, B2)),
    ]


def test_a_third_port_on_the_segment_makes_it_no_link_after_two_rounds() -> None:
    neighbours = linked()
    for a, b in combinations((A1, B1, C1), 2):
        hear_both(neighbours, a, b, 1)
    assert neighbours.update_links(1, ALL) == []
    assert neighbours.ambiguous == {A1, B1, C1}
    assert turns(neighbours.update_links(2, ALL)) == [(LinkChange.LOST, (A1, B1))]


def test_a_middle_switch_that_floods_yields_the_true_links() -> None:
    mutual = {(A1, B1), (A2, C1), pair_of(B1, C1)}
    assert resolve_links(mutual, ()) == ({(A1, B1), (A2, C1)}, frozenset())


def test_of_two_that_want_one_port_the_link_that_was_there_stays() -> None:
    mutual = {(A1, B1), (A1, C1)}
    assert resolve_links(mutual, {(A1, B1)}) == ({(A1, B1)}, frozenset())
    certain, ambiguous = resolve_links(mutual, ())
    assert certain == set() and ambiguous == {A1, B1, C1}


ports = st.tuples(st.integers(1, 4), st.integers(1, 3))
pairs = st.tuples(ports, ports).filter(lambda pair: pair[0] < pair[1])


@given(st.sets(pairs, max_size=12), st.randoms(use_true_random=False))
def test_no_port_has_two_links_and_no_order_matters(mutual: set[PortPair], shuffle: random.Random) -> None:
    certain, ambiguous = resolve_links(mutual, ())
    assert certain <= mutual
    ends = [port for pair in certain for port in pair]
    assert len(ends) == len(set(ends))
    assert not ambiguous & set(ends)
    listed = sorted(mutual)
    shuffle.shuffle(listed)
    assert resolve_links(listed, ()) == (certain, ambiguous)


@given(st.sets(pairs, max_size=12))
def test_real_cables_are_all_found(mutual: set[PortPair]) -> None:
    """All pairs that share no port are certain."""
    seen: set[PortId] = set()
    cables = set()
    for pair in sorted(mutual):
        if not seen & set(pair):
            cables.add(pair)
            seen |= set(pair)
    assert resolve_links(cables, ()) == (cables, frozenset())
