"""The simulator's counts, its refusals, and its agreement with walking packets."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.errors import Refused, RefusedMany
from tercast.offline.plan_file import plan_json, read_plan
from tercast.offline.scenario import read_scenario
from tercast.offline.simulate_plan import PlanSimulator
from tercast.simulation import single_event as walk
from tests.property_profiles import examples
from tests.support.judge import Judge, World
from tests.support.networks import DEPTH, TOPICS, example, host, link, planner_of, topologies, topology

Document = dict[str, Any]


def simulated(scenario: Document, events: list[Document], plan: Document | None = None) -> Document:
    planner = planner_of(scenario)
    planner.apply_all(scenario["requests"])
    simulator = PlanSimulator(read_scenario(scenario), read_plan(plan or plan_json(planner)))
    for event in events:
        simulator.take(event)
    return {**simulator.counts.report(), "holds": simulator.counts.holds}


def event(low: object, publisher: str = "a1") -> Document:
    return {"publisher": publisher, "values": {"low": low}}


def test_events_are_counted_by_host_and_link() -> None:
    report = simulated(example(), [event(92), event(80), event(300)])
    assert report == {
        "format": "report/1",
        "events": 3,
        "wanted": 2,
        "delivered": 2,
        "lost": 0,
        "doubled": 0,
        "unwanted": 0,
        "link_copies": 2,
        "needless_link_copies": 0,
        "network_fpr": 0.0,
        "by_host": {"h2": {"wanted": 2, "unwanted": 0}},
        "by_link": {"s1:1": {"copies": 2, "needless": 0}},
        "holds": True,
    }


def test_a_coarse_encoding_causes_false_positives_and_redundant_copies() -> None:
    scenario = example()
    scenario["limits"]["max_dz_length"] = 4
    report = simulated(scenario, [event(92), event(70), event(120), event(500)])
    assert (report["wanted"], report["delivered"], report["unwanted"]) == (1, 3, 2)
    assert (report["link_copies"], report["needless_link_copies"]) == (3, 2)
    assert report["network_fpr"] == 66.667
    assert report["by_host"] == {"h2": {"wanted": 1, "unwanted": 2}}
    assert report["holds"]


def damaged(**flows: Any) -> Document:
    planner = planner_of(example())
    planner.apply_all(example()["requests"])
    plan = plan_json(planner)
    plan["flows"].update(flows)
    return plan


ALL = {"dst": "ff0e:4::/32"}


def test_what_is_lost_is_counted() -> None:
    report = simulated(example(), [event(92)], damaged(s2=[]))
    assert (report["wanted"], report["delivered"], report["lost"], report["holds"]) == (1, 0, 1, False)
    assert report["needless_link_copies"] == 1


def test_copies_beyond_the_limit_are_counted() -> None:
    twice = [{"set_dst": "h2"}, {"output": 3}, {"set_dst": "h2"}, {"output": 3}]
    report = simulated(example(), [event(92)], damaged(s2=[{"match": ALL, "priority": 9, "actions": twice}]))
    assert (report["delivered"], report["doubled"], report["lost"], report["holds"]) == (2, 1, 0, False)


def test_a_loop_ends_and_is_no_success() -> None:
    scenario = example()
    scenario["topology"]["links"].append({"a": "s1", "a_port": 7, "b": "s2", "b_port": 7})
    flows = {
        "s1": [{"match": ALL, "priority": 9, "actions": [{"output": 1}, {"output": 7}]}],
        "s2": [{"match": ALL, "priority": 9, "actions": [{"output": 1}, {"output": 7}]}],
    }
    assert not simulated(scenario, [event(300)], damaged(**flows))["holds"]


def test_more_copies_than_anybody_follows_are_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """No copy returns, but after each of ten pairs of parallel links there are twice as many copies."""
    monkeypatch.setattr(walk, "MAX_COPIES", 500)
    links = [link(f"s{i}", p, f"s{i + 1}", p + 2) for i in range(1, 11) for p in (1, 2)]
    scenario = example()
    scenario["topology"] = topology(11, links, [host("h1", "s1", 9, 1), host("h2", "s11", 9, 2)])
    forward = {"match": ALL, "priority": 9, "actions": [{"output": 1}, {"output": 2}]}
    report = simulated(scenario, [event(92)], damaged(**{f"s{i}": [forward] for i in range(1, 11)}))
    assert not report["holds"]
    assert 500 <= report["link_copies"] <= 501
    monkeypatch.setattr(walk, "MAX_COPIES", 5000)
    report = simulated(scenario, [event(92)], damaged(**{f"s{i}": [forward] for i in range(1, 11)}))
    assert (report["link_copies"], report["needless_link_copies"]) == (2046, 2046)


def test_pairs_without_a_path_are_wanted_and_not_lost() -> None:
    scenario = example()
    del scenario["topology"]["hosts"][1]["standby"]
    scenario["requests"].append({"op": "link_down", "switch": "s2", "port": 1})
    report = simulated(scenario, [event(92)])
    assert (report["wanted"], report["delivered"], report["lost"], report["holds"]) == (1, 0, 0, True)
    scenario["requests"].append({"op": "switch_down", "switch": "s1"})
    assert simulated(scenario, [event(92)])["lost"] == 0


@pytest.mark.parametrize(
    ("item", "line"),
    [
        (event(92, "q1"), 'publisher: there is no active advertisement "q1"'),
        (event(92, "zz"), 'publisher: there is no active advertisement "zz"'),
        (event(600), 'values: the event does not match advertisement "a1"'),
        (event(2000), "values.low: "),
        (event("many"), "values.low: "),
        (event(None), "values.low: "),
        (event(True), "values.low: "),
        ({"publisher": "a1", "values": {}}, "values.low: "),
        ({"publisher": "a1", "values": {"low": 1, "high": 2}}, "values.high: "),
        ({"publisher": "a1"}, "values: this key is missing"),
        ({"publisher": 1, "values": {}}, "publisher: "),
        ([], "found a list, expected an object"),
    ],
)
def test_what_a_publisher_may_not_send_is_refused_by_name(item: Any, line: str) -> None:
    scenario = example()
    planner = planner_of(scenario)
    planner.apply_all(scenario["requests"])
    simulator = PlanSimulator(read_scenario(scenario), read_plan(plan_json(planner)))
    with pytest.raises((Refused, RefusedMany)) as refused:
        simulator.take(item)
    assert str(refused.value).startswith(line)
    assert simulator.counts.events == 0


@examples(60)
@given(topologies(), st.data())
def test_the_simulator_agrees_with_walking_packets(topology: Document, data: st.DataObject) -> None:
    hosts = [host["id"] for host in topology["hosts"]]
    requests: list[Document] = []
    for i in range(data.draw(st.integers(1, 6))):
        low, high = sorted(data.draw(st.tuples(st.integers(0, 15), st.integers(0, 15))))
        op = "advertise" if i % 2 == 0 else "subscribe"
        host, text = data.draw(st.sampled_from(hosts)), f"x in [{low}, {high}]"
        requests.append({"op": op, "id": f"r{i}", "host": host, "topic": "a", "filter": text})
    scenario = {
        "format": "scenario/1",
        "address": {"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16},
        "topology": topology,
        "topics": TOPICS,
        "limits": {"max_dz_length": DEPTH},
        "requests": requests,
    }
    planner = planner_of(scenario)
    planner.apply_all(requests)
    plan = json.loads(json.dumps(plan_json(planner)))
    simulator = PlanSimulator(read_scenario(scenario), read_plan(plan))
    world = World.of("ipv6", 16, DEPTH, topology, TOPICS)
    judge = Judge(world, plan["flows"])
    delivered = copies = 0
    for request in requests:
        if request["op"] == "advertise":
            low, high = map(int, request["filter"][6:-1].split(", "))
            for x in range(low, high + 1):
                simulator.take({"publisher": request["id"], "values": {"x": x}})
                place = world.place(request["host"])
                assert place is not None
                walk = judge.walk(place, world.address("a", format(x, "04b")))
                delivered += walk.delivered.total()
                copies += walk.crossed.total()
    report = simulator.counts.report()
    assert (report["delivered"], report["link_copies"]) == (delivered, copies)
    assert (report["lost"], report["doubled"], report["unwanted"]) == (0, 0, 0)
    assert report["needless_link_copies"] == 0
