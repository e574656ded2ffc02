"""Switches that wait for each other: the paper's sweep and further ones; and effort for large tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.optimizer.arrays.network_arrays import NetworkArrays
from tercast.optimizer.methods import optimal
from tercast.optimizer.methods.greedy_merges import greedy_merges
from tercast.optimizer.methods.selection import EntrySelection
from tercast.optimizer.methods.sweeps import LOAD_SWEEPS, SWEEPS, coarsest, merge_sweeps, pattern_based
from tercast.optimizer.methods.switch_forest import make_forest
from tercast.optimizer.methods.switch_order import from_publishers, upstream_of
from tercast.optimizer.pipeline import aggregate
from tercast.optimizer.traffic.event_flows import EventFlows
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.optimizer.traffic.publisher_loads import PublisherLoads
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tests.property_profiles import examples
from tests.support.method_scenes import problems, proof, ring_scene, some_traffic

seeds = st.integers(0, 100_000)


def a_scene(seed: int) -> tuple[NetworkArrays, Traffic]:
    planner, _ = ring_scene(seed)
    budgets = {name: max(1, count // 3) for name, count in planner.counts().items()}
    return NetworkArrays(planner, budgets), read_traffic(planner, some_traffic(planner, seed, 200))


def flows_of(
    kind: type[EventFlows] | type[PublisherLoads], scene: NetworkArrays, traffic: Traffic
) -> list[EventFlows | PublisherLoads]:
    return [kind(scene, topic, traffic.topics.get(topic.name)) for topic in scene.topics]


def install(flows: list[EventFlows | PublisherLoads], switch: int, found: EntrySelection | None) -> None:
    tables = {} if found is None else found.tables()
    for flow in flows:
        if switch in flow.topic.tables:
            flow.set_tables(switch, tables.get(flow.topic.name, flow.topic.tables[switch]))


@pytest.mark.parametrize(("kind", "most"), [(EventFlows, SWEEPS), (PublisherLoads, LOAD_SWEEPS)])
@given(seeds)
@examples(15)
def test_the_first_sweep_is_the_papers(
    kind: type[EventFlows] | type[PublisherLoads], most: int, seed: int
) -> None:
    scene, traffic = a_scene(seed)
    flows = flows_of(kind, scene, traffic)
    switches = scene.over_budget()
    for switch in switches:
        for flow in flows:
            if switch in flow.topic.tables:
                flow.set_tables(switch, coarsest(flow.topic.tables[switch]))
    sources = [source for flow in flows for source in flow.sources]
    expected: dict[int, list[bool] | None] = {}
    for switch in from_publishers(upstream_of(scene, sources, switches), switches, seed):
        found = greedy_merges(make_forest(scene, switch, flows), scene.budgets[switch] or 0, 1.0)
        expected[switch] = None if found is None else found.selected.tolist()
        install(flows, switch, found)
    first = next(iter(merge_sweeps(scene, flows_of(kind, scene, traffic), seed, most)), {})
    assert {s: None if one is None else one.selected.tolist() for s, one in first.items()} == expected


@given(seeds)
@examples(25)
def test_where_nothing_changes_any_more_all_were_decided_with_what_is_upstream(seed: int) -> None:
    scene, traffic = a_scene(seed)
    flows = flows_of(EventFlows, scene, traffic)
    sweeps = list(merge_sweeps(scene, flows, seed, 30))
    if 0 < len(sweeps) < 30:
        for switch, known in sweeps[-1].items():
            found = greedy_merges(make_forest(scene, switch, flows), scene.budgets[switch] or 0, 1.0)
            assert (found is None) == (known is None)
            assert found is None or known is None or (found.selected == known.selected).all()


@given(seeds)
@examples(15)
def test_further_sweeps_make_fewer_copies_of_the_sample(seed: int) -> None:
    scene, traffic = a_scene(seed)
    copies = []
    flows = flows_of(EventFlows, scene, traffic)
    for found in merge_sweeps(scene, flows, seed, SWEEPS):
        copies.append((total_copies(flows), found))
    chosen = pattern_based(scene, traffic, seed)
    again = flows_of(EventFlows, scene, traffic)
    for switch, selection in chosen.items():
        install(again, switch, selection)
    if copies:
        assert total_copies(again) <= copies[0][0]
        assert total_copies(again) in [total for total, _ in copies]


def total_copies(flows: list[EventFlows | PublisherLoads]) -> float:
    return sum(float(flow.copies()[0].sum()) for flow in flows if isinstance(flow, EventFlows))


@pytest.mark.parametrize("effort", optimal.EFFORTS[1:], ids=("large", "very-large"))
@given(seeds)
@examples(8)
def test_less_effort_loses_and_doubles_nothing_either(effort: optimal.SearchEffort, seed: int) -> None:
    planner, world = ring_scene(seed)
    budgets = {name: max(1, count // 4) for name, count in planner.counts().items()}
    events = some_traffic(planner, seed, 200)
    with pytest.MonkeyPatch.context() as patch:
        few = optimal.SearchEffort(float("inf"), effort.sweeps, effort.rounds, 50, effort.thorough)
        patch.setattr(optimal, "EFFORTS", (few,))
        result = aggregate(planner, "optimal", events, budgets=budgets)
        again = aggregate(planner, "optimal", events, budgets=budgets)
    assert result.request == again.request
    assert planner.apply(result.request).ok
    assert planner.counts() == result.after
    assert all(result.after[name] <= budgets[name] for name in budgets.keys() - {*result.unmet})
    assert problems(planner, world) == []
    assert proof(planner) == []
