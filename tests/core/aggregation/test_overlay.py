"""Installed tables under any mix of requests: within budgets, as defined, and the same on every way."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.aggregation.incremental.overlay import TopicOverlay
from tercast.planner.planner import Planner
from tercast.tables.entries import SwitchDiff
from tests.property_profiles import examples, some
from tests.support.aggregation_oracle import installed_as_defined
from tests.support.aggregation_scenes import (
    Follower,
    Scene,
    lively_scene,
    planner_of_scene,
    spiced_scenes,
    state,
)
from tests.support.networks import advertise, host, link, planner_for, subscribe, topology

methods = st.sampled_from(["la", "la", "none", "optimal"])
trees = st.sampled_from([1, 2, 64])


@examples(100)
@given(spiced_scenes(), trees, methods)
def test_every_step_holds(scene: Scene, max_trees: int, method: str) -> None:
    network, requests = scene
    follower = Follower(network, max_trees, method)
    for request in requests:
        follower.step(request)


@pytest.mark.parametrize("seed", some(range(40), 6))
def test_every_step_of_lively_scenes_holds(seed: int) -> None:
    network, requests = lively_scene(seed)
    follower = Follower(network, 2 if seed % 4 == 0 else 64)
    for request in requests:
        follower.step(request)


@pytest.mark.parametrize("seed", some(range(20), 3))
def test_batches_and_restarts_change_nothing(seed: int) -> None:
    """The same log gives the same tables, wherever diffs are taken and snapshots restored."""
    random = Random(seed)
    network, requests = lively_scene(100 + seed)
    max_trees = random.choice([1, 2, 64])
    one, other = planner_of_scene(network, max_trees), planner_of_scene(network, max_trees)
    method = random.choice(["la", "la", "fa-lb"])
    for planner in (one, other):
        planner.apply({"op": "set_aggregation", "method": method})
    tables = other.tables()
    for request in requests:
        expected, found = one.apply(request), other.apply(request)
        assert (expected.ok, expected.failed_switches) == (found.ok, found.failed_switches)
        if random.random() < 0.5:
            tables = other.take_diff().apply(tables)
            assert tables == other.tables()
        if random.random() < 0.25:
            tables = other.take_diff().apply(tables)
            other = Planner.restore(other.snapshot())
    assert state(one) == state(other)
    assert not installed_as_defined(one)
    assert one.take_diff().apply({}) == one.tables()
    assert other.take_diff().apply(tables) == other.tables()


@pytest.mark.parametrize("seed", some([1303, 1304, 1305], 1))
def test_a_planner_restarted_before_each_request_merges_the_same(seed: int) -> None:
    """Only tables and trees decide where merges are allowed, not other state of the planner."""
    network, requests = lively_scene(seed)
    one, other = planner_of_scene(network), planner_of_scene(network)
    for planner in (one, other):
        planner.apply({"op": "set_aggregation", "method": "la"})
    for request in requests:
        other.take_diff()
        other = Planner.restore(other.snapshot())
        assert one.apply(request).ok == other.apply(request).ok
        assert one.budget_enforcer.covers() == other.budget_enforcer.covers()


@pytest.mark.parametrize("seed", some(range(20), 3))
def test_a_dry_run_leaves_no_trace(seed: int) -> None:
    random = Random(seed)
    network, requests = lively_scene(200 + seed)
    planner, other = planner_of_scene(network), planner_of_scene(network)
    for one in (planner, other):
        one.apply({"op": "set_aggregation", "method": "la"})
    for request in requests:
        if random.random() < 0.2:
            _try(planner, random.sample(requests, 5), random)
        planner.apply(request)
        other.apply(request)
        if random.random() < 0.3:
            assert by_switch(planner) == by_switch(other)
    assert state(planner) == state(other)
    assert by_switch(planner) == by_switch(other)


def by_switch(planner: Planner) -> dict[str, SwitchDiff]:
    """Return the changes by switch; the order of the switches may depend on earlier dry runs."""
    return {diff.switch: diff for diff in planner.take_diff()}


def _try(planner: Planner, requests: list[dict[str, Any]], random: Random) -> None:
    tried = [{**request, "id": "x" + request["id"]} if "id" in request else request for request in requests]
    if random.random() < 0.7:  # what can be undone without a copy
        tried = [request for request in tried if "id" in request]
    for name in random.sample(sorted(planner.registry.live), min(2, len(planner.registry.live))):
        op = "unsubscribe" if planner.registry.live[name].kind == "subscription" else "unadvertise"
        tried.append({"op": op, "id": name})
    before, tables = state(planner), planner.tables()
    copy = Planner.restore(planner.snapshot())
    run = planner.dry_run(tried)
    assert state(planner) == before
    assert not installed_as_defined(planner)
    outcomes = copy.apply_all(tried)
    assert [outcome.ok for outcome in outcomes] == [outcome.ok for outcome in run.outcomes]
    assert (run.before, run.after) == (planner.counts(), copy.counts())
    assert run.diff.apply(tables) == copy.tables()


def test_where_no_budget_is_exceeded_nothing_stands_over_tables() -> None:
    network, requests = lively_scene(3)
    for switch in network["switches"]:
        switch["tcam_budget"] = None
    planner = planner_of_scene(network)
    planner.apply({"op": "set_aggregation", "method": "la"})
    for request in requests:
        if request["op"] not in ("set_budget", "aggregate"):
            planner.apply(request)
    assert planner.exact_counts() == planner.counts()
    assert planner.exact_tables() == planner.tables()
    assert not planner.budget_enforcer.overlays
    planner.apply({"op": "set_aggregation", "method": "none"})
    assert "aggregation" not in planner.snapshot()


def old_snapshot(planner: Planner) -> dict[str, Any]:
    return {key: value for key, value in planner.snapshot().items() if key != "aggregation"}


def test_a_snapshot_without_aggregation_is_one_of_exact_tables() -> None:
    network, requests = lively_scene(5)
    planner = planner_of_scene(network)
    planner.apply_all(requests[:20])
    restored = Planner.restore(old_snapshot(planner))
    assert restored.tables() == planner.exact_tables() == restored.exact_tables()


def test_the_order_in_which_exact_entries_change_means_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order depends on hashes and on earlier states, which a restored planner does not have."""
    follow = TopicOverlay.follow

    def backwards(overlay: TopicOverlay) -> bool:
        trie = overlay._trie
        trie.plain_table.touched = dict(reversed(trie.plain_table.touched.items()))
        trie.in_port_table.touched = dict(reversed(trie.in_port_table.touched.items()))
        return follow(overlay)

    def tables_of(seed: int) -> list[Any]:
        network, requests = lively_scene(seed)
        planner = planner_of_scene(network)
        planner.apply({"op": "set_aggregation", "method": "la"})
        return [(planner.apply(request).ok, planner.budget_enforcer.covers()) for request in requests]

    plain = [tables_of(seed) for seed in range(300, 330)]
    monkeypatch.setattr(TopicOverlay, "follow", backwards)
    assert [tables_of(seed) for seed in range(300, 330)] == plain


def test_a_kept_cell_in_the_table_of_a_port_says_what_the_entry_of_the_port_above_it_says() -> None:
    """Where others send more, a plain entry begins there, of which the port has none of its own."""
    hosts = [host(name, "s1", 5, i) for i, name in enumerate("xy", 1)]
    hosts += [host("near", "s1", 6, 4), host("far", "s2", 5, 5)]
    planner = planner_for(topology(2, [link("s1", 1, "s2", 1)], hosts))
    cells = ("1000", "1010", "1100", "111")
    planner.apply_all([advertise("a", "x", "1"), *(subscribe(f"q{cell}", "y", cell) for cell in cells)])
    planner.apply_all([subscribe("n", "near", "1"), advertise("b", "far", "1111")])
    covers = {"s1": {"a": {"in_port": {"5": [{"dz": "1", "kept": ["1111"]}]}}}}
    assert planner.apply({"op": "aggregate", "method": "optimal", "covers": covers}).ok
    assert not installed_as_defined(planner)
    for request in (
        {"op": "unsubscribe", "id": "q111"},
        subscribe("q", "y", "111"),
        advertise("c", "far", "111"),
    ):
        assert planner.apply(request).ok
        assert not installed_as_defined(planner)
