"""Traffic for aggregation: refused events, results of sampling and smoothing, and paths."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.encoding.limits import Limits
from tercast.errors import Refused
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import covers
from tercast.eventspace.topic import Topic
from tercast.optimizer.arrays.network_arrays import NetworkArrays
from tercast.optimizer.arrays.table_arrays import NARROW
from tercast.optimizer.pipeline import METHODS, aggregate
from tercast.optimizer.traffic.event_flows import EventFlows
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.optimizer.traffic.smoothing import smoothed
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.planner.planner import Planner
from tercast.simulation.replay import Replay
from tercast.topology.reader import read_topology
from tercast.verification.verifier import verify
from tests.property_profiles import examples
from tests.support.networks import host, link, topology

ATTRIBUTES: list[dict[str, Any]] = [
    {"name": "x", "type": "int", "min": 0, "max": 999},
    {"name": "y", "type": "float", "min": -1.0, "max": 1.0},
    {"name": "kind", "type": "enum", "values": ["a", "b", "c"]},
]
TOPICS = [{"name": name, "code": code, "attributes": ATTRIBUTES} for name, code in (("t", 4), ("u", 5))]


def planner_of(**limits: Any) -> Planner:
    """A chain of three switches and a branch; two publishers, their trees, and subscribers everywhere."""
    links = [link("s1", 1, "s2", 1), link("s2", 2, "s3", 1), link("s2", 3, "s4", 1)]
    hosts = [host(f"h{i}", f"s{i}", 9, i) for i in range(1, 5)] + [host("k", "s1", 9, 9)]
    planner = Planner(
        AddressPlan.default("ipv6"),
        Limits(**limits),
        read_topology(topology(4, links, hosts), "ipv6"),
        [Topic.from_json(topic) for topic in TOPICS],
    )
    random = Random(3)

    def apply(op: str, name: str, where: str, topic: str, text: str) -> None:
        request = {"op": op, "id": name, "host": where, "topic": topic, "filter": text}
        assert planner.apply(request).ok

    apply("advertise", "a1", "h1", "t", "x < 500")
    apply("advertise", "a2", "h3", "t", 'x >= 500 and kind != "c"')
    apply("advertise", "a3", "h4", "u", "true")
    for i in range(24):
        low, y = random.randint(0, 900), random.uniform(-1, 0.8)
        text = f"x in [{low}, {low + random.randint(5, 90)}] and y in [{y:.3f}, {y + 0.2:.3f}]"
        apply("subscribe", f"q{i}", random.choice(["h1", "h2", "h3", "h4", "k"]), random.choice("tu"), text)
    return planner


def some_events(count: int, seed: int = 0) -> list[dict[str, Any]]:
    random, events = Random(seed), []
    for _ in range(count):
        name = random.choice(["a1", "a2", "a3"])
        low, high = {"a1": (0, 499), "a2": (500, 999), "a3": (0, 999)}[name]
        values = {"x": random.randint(low, high), "y": random.uniform(-1, 1), "kind": random.choice("ab")}
        events.append({"publisher": name, "values": values})
    return events


@pytest.mark.parametrize(
    ("event", "path", "code"),
    [
        ({"publisher": "q0", "values": {}}, ("publisher",), "unknown_publisher"),
        ({"publisher": "nobody", "values": {}}, ("publisher",), "unknown_publisher"),
        (
            {"publisher": "a1", "values": {"x": 500, "y": 0.0, "kind": "a"}},
            ("values",),
            "outside_advertisement",
        ),
        (
            {"publisher": "a2", "values": {"x": 500, "y": 0.0, "kind": "c"}},
            ("values",),
            "outside_advertisement",
        ),
        ({"publisher": "a1", "values": {"x": 5, "y": 0.0}}, ("values", "kind"), "missing_attribute"),
        ({"publisher": "a1", "values": {"x": 5000, "y": 0.0, "kind": "a"}}, ("values", "x"), "out_of_range"),
        ({"publisher": "a1"}, ("values",), "missing_key"),
        ("a1", (), "wrong_type"),
    ],
)
def test_events_that_cannot_be_are_refused(event: object, path: tuple[str, ...], code: str) -> None:
    planner = planner_of()
    with pytest.raises(Refused) as refused:
        read_traffic(planner, [*some_events(3), event])
    assert refused.value.path == (3, *path)
    assert refused.value.code == code or code == "out_of_range"


@given(st.floats(0.01, 1), st.integers(1, 200))
@examples(30)
def test_sampling_takes_every_nth_event_of_each_publisher(share: float, count: int) -> None:
    traffic = read_traffic(PLANNER, some_events(count, count))
    sampled = traffic.sampled(share)
    assert sampled.weight == pytest.approx(traffic.weight)
    for name, part in traffic.topics.items():
        before = Counter(part.who.tolist())
        after = Counter(sampled.topics[name].who.tolist())
        for who, total in before.items():
            assert abs(after[who] - total * share) <= 1 + 1e-9
            assert after[who] >= 1
        assert part.counts.tolist() == sampled.topics[name].counts.tolist()


PLANNER = planner_of()


@given(st.integers(0, 1000))
@examples(20)
def test_smoothed_events_are_near_and_inside(seed: int) -> None:
    traffic = read_traffic(PLANNER, some_events(60, seed))
    near = smoothed(traffic, 4, 3.0, (0.02, 0.04), seed)
    again = smoothed(traffic, 4, 3.0, (0.02, 0.04), seed)
    for name, part in near.topics.items():
        known = traffic.topics[name]
        assert part.dz == again.topics[name].dz
        assert part.dz[: len(known)] == known.dz
        assert part.weight[: len(known)].sum() <= part.weight.sum() <= 4 * known.weight.sum() + 1e-9
        for who, dz in zip(part.who.tolist(), part.dz, strict=True):
            assert any(covers(cell, dz) for cell in part.ads[who].dz)
        assert len(part) > len(known)
        assert set(part.columns[2].tolist()) <= set(known.columns[2].tolist())
        x, y = (column.astype(np.float64) for column in part.columns[:2])
        assert x.min() >= 0
        assert x.max() <= 999
        assert y.min() >= 0
        assert y.max() < 2**32


@pytest.mark.parametrize("narrow", [NARROW, 8], ids=["narrow", "wide"])
@pytest.mark.parametrize("method", METHODS)
def test_codes_of_any_length_lead_to_tables_that_hold(
    method: str, narrow: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tercast.optimizer.arrays.table_arrays.NARROW", narrow)
    planner, events = planner_of(), some_events(400)
    assert all(topic.codes.is_wide == (narrow == 8) for topic in NetworkArrays(planner).topics)
    budgets = {name: max(3, count // 4) for name, count in planner.counts().items()}
    result = aggregate(planner, method, events, budgets=budgets)
    assert result.unmet == ()
    assert any(result.after[name] < result.before[name] for name in budgets)
    assert planner.apply(result.request).ok
    assert planner.counts() == result.after
    assert all(count <= budgets[name] for name, count in planner.counts().items())
    registry = planner.registry
    ads, subs = registry.advertisements(), registry.subscriptions()
    tables = planner.tables()
    found = verify(
        planner.topology, planner.topics.values(), ads, subs, tables, covers=planner.budget_enforcer.covers()
    )
    assert found == []


def test_events_go_where_the_simulator_sends_them() -> None:
    planner, events = planner_of(), some_events(500)
    budgets = {name: max(3, count // 3) for name, count in planner.counts().items()}
    traffic = read_traffic(planner, events)
    result = aggregate(planner, "optimal", traffic, budgets=budgets)
    replay = Replay.of(planner, events)
    assert planner.apply(result.request).ok
    for tables, covered in ((planner.exact_tables(), False), (planner.tables(), True)):
        counts = replay.through(tables)
        scene = NetworkArrays(planner)
        over, delivered = np.zeros(len(scene.wires)), 0.0
        for topic in scene.topics:
            sample = EventFlows(scene, topic, traffic.topics.get(topic.name))
            for switch, selection in result.selections.items() if covered else ():
                assert selection is not None
                found = selection.tables()
                if topic.name in found:
                    sample.set_tables(switch, found[topic.name])
            copies, hosts = sample.copies()
            over += copies
            delivered += float(hosts.sum())
        assert counts.copies.total() == over.sum()
        assert counts.delivered == delivered
        assert (counts.lost, counts.doubled, counts.loops) == (0, 0, 0)


LOADS = st.dictionaries(st.sampled_from(["a1", "a2", "a3", "a9"]), st.integers(1, 10**9))


@given(LOADS, st.integers(1, 60))
@examples(50)
def test_loads_take_the_place_of_counts_and_leave_their_sum(loads: dict[str, int], count: int) -> None:
    traffic = read_traffic(PLANNER, some_events(count, count))
    weighed = traffic.weighed(loads)
    before, after = counts_of(traffic), counts_of(weighed)
    named = before.keys() & loads.keys()
    assert {name: after[name] for name in before.keys() - named} == {
        name: before[name] for name in before.keys() - named
    }
    assert sum(after[name] for name in named) == pytest.approx(sum(before[name] for name in named))
    for one, other in zip(sorted(named), sorted(named)[1:], strict=False):
        assert after[one] * loads[other] == pytest.approx(after[other] * loads[one])
    assert [part.dz for part in weighed.topics.values()] == [part.dz for part in traffic.topics.values()]
    assert weighed.weight == traffic.weight


def counts_of(traffic: Traffic) -> dict[str, float]:
    return {
        ad.id: count
        for part in traffic.topics.values()
        for ad, count in zip(part.ads, part.counts.tolist(), strict=True)
    }


def test_loads_that_are_nothing_change_nothing() -> None:
    traffic = read_traffic(PLANNER, some_events(30))
    assert traffic.weighed({}) is traffic and traffic.weighed({"a1": 0}) is traffic


@pytest.mark.parametrize("busy", ["a1", "a3"])
def test_fa_lb_decides_by_loads_as_by_as_many_events(busy: str) -> None:
    """The other methods use events, and do not change."""
    planner = planner_of()
    budgets = {name: max(1, count // 3) for name, count in planner.counts().items()}
    events = some_events(120, 5)
    more = [event for event in events if event["publisher"] == busy]
    traffic = read_traffic(planner, events)
    loads = Counter(event["publisher"] for event in [*events, *more * 15])
    by_load = aggregate(planner, "fa-lb", traffic.weighed(loads), budgets=budgets)
    by_events = aggregate(planner, "fa-lb", [*events, *more * 15], budgets=budgets)
    assert by_load.request == by_events.request
    others = aggregate(planner, "fa-lb", traffic, budgets=budgets)
    assert by_load.request != others.request
    same = [aggregate(planner, "fa-pb", each, budgets=budgets) for each in (traffic, traffic.weighed(loads))]
    assert same[0].request == same[1].request
