"""Whatever the requests and their order: everybody gets what they want once, and nothing else is there."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.judge import Judge, World
from tests.core.networks import DEPTH, TOPICS, flows, planner_for, scenes

Scene = tuple[dict[str, Any], list[dict[str, Any]]]


@settings(max_examples=300, deadline=None)
@given(scenes(), st.sampled_from([1, 2, 64]))
def test_tables_deliver_exactly_what_was_asked_for(scene: Scene, max_trees: int) -> None:
    topology, requests = scene
    planner = planner_for(topology, max_trees)
    world = World.of("ipv6", 16, DEPTH, topology, TOPICS)
    for request in requests:
        outcome = planner.apply(request)
        if not outcome.ok:
            assert outcome.reason is not None and outcome.reason.code == "unknown_port", outcome
            continue
        world.follow(request, request.get("dz"))
    assert Judge(world, flows(planner)).problems() == []
    assert set(planner.pending()) == world.pending()
    assert set(planner.unreachable()) == world.unreachable()
