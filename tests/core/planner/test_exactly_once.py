"""For any requests in any order, every host gets the events it wants exactly once."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.property_profiles import examples
from tests.support.judge import Judge, World
from tests.support.kernel_modes import kernels  # noqa: F401 - runs all tests in both modes
from tests.support.networks import DEPTH, TOPICS, dense_scene, flows, planner_for, scenes

Scene = tuple[dict[str, Any], list[dict[str, Any]]]


def check(scene: Scene, max_trees: int, every: int = 0) -> None:
    """Apply the requests and check the tables, at the end and after every few requests."""
    topology, requests = scene
    planner = planner_for(topology, max_trees)
    world = World.of("ipv6", 16, DEPTH, topology, TOPICS)
    for i, request in enumerate(requests):
        outcome = planner.apply(request)
        if outcome.ok:
            world.follow(request, request.get("dz"))
        else:  # a port that a host has left
            assert outcome.reason is not None
            assert outcome.reason.code == "unknown_port"
        if every and i % every == 0:
            assert Judge(world, flows(planner)).problems() == []
    assert Judge(world, flows(planner)).problems() == []
    assert set(planner.pending()) == world.pending()
    assert set(planner.unreachable()) == world.unreachable()


@examples(200)
@given(scenes(), st.sampled_from([1, 2, 64]))
def test_tables_deliver_exactly_what_was_asked_for(scene: Scene, max_trees: int) -> None:
    check(scene, max_trees)


def test_tables_deliver_exactly_what_was_asked_for_where_much_meets() -> None:
    for seed in range(150):
        check(dense_scene(seed), (1, 2, 64)[seed % 3], every=9)
