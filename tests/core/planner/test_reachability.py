"""Paths to the matches of announcements, compared with all pairs, for any split of the network."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.planner.planner import Planner
from tercast.planner.reachability import MOST_NAMED, OutOfReach, out_of_reach
from tercast.planner.reachability_watch import ReachWatch
from tercast.requests.reach import Reach
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION, Registration
from tercast.routing.cell_keys import Order
from tests.property_profiles import examples
from tests.support.networks import dense_scene, planner_for, scenes
from tests.support.reachability_judge import Scene, check


@examples(100)
@given(scenes(), st.sampled_from([1, 64]))
def test_every_announcement_that_lacks_a_path_is_reported(scene: Scene, max_trees: int) -> None:
    check(scene, max_trees, 1)


def test_every_announcement_that_lacks_a_path_is_reported_where_much_meets() -> None:
    assert sum(check(dense_scene(seed), 64, 7) for seed in range(40)) > 40


def some(kind: str, number: int, host: str, dz: int) -> Registration:
    return Registration(number, kind, f"{kind[0]}{number}", host, "t", None, (dz,))


PLACES = {"west": 1, "east": 2, "gone": None}


def test_twenty_are_named_and_more_are_counted() -> None:
    order = Order(4)
    subscriptions = [some(SUBSCRIPTION, n, "east", 0b10000 + n % 16) for n in range(MOST_NAMED + 1)]
    ads = [some(ADVERTISEMENT, 100, "west", 1), some(ADVERTISEMENT, 101, "gone", 0b10)]
    found = out_of_reach([*subscriptions, *ads], order, PLACES.__getitem__)
    assert (found["a100"].reach, len(found["a100"].names), found["a100"].more) == ("none", MOST_NAMED, True)
    assert found["s0"] == OutOfReach(Reach.NONE, ("a100", "a101"), False)
    assert found["s9"] == OutOfReach(Reach.NONE, ("a100",), False)
    fewer = out_of_reach([*subscriptions[1:], *ads], order, PLACES.__getitem__)
    assert fewer["a100"] == OutOfReach(Reach.NONE, tuple(f"s{n}" for n in range(1, MOST_NAMED + 1)), False)


@pytest.mark.parametrize("cells", [1, 3])
def test_one_announcement_of_many_cells_is_named_once(cells: int) -> None:
    """A name appears once, for any number of cells within a cell of another announcement."""
    many = Registration(1, SUBSCRIPTION, "q", "east", "t", None, tuple(range(16, 16 + cells)))
    found = out_of_reach([many, some(ADVERTISEMENT, 2, "west", 1)], Order(4), PLACES.__getitem__)
    assert found == {
        "q": OutOfReach(Reach.NONE, ("a2",), False),
        "a2": OutOfReach(Reach.NONE, ("q",), False),
    }


def test_a_network_in_one_part_has_none_and_costs_nothing() -> None:
    random = Random(1)
    live = [some(ADVERTISEMENT, n, "west", random.randrange(16, 32)) for n in range(9)]
    assert out_of_reach(live, Order(4), PLACES.__getitem__) == {}


def test_most_subscriptions_come_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    topology, _ = dense_scene(3)
    alone = {"id": "alone", "dpid": "f" * 16}
    host = {"id": "far", "switch": "alone", "port": 1, "ip": "fd00::99", "mac": "02:00:00:00:00:99"}
    topology = {**topology, "switches": [*topology["switches"], alone], "hosts": [*topology["hosts"], host]}
    planner, watch = planner_for(topology, 64), ReachWatch()
    near = next(one["id"] for one in topology["hosts"])
    first = [
        {"op": "advertise", "id": "a", "host": near, "topic": "a", "dz": ["0"]},
        {"op": "subscribe", "id": "far", "host": "far", "topic": "a", "dz": [""]},
        {"op": "subscribe", "id": "near", "host": near, "topic": "a", "dz": ["00"]},
    ]
    for request in first:
        assert planner.apply(request).ok
    assert watch.update(planner, first)
    monkeypatch.setattr(Planner, "out_of_reach", None)
    more = [{"op": "subscribe", "id": f"q{n}", "host": near, "topic": "a", "dz": ["0"]} for n in range(5)]
    for request in more:
        assert planner.apply(request).ok
    assert not watch.update(planner, more)
