"""Paths to the matches of announcements, compared with all pairs, for any split of the network."""

from collections import defaultdict
from random import Random
from typing import Any

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
from tests.support.judge import World, _overlap
from tests.support.networks import DEPTH, TOPICS, dense_scene, planner_for, scenes

Scene = tuple[dict[str, Any], list[dict[str, Any]]]


def expected(world: World) -> dict[str, OutOfReach]:
    """Find by definition every overlapping pair, and whether a path joins it."""
    apart = world.unreachable()
    missed, matched = defaultdict(list), defaultdict(int)
    for ad, (_, topic, brought) in world.ads.items():
        for sub, (_, other, wanted) in world.subs.items():
            if topic == other and _overlap(brought, wanted):
                for one, its in ((ad, sub), (sub, ad)):
                    matched[one] += 1
                    if (ad, sub) in apart:
                        missed[one].append(its)
    return {
        name: OutOfReach(Reach.NONE if len(its) == matched[name] else Reach.PARTIAL, tuple(its), False)
        for name, its in missed.items()
    }


def judge(planner: Planner, world: World) -> None:
    order = {name: registration.seq for name, registration in planner.registry.live.items()}
    wanted = {
        name: OutOfReach(one.reach, tuple(sorted(one.names, key=order.__getitem__)), one.more)
        for name, one in expected(world).items()
    }
    assert planner.out_of_reach() == wanted


def check(scene: Scene, max_trees: int, every: int) -> int:
    """Check after every few requests; return how often something was out of reach."""
    topology, requests = scene
    planner = planner_for(topology, max_trees)
    world = World.of("ipv6", 16, DEPTH, topology, TOPICS)
    seen = 0
    watch, batch, known = ReachWatch(), [], {}
    for i, request in enumerate(requests):
        outcome = planner.apply(request)
        batch.append(request)
        if not outcome.ok:
            continue
        world.follow(request, request.get("dz"))
        if request["op"] == "subscribe":
            missed = expected(world).get(request["id"])
            whole = Reach.FULL if outcome.matched else None
            assert outcome.reach == (missed.reach if missed else whole)
            assert outcome.matched == (request["id"] not in world.pending())
        if i % every == 0:
            judge(planner, world)
            assert watch.update(planner, batch) == (known != planner.out_of_reach() or not i)
            known, batch = planner.out_of_reach(), []
            assert watch.found == known
            seen += bool(planner.out_of_reach())
    judge(planner, world)
    return seen


@examples(100)
@given(scenes(), st.sampled_from([1, 64]))
def test_every_announcement_that_lacks_a_path_is_told(scene: Scene, max_trees: int) -> None:
    check(scene, max_trees, 1)


def test_every_announcement_that_lacks_a_path_is_told_where_much_meets() -> None:
    assert sum(check(dense_scene(seed), 64, 7) for seed in range(40)) > 40


def some(kind: str, number: int, host: str, dz: int) -> Registration:
    return Registration(number, kind, f"{kind[0]}{number}", host, "t", None, (dz,))


PLACES = {"west": 1, "east": 2, "gone": None}


def test_twenty_are_named_and_more_are_told() -> None:
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
