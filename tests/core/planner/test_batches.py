"""The same requests have the same tables, for any division, restarts and observers."""

import json
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tercast.planner.planner import Planner
from tercast.tables.entries import Table
from tests.property_profiles import examples
from tests.support.kernel_modes import kernels  # noqa: F401 - runs all tests in both modes
from tests.support.networks import dense_scene, planner_for, scenes

Scene = tuple[dict[str, Any], list[dict[str, Any]]]


@examples(150)
@given(scenes(most=20), st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)), st.sampled_from([1, 3, 64]))
def test_batches_and_restarts_change_nothing(
    scene: Scene, diffs_at: set[int], restarts_at: set[int], max_trees: int
) -> None:
    topology, requests = scene
    whole = planner_for(topology, max_trees)
    outcomes = whole.apply_all(requests)
    turns = planner_for(topology, max_trees)
    applied: dict[str, Table] = {}
    for outcome, known in zip(turns.in_turn(requests), outcomes, strict=True):
        applied = turns.take_diff().apply(applied)
        assert applied == turns.tables() and replace(outcome, reason=None) == replace(known, reason=None)
    assert turns.snapshot() == whole.snapshot()
    planner = planner_for(topology, max_trees)
    tables: dict[str, Table] = {}
    for i, request in enumerate(requests):
        planner.apply(request)
        if i in diffs_at | restarts_at:
            tables = planner.take_diff().apply(tables)
            assert tables == planner.tables()
        if i in restarts_at:
            snapshot = planner.snapshot()
            planner = Planner.restore(json.loads(json.dumps(snapshot)))
            assert planner.snapshot() == snapshot
            assert planner.tables() == tables
    assert planner.take_diff().apply(tables) == planner.tables() == whole.tables()
    assert planner.snapshot() == whole.snapshot()
    assert planner.trees() == whole.trees()
    assert planner.pending() == whole.pending()
    assert planner.unreachable() == whole.unreachable()


@examples(200)
@given(st.integers(0, 100_000), st.sampled_from([1, 3, 64]))
def test_dense_batches_come_to_what_their_requests_do(seed: int, max_trees: int) -> None:
    topology, requests = dense_scene(seed)
    batches, singles = planner_for(topology, max_trees), planner_for(topology, max_trees)
    batches.apply_all(requests)
    for request in requests:
        singles.apply(request)
    assert batches.take_diff().apply({}) == batches.tables() == singles.tables()
    assert batches.counts() == singles.counts()
    assert batches.trees() == singles.trees()


def test_a_cell_goes_from_a_tree_that_ends_to_a_new_one_in_one_batch() -> None:
    topology, _ = dense_scene(351)
    first = {"op": "advertise", "id": "a1", "host": "h3", "dz": ["1001", "0110"], "topic": "a"}
    second = {"op": "advertise", "id": "a2", "host": "h6", "dz": ["1111", "011"], "topic": "a"}
    both = {"op": "subscribe", "id": "q", "host": "h4", "dz": [""], "topic": "a"}
    batches, singles = planner_for(topology), planner_for(topology)
    for planner in (batches, singles):
        planner.apply_all([first, both])
    batches.apply_all([{"op": "unadvertise", "id": "a1"}, second])
    assert batches.tables() != {}
    for request in ({"op": "unadvertise", "id": "a1"}, second):
        singles.apply(request)
    assert batches.tables() == singles.tables()
    assert batches.trees() == singles.trees()


def test_filters_are_encoded_together_up_to_a_change_of_what_is_indexed() -> None:
    topology, _ = dense_scene(1)
    attributes = [{"name": name, "type": "int", "min": 0, "max": 3} for name in "xy"]
    topic = {"name": "c", "code": 8, "attributes": attributes, "indexed": ["x"]}
    host = topology["hosts"][0]["id"]
    asked = {"host": host, "topic": "c", "filter": "x = 1 and y in [2, 3]"}
    requests: list[dict[str, Any]] = [
        {"op": "add_topic", "topic": topic},
        {"op": "advertise", "id": "a", **asked},
        {"op": "subscribe", "id": "q1", **asked},
        {"op": "subscribe", "id": "q1", **asked},
        {"op": "set_indexed", "topic": "c", "indexed": ["y"]},
        {"op": "subscribe", "id": "q2", **asked},
        {"op": "subscribe", "id": "q3", **asked, "filter": "true"},
    ]
    one, other = planner_for(topology), planner_for(topology)
    oks = [outcome.ok for outcome in one.in_turn(requests)]
    assert oks == [other.apply(request).ok for request in requests] == [True] * 3 + [False] + [True] * 3
    assert one.snapshot() == other.snapshot()
    assert one.encodings()["q2"] == one.encodings()["q1"] == (0b11,)


@examples(100)
@given(scenes(most=16, events=False), st.randoms())
def test_the_order_of_subscriptions_does_not_show(scene: Scene, random: Any) -> None:
    topology, requests = scene
    planner = planner_for(topology)
    planner.apply_all(requests)
    live = planner.registry.live
    last = [request for request in requests if request["id"] in live and request["op"] == "subscribe"]
    random.shuffle(last)
    other = planner_for(topology)
    other.apply_all(request for request in requests if request["op"] in ("advertise", "unadvertise"))
    other.apply_all(last)
    assert other.tables() == planner.tables()
    assert other.trees() == planner.trees()


@examples(150)
@given(scenes(most=25))
def test_nothing_is_left_once_all_is_withdrawn(scene: Scene) -> None:
    topology, requests = scene
    planner = planner_for(topology)
    planner.apply_all(requests)
    tables = planner.take_diff().apply({})
    for name, registration in list(planner.registry.live.items()):
        op = "unsubscribe" if registration.kind == "subscription" else "unadvertise"
        assert planner.apply({"op": op, "id": name}).ok
    assert planner.take_diff().apply(tables) == {}
    assert planner.tables() == {}
    assert planner.trees() == []
    assert not any(planner.counts().values())
    assert not any(planner.network.load.values())
    for plan in planner.plans:
        assert not plan.forests
        if plan.compiled is not None:
            plan.compiled.leave()
        for trie in plan.tries.values():
            assert not trie.propagator.subscriptions.own
            assert not trie.propagator.advertisements.own


def test_masks_over_cells_are_what_the_cells_above_say() -> None:
    for seed in range(60):
        topology, requests = dense_scene(seed)
        planner = planner_for(topology, max_trees=3)
        planner.apply_all(requests)
        order = planner.order
        for trie in (trie for plan in planner.plans for trie in plan.tries.values()):
            for layer in (trie.propagator.subscriptions, trie.propagator.advertisements):
                assert list(layer.keys) == sorted(layer.own) == sorted(layer.above)
                for key in layer.own:
                    over = (
                        mask for other, mask in layer.own.items() if other != key and order.covers(other, key)
                    )
                    assert layer.above[key] == reduce(or_, over, 0)
