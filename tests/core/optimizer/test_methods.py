"""Every method on small networks: its tables are checked by walking packets and by the verifier."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tercast.errors import Refused
from tercast.optimizer.evaluation.cover_evaluation import judge_covers
from tercast.optimizer.methods.optimal import HELD_BACK
from tercast.optimizer.pipeline import METHODS, aggregate
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.planner.planner import Planner
from tests.property_profiles import examples
from tests.support.method_scenes import (
    entries_of,
    planner_with_requests,
    problems,
    proof,
    ring_scene,
    some_budgets,
    some_traffic,
)

seeds = st.integers(0, 100_000)


@pytest.mark.parametrize("method", METHODS)
@given(seeds)
@examples(15)
def test_nothing_is_lost_doubled_or_sent_round_and_budgets_hold(method: str, seed: int) -> None:
    planner, world = planner_with_requests(seed)
    budgets = some_budgets(planner, seed)
    result = aggregate(planner, method, some_traffic(planner, seed), budgets=budgets)
    for switch, count in result.after.items():
        budget = budgets[switch]
        assert count == entries_of(planner, result, switch)
        assert budget is None or count <= budget or switch in result.unmet
    assert planner.apply(result.request).ok
    assert planner.counts() == result.after
    assert problems(planner, world) == []
    assert proof(planner) == []


@pytest.mark.parametrize("method", METHODS)
@given(seeds)
@examples(25)
def test_trees_that_part_at_a_switch_are_kept_apart(method: str, seed: int) -> None:
    planner, world = ring_scene(seed)
    budgets = {name: max(1, count // 4) for name, count in planner.counts().items()}
    result = aggregate(planner, method, some_traffic(planner, seed), budgets=budgets)
    assert planner.apply(result.request).ok
    assert planner.counts() == result.after
    assert problems(planner, world) == []
    assert proof(planner) == []


@given(seeds)
@example(522)
@example(895)
@examples(15)
def test_optimal_is_never_above_la_nor_above_what_is_installed_on_the_events_held_back(seed: int) -> None:
    """Both are measured by their installed covers, on the same events."""
    planner, _ = planner_with_requests(seed)
    planner.enforce_budgets = False
    for switch, budget in some_budgets(planner, seed).items():
        planner.apply({"op": "set_budget", "switch": switch, "tcam_budget": budget})
    events = some_traffic(planner, seed)
    local = Planner.restore(planner.snapshot())
    local.apply({"op": "set_aggregation", "method": "la"})
    exceeded = planner.over_budget()
    if seed % 2:
        planner.apply({"op": "set_aggregation", "method": "la"})
        planner.apply(aggregate(planner, "fa-lb", events).request)
    result = aggregate(planner, "optimal", events, seed=seed)
    if local.over_budget() or planner.over_budget() != (() if seed % 2 else exceeded) or not events:
        return  # some budget cannot be met
    _, held = read_traffic(planner, events).split(HELD_BACK, seed)
    if not len(held):
        return
    for other in (local, planner) if seed % 2 else (local,):
        assert result.expected.cost <= judge_covers(planner, other.budget_enforcer.covers(), held).cost + 1e-9


@given(seeds, st.sampled_from(METHODS))
@examples(15)
def test_the_same_input_gives_the_same_result_and_leaves_the_planner_alone(seed: int, method: str) -> None:
    planner, _ = planner_with_requests(seed)
    before, budgets = planner.snapshot(), some_budgets(planner, seed)
    traffic = some_traffic(planner, seed)
    first = aggregate(planner, method, traffic, 0.5, seed=3, budgets=budgets)
    second = aggregate(planner, method, traffic, 0.5, seed=3, budgets=budgets)
    assert first.request == second.request
    assert planner.snapshot() == before


def test_bad_input_is_refused_by_name() -> None:
    planner, _ = planner_with_requests(7)
    traffic = some_traffic(planner, 7)
    for sampling in (0, -0.5, 1.5, True, "1", float("nan")):
        with pytest.raises(Refused) as refused:
            aggregate(planner, "fa-pb", traffic, sampling)  # type: ignore[arg-type]
        assert refused.value.path == ("sampling",)
    with pytest.raises(Refused) as refused:
        aggregate(planner, "best", traffic)
    assert refused.value.code == "unknown_method"
    with pytest.raises(Refused) as refused:
        aggregate(planner, "fa-pb", [*traffic, {"publisher": "nobody", "values": {"x": 1}}])
    assert (refused.value.path, refused.value.code) == ((len(traffic), "publisher"), "unknown_publisher")


@given(seeds, st.sampled_from(METHODS))
@examples(15)
def test_without_traffic_budgets_hold_all_the_same(seed: int, method: str) -> None:
    planner, world = planner_with_requests(seed)
    budgets: dict[str, int | None] = {name: count // 2 for name, count in planner.counts().items()}
    result = aggregate(planner, method, [], budgets=budgets)
    for name, count in result.after.items():
        assert count <= (budgets[name] or 0) or name in result.unmet
    for name in result.unmet:
        assert result.after[name] == result.before[name]
    assert planner.apply(result.request).ok
    assert problems(planner, world) == []
    assert proof(planner) == []
