"""Installed tables under any mix of requests: within budgets, as defined, and the same on every way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercast.planner import Planner
from tests.core.aggregation_oracle import installed_as_defined
from tests.core.aggregation_scenes import (
    Follower,
    Scene,
    dense_spiced_scene,
    planner_of_scene,
    spiced_scenes,
    state,
)

methods = st.sampled_from(["la", "la", "none", "optimal"])
trees = st.sampled_from([1, 2, 64])


@settings(max_examples=150, deadline=None)
@given(spiced_scenes(), trees, methods)
def test_every_step_holds(scene: Scene, max_trees: int, method: str) -> None:
    network, requests = scene
    follower = Follower(network, max_trees, method)
    for request in requests:
        follower.step(request)


@pytest.mark.parametrize("seed", range(16))
def test_every_step_of_dense_scenes_holds(seed: int) -> None:
    network, requests = dense_spiced_scene(seed)
    follower = Follower(network, 2 if seed % 4 == 0 else 64)
    for request in requests:
        follower.step(request)


@settings(max_examples=80, deadline=None)
@given(spiced_scenes(), trees, methods, st.data())
def test_batches_and_restarts_change_nothing(
    scene: Scene, max_trees: int, method: str, data: st.DataObject
) -> None:
    """The same log gives the same tables, wherever diffs are taken and snapshots restored."""
    network, requests = scene
    one, other = planner_of_scene(network, max_trees), planner_of_scene(network, max_trees)
    for planner in (one, other):
        planner.apply({"op": "set_aggregation", "method": method})
    tables = other.tables()
    for request in requests:
        told, found = one.apply(request), other.apply(request)
        assert (told.ok, told.failed_switches) == (found.ok, found.failed_switches)
        if data.draw(st.booleans()):
            tables = other.take_diff().apply(tables)
            assert tables == other.tables()
        if data.draw(st.integers(0, 3)) == 0:
            tables = other.take_diff().apply(tables)
            other = Planner.restore(other.snapshot())
    assert state(one) == state(other)
    assert not installed_as_defined(one)
    assert one.take_diff().apply({}) == one.tables()
    assert other.take_diff().apply(tables) == other.tables()


@settings(max_examples=80, deadline=None)
@given(spiced_scenes(most=14), trees, st.integers(0, 14), st.integers(0, 14))
def test_a_dry_run_leaves_no_trace(scene: Scene, max_trees: int, tried_at: int, diff_at: int) -> None:
    network, requests = scene
    planner, other = planner_of_scene(network, max_trees), planner_of_scene(network, max_trees)
    for one in (planner, other):
        one.apply({"op": "set_aggregation", "method": "la"})
    for request in requests[:tried_at]:
        planner.apply(request)
        other.apply(request)
        if tried_at == diff_at:
            planner.take_diff()
            other.take_diff()
    undoable = [request for request in requests[tried_at:] if request["op"].endswith(("scribe", "advertise"))]
    for tried in (undoable, requests[tried_at:]):
        before, tables = state(planner), planner.tables()
        run = planner.dry_run(tried)
        assert state(planner) == before
        assert not installed_as_defined(planner)
        copy = Planner.restore(planner.snapshot())
        outcomes = copy.apply_all(tried)
        assert [outcome.ok for outcome in outcomes] == [outcome.ok for outcome in run.outcomes]
        assert (run.before, run.after) == (planner.counts(), copy.counts())
        assert run.diff.apply(tables) == copy.tables()
    for request in requests[tried_at:]:
        planner.apply(request)
        other.apply(request)
    assert state(planner) == state(other)
    assert planner.take_diff() == other.take_diff()


def test_where_no_budget_is_exceeded_nothing_stands_over_tables() -> None:
    network, requests = dense_spiced_scene(3)
    for switch in network["switches"]:
        switch["tcam_budget"] = None
    planner = planner_of_scene(network)
    planner.apply({"op": "set_aggregation", "method": "la"})
    for request in requests:
        if request["op"] not in ("set_budget", "aggregate"):
            planner.apply(request)
    assert planner.exact_counts() == planner.counts()
    assert planner.exact_tables() == planner.tables()
    assert not planner.keeper.overlays
    planner.apply({"op": "set_aggregation", "method": "none"})
    assert "aggregation" not in planner.snapshot()


def old_snapshot(planner: Planner) -> dict[str, Any]:
    return {key: value for key, value in planner.snapshot().items() if key != "aggregation"}


def test_a_snapshot_without_aggregation_is_one_of_exact_tables() -> None:
    network, requests = dense_spiced_scene(5)
    planner = planner_of_scene(network)
    planner.apply_all(requests[:20])
    restored = Planner.restore(old_snapshot(planner))
    assert restored.tables() == planner.exact_tables() == restored.exact_tables()
