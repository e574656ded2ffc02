"""A dry run reports the outcome of requests, and leaves everything unchanged."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.runtime import jit
from tests.property_profiles import examples
from tests.support.budget_scenes import pair
from tests.support.networks import (
    advertise,
    host,
    link,
    planner_for,
    request_lists,
    scenes,
    subscribe,
    topology,
)

Scene = tuple[dict[str, Any], list[dict[str, Any]]]


@examples(120)
@given(scenes(most=12), st.data(), st.booleans(), st.integers(0, 12))
def test_a_dry_run_shows_the_effects(scene: Scene, data: st.DataObject, events: bool, diff_at: int) -> None:
    topology, requests = scene
    planner, other = planner_for(topology, max_trees=2), planner_for(topology, max_trees=2)
    for i, request in enumerate(requests):
        planner.apply(request)
        other.apply(request)
        if i == diff_at:
            planner.take_diff()
            other.take_diff()
    tried: list[dict[str, Any]] = data.draw(request_lists(topology, most=8, events=events))
    tried = [{**request, "id": "x" + request["id"]} if "id" in request else request for request in tried]
    for name, registration in list(planner.registry.live.items())[:2]:
        op = "unsubscribe" if registration.kind == "subscription" else "unadvertise"
        tried.append({"op": op, "id": name})
    before, tables, trees = planner.snapshot(), planner.tables(), planner.trees()
    run = planner.dry_run([*tried, {"op": "nonsense"}])
    assert planner.snapshot() == before
    assert (planner.tables(), planner.trees()) == (tables, trees)
    assert run.before == planner.counts()
    assert not run.outcomes[-1].ok
    diff = planner.take_diff()
    assert diff == other.take_diff()
    outcomes = planner.apply_all(tried)
    assert [(o.ok, o.matched) for o in outcomes] == [(o.ok, o.matched) for o in run.outcomes[:-1]]
    assert planner.counts() == run.after
    assert run.diff.apply(tables) == planner.tables()


def test_a_dry_run_shows_budgets() -> None:
    planner = planner_for(pair(1))
    planner.apply(advertise("a", "p", ""))
    run = planner.dry_run([subscribe("q1", "h", "00"), subscribe("q2", "h", "11"), subscribe("q3", "h", "0")])
    assert [outcome.ok for outcome in run.outcomes] == [True, False, True]
    assert run.outcomes[1].failed_switches == ("s2",)
    assert (run.before, run.after) == ({"s1": 0, "s2": 0}, {"s1": 1, "s2": 1})
    assert planner.tables() == {}


def test_kernels_that_come_into_use_while_a_dry_run_is_taken_back_find_trees_that_had_gone() -> None:
    pytest.importorskip("numba")
    hosts = [host("h1", "s1", 5, 1), host("h2", "s2", 5, 2)]
    planner = planner_for(topology(2, [link("s1", 1, "s2", 1)], hosts))
    jit.use(False)
    planner.apply_all([advertise("a", "h1", "1"), subscribe("q", "h2", "10")])
    before = planner.tables()
    jit.use(True)
    planner.dry_run([{"op": "unadvertise", "id": "a"}, {"op": "unsubscribe", "id": "q"}])
    jit.use(None)
    assert planner.tables() == before
