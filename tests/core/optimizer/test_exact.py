"""Optimal results compared with exhaustive search on small domains; and kernels with plain code."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tercast.eventspace.dz import covers
from tercast.optimizer.arrays.network_arrays import NetworkArrays
from tercast.optimizer.evaluation.cost_model import cost_of_selections
from tercast.optimizer.kernels import entries as entry_kernels
from tercast.optimizer.kernels import exceptions, merges, tries
from tercast.optimizer.kernels.merges import least_cost
from tercast.optimizer.methods.exact_merges import least_merge_cost
from tercast.optimizer.methods.exception_method import best_selection
from tercast.optimizer.methods.greedy_merges import greedy_merges, merge_costs
from tercast.optimizer.methods.selection import exact_selection
from tercast.optimizer.methods.switch_forest import SwitchForest, make_forest
from tercast.optimizer.pipeline import METHODS, aggregate
from tercast.optimizer.traffic.event_flows import EventFlows
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.planner.planner import Planner
from tercast.routing.cell_keys import Order
from tercast.runtime.jit import Kernel
from tests.property_profiles import examples
from tests.support.method_scenes import planner_with_requests, some_traffic
from tests.support.networks import DEPTH, advertise, host, link, planner_for, subscribe, topology

cells = st.text("01", max_size=3)
wishes = st.lists(st.tuples(st.sampled_from(["b", "c", "d"]), cells), min_size=1, max_size=9)


def one_switch(wanted: list[tuple[str, str]]) -> Planner:
    """A publisher of everything at s1, and subscribers of the given cells at s1 and beyond a link."""
    hosts = [host("p", "s1", 9, 1), host("b", "s1", 8, 2), host("c", "s1", 7, 3), host("d", "s2", 9, 4)]
    planner = planner_for(topology(2, [link("s1", 1, "s2", 1)], hosts))
    planner.apply(advertise("a", "p", ""))
    for i, (name, cell) in enumerate(wanted):
        planner.apply(subscribe(f"q{i}", name, cell))
    return planner


def board_of(planner: Planner, weights: list[int] | None = None, **options: Any) -> SwitchForest:
    """The forest of s1; value x is published weights[x] times, and all values twice without weights."""
    events = [
        {"publisher": "a", "values": {"x": x}}
        for x in range(1 << DEPTH)
        for _ in range(2 if weights is None else weights[x])
    ]
    scene = NetworkArrays(planner)
    traffic = read_traffic(planner, events)
    samples = [EventFlows(scene, topic, traffic.topics.get(topic.name)) for topic in scene.topics]
    return make_forest(scene, scene.index["s1"], samples, **options)


def fewest(planner: Planner) -> int:
    """The entries of the smallest table that is equal to the exact one, by trying all tables."""
    trie = planner.plan("a").tries["s1"]
    table = {Order(DEPTH).dz(key): mask for key, mask in trie.entries.items()}
    masks = [0, *sorted(set(table.values()))]

    def outputs(point: int) -> int:
        hits = [dz for dz in table if covers(dz, point)]
        return table[max(hits)] if hits else 0

    @cache
    def least(dz: int, inherited: int) -> int:
        def plain(mask: int) -> int:
            if dz.bit_length() > DEPTH:
                return 0 if outputs(dz) == mask else 1 << 20
            return least(2 * dz, mask) + least(2 * dz + 1, mask)

        return min(plain(inherited), 1 + min(plain(mask) for mask in masks))

    return least(1, 0)


@given(wishes)
@example([("b", ""), ("c", "1"), ("d", "00"), ("d", "010")])
@examples(100)
def test_lossless_tables_are_as_small_as_can_be(wanted: list[tuple[str, str]]) -> None:
    planner = one_switch(wanted)
    forest = board_of(planner, follow=True)
    found = best_selection(forest, fewest(planner), 0.2)
    assert found is not None
    assert found.cost == 0
    assert len(found) <= fewest(planner)


def merge_points(forest: SwitchForest) -> list[tuple[set[int], float, int]]:
    """All allowed merge points: the nodes at and below each, its cost, and its saving."""
    cost, entries = merge_costs(forest, 1.0)
    under: list[set[int]] = [{v} for v in range(len(forest))]
    for v in range(len(forest) - 1, 0, -1):
        if forest.parent[v] >= 0:
            under[int(forest.parent[v])] |= under[v]
    return [
        (under[v], float(cost[v]), int(entries[v]) - 1)
        for v in range(len(forest))
        if entries[v] > 1 and np.isfinite(cost[v])
    ]


weights = st.lists(st.integers(0, 5), min_size=16, max_size=16)


@given(wishes, weights, st.integers(1, 5))
@examples(60)
def test_the_yardstick_is_the_best_set_of_merge_points(
    wanted: list[tuple[str, str]], loads: list[int], budget: int
) -> None:
    forest = board_of(one_switch(wanted), loads)
    points = merge_points(forest)
    best = 0.0 if forest.entries <= budget else np.inf
    for size in range(1, 4):
        for chosen in combinations(points, size):
            apart = all(not one[0] & other[0] for one, other in combinations(chosen, 2))
            if apart and forest.entries - sum(point[2] for point in chosen) <= budget:
                best = min(best, sum(point[1] for point in chosen))
    found = least_merge_cost(forest, budget, 1.0)
    assert found <= best + 1e-9
    if forest.entries - budget <= 3:  # more than three merge points save more than three entries
        assert found == pytest.approx(best)
    greedy = greedy_merges(forest, budget, 1.0)
    assert (greedy is None) == np.isinf(found)
    assert greedy is None or found <= greedy.cost + 1e-9


@given(wishes, weights, st.integers(1, 6))
@examples(60)
def test_costs_are_those_of_the_events(wanted: list[tuple[str, str]], loads: list[int], budget: int) -> None:
    planner = one_switch(wanted)
    forest = board_of(planner, loads, follow=True)
    assert exact_selection(forest, 0.2).cost == 0
    for found in (best_selection(forest, budget, 0.2), greedy_merges(forest, budget, 0.2)):
        if found is None:
            continue
        assert len(found) <= budget
        table = {forest.dz(v): forest.mask_of(found.mask[v]) for v in np.flatnonzero(found.selected).tolist()}
        exact = {Order(DEPTH).dz(k): mask for k, mask in planner.plan("a").tries["s1"].entries.items()}
        links = planner.network.sites["s1"].links
        cost = 0.0
        for x, load in enumerate(loads):
            point = 1 << DEPTH | x
            sent, wanted_by = (_outputs(known, point) for known in (table, exact))
            assert not wanted_by & ~sent
            surplus = sent & ~wanted_by
            cost += load * ((surplus & links).bit_count() + 0.2 * (surplus & ~links).bit_count())
        assert found.cost == pytest.approx(cost)


@given(st.lists(st.tuples(st.sampled_from("bcde"), cells), min_size=2, max_size=12), st.integers(0, 99))
@examples(60)
def test_what_comes_in_over_a_link_is_not_charged_there(wanted: list[tuple[str, str]], seed: int) -> None:
    hosts = [host("p", "s1", 9, 1), host("b", "s1", 8, 2), host("c", "s2", 9, 3), host("d", "s2", 8, 4)]
    hosts += [host("r", "s3", 9, 5), host("e", "s3", 8, 6)]
    planner = planner_for(topology(3, [link("s1", 1, "s2", 1), link("s2", 2, "s3", 1)], hosts))
    planner.apply(advertise("a1", "p", ""))
    planner.apply(advertise("a2", "r", ""))
    for i, (name, cell) in enumerate(wanted):
        planner.apply(subscribe(f"q{i}", name, cell))
    traffic = read_traffic(planner, some_traffic(planner, seed, 80))
    scene = NetworkArrays(planner)
    samples = [EventFlows(scene, topic, traffic.topics.get(topic.name)) for topic in scene.topics]
    middle = scene.index["s2"]
    forest = make_forest(scene, middle, samples, follow=True)
    for budget in range(1, forest.entries):
        for found in (best_selection(forest, budget, 0.2), greedy_merges(forest, budget, 0.2)):
            if found is not None:
                assert cost_of_selections(scene, {middle: found}, traffic).cost * 80 == pytest.approx(
                    found.cost
                )


def _outputs(table: dict[int, int], point: int) -> int:
    hits = [dz for dz in table if covers(dz, point)]
    return table[max(hits)] if hits else 0


def test_an_exception_and_a_drop_entry_worked_by_hand() -> None:
    # Four cells for d beyond the link, each next to one for b; cell 0110 is busy and has no subscriber.
    wanted = [("d", "000"), ("d", "010"), ("d", "100"), ("d", "110"), ("b", "001"), ("b", "101")]
    loads = [0] * 16
    loads[0b0110] = 100
    forest = board_of(one_switch(wanted), loads, follow=True)
    found = best_selection(forest, 2, 0.2)
    assert found is not None
    standing = {forest.dz(v): int(found.mask[v].sum()) for v in np.flatnonzero(found.selected).tolist()}
    assert found.cost == 0
    assert 0 in standing.values()
    assert greedy_merges(forest, 2, 0.2).cost > 0  # type: ignore[union-attr]


KERNELS = {
    name: found
    for module in (tries, entry_kernels, exceptions, merges)
    for name, found in vars(module).items()
    if isinstance(found, Kernel)
}


def test_compiled_kernels_do_what_the_functions_say(monkeypatch: pytest.MonkeyPatch) -> None:
    numba = pytest.importorskip("numba")
    used: set[str] = set()
    compiled = {name: numba.njit(cache=True)(kernel.pure) for name, kernel in KERNELS.items()}

    def both(self: Kernel, *arguments: Any) -> Any:
        name = self.pure.__name__
        used.add(name)
        copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        mine, its = self.pure(*arguments), compiled[name](*copies)
        results = (found if isinstance(found, tuple) else (found,) for found in (mine, its))
        for a, b in (*zip(*results, strict=True), *zip(arguments, copies, strict=True)):
            if a is not None:
                np.testing.assert_allclose(a, b)
        return mine

    monkeypatch.setattr(Kernel, "__call__", both)
    for seed in (1, 3, 12, 20):
        planner, _ = planner_with_requests(seed)
        budgets = {name: max(1, count // 3) for name, count in planner.counts().items()}
        for method in METHODS:
            aggregate(planner, method, some_traffic(planner, seed, 200), budgets=budgets)
    assert used == set(KERNELS)


def test_the_reference_reports_when_no_merges_are_enough() -> None:
    parent = np.array([-1, 0, 0])
    here = np.array([0, 1, 1])
    assert least_cost(parent, here, np.array([np.inf, 0, 0]), 1) == np.inf
    assert least_cost(parent, here, np.array([3.0, 0, 0]), 1) == 3
