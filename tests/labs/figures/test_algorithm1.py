"""The baseline is fair: its flow tables deliver the same events as ours."""

import random
from typing import Any

import pytest

from mininet_labs.figures.experiments.algorithm1 import Algorithm1, overlap, without
from mininet_labs.figures.workloads.synthetic import fat_tree, random_graph
from tercast.encoding.request_encoding import encode_text
from tercast.eventspace import dz as dzs
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.offline.plan_file import plan_json, read_plan
from tercast.offline.scenario import read_scenario
from tercast.offline.simulate_plan import PlanSimulator
from tercast.planner.planner import Planner

HIGHEST = 31
DEPTH, CELLS = 8, 4
TOPIC = {
    "name": "t",
    "code": 2,
    "attributes": [{"name": name, "type": "int", "min": 0, "max": HIGHEST} for name in ("x", "y")],
}
NETWORKS = {
    "fat tree": fat_tree(),
    "random": random_graph(9, seed=3),
    "two hosts a switch": random_graph(5, seed=4, hosts_per_switch=2),
}


def filter_text(rng: random.Random) -> str:
    tests = []
    for name in rng.sample(("x", "y"), rng.randint(1, 2)):
        low, high = sorted(rng.choices(range(HIGHEST + 1), k=2))
        tests.append(f"{name} in [{low}, {high}]")
    return " and ".join(tests)


def drawn(network: dict[str, Any], rng: random.Random) -> list[dict[str, Any]]:
    """Return requests in any order; publishers do not subscribe, as the paper returns nothing to a port."""
    hosts = [host["id"] for host in network["hosts"]]
    publishers = rng.sample(hosts, 3)
    others = [host for host in hosts if host not in publishers]
    requests = [
        {
            "op": op,
            "id": f"{op[0]}{number}",
            "host": rng.choice(who),
            "topic": "t",
            "filter": filter_text(rng),
        }
        for op, who, count in (("advertise", publishers, 6), ("subscribe", others, 14))
        for number in range(count)
    ]
    rng.shuffle(requests)
    return requests


def scenario_of(network: dict[str, Any], requests: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "format": "scenario/1",
        "address": {"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16},
        "limits": {"max_dz_length": DEPTH, "max_dz_per_filter": CELLS},
        "topology": network,
        "topics": [TOPIC],
        "requests": requests,
    }


def baseline(network: dict[str, Any], requests: list[dict[str, Any]], indexed: bool) -> Algorithm1:
    controller = Algorithm1(network, AddressPlan.default("ipv6"), 2, indexed)
    topic = Topic.from_json(TOPIC)
    for request in requests:
        cells = [dzs.text(dz) for dz in encode_text(request["filter"], topic, DEPTH, CELLS)]
        if request["op"] == "advertise":
            controller.advertise(request["host"], cells)
        else:
            controller.subscribe(request["host"], cells)
    return controller


def flows_json(controller: Algorithm1) -> dict[str, Any]:
    """Return the baseline's tables in the form of a plan: outputs to switches precede address rewrites."""
    flows = {}
    for switch, table in controller.tables.items():
        flows[switch] = []
        for flow in table.flows():
            actions: list[dict[str, Any]] = []
            for port, host in sorted(flow.outs, key=lambda out: (out[1] is not None, out[0])):
                actions += [{"set_dst": host}] if host is not None else []
                actions.append({"output": port})
            match = {"dst": flow.destination}
            flows[switch].append({"match": match, "priority": flow.priority + 2, "actions": actions})
    return flows


def events(requests: list[dict[str, Any]], rng: random.Random) -> list[dict[str, Any]]:
    topic = Topic.from_json(TOPIC)
    ads = {r["id"]: Filter.parse(r["filter"], topic) for r in requests if r["op"] == "advertise"}
    found = []
    while len(found) < 150:
        values = {name: rng.randint(0, HIGHEST) for name in ("x", "y")}
        found += [{"publisher": ad, "values": values} for ad, own in ads.items() if own.matches(values)]
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", NETWORKS)
def test_it_delivers_what_the_planner_delivers(name: str, seed: int) -> None:
    network, rng = NETWORKS[name], random.Random(f"{name} {seed}")
    requests = drawn(network, rng)
    scenario = read_scenario(scenario_of(network, requests))
    beginning = scenario.beginning()
    planner = Planner(scenario.address, scenario.limits, beginning.topology, beginning.topics.values())
    assert all(outcome.ok for outcome in planner.apply_all(requests))
    plan = plan_json(planner)
    ours = PlanSimulator(scenario, read_plan(plan))
    theirs = PlanSimulator(
        scenario, read_plan({**plan, "flows": flows_json(baseline(network, requests, indexed=False))})
    )
    delivered = 0
    for event in events(requests, rng):
        for simulator in (ours, theirs):
            simulator.take(event)
        mine, other = ours.counts, theirs.counts
        assert mine.holds and other.holds, event
        assert (mine.delivered, mine.wanted_by, mine.unwanted_by) == (
            other.delivered,
            other.wanted_by,
            other.unwanted_by,
        ), event
        delivered = mine.delivered
    assert delivered > 20


@pytest.mark.parametrize("seed", range(3))
def test_loading_with_an_index_gives_the_same_flows(seed: int) -> None:
    network = NETWORKS["fat tree"]
    requests = drawn(network, random.Random(seed))
    tables = [
        {
            switch: {flow.dz: (flow.destination, flow.outs, flow.priority) for flow in table.flows()}
            for switch, table in baseline(network, requests, indexed).tables.items()
        }
        for indexed in (False, True)
    ]
    assert tables[0] == tables[1]
    assert sum(map(len, tables[0].values())) > 20
    scanned = baseline(network, requests, indexed=False)
    assert all(len(table.flows()) == len(tables[0][s]) for s, table in scanned.tables.items())


def test_dz_as_texts() -> None:
    assert overlap("01", "0") == "01" and overlap("", "1") == "1" and overlap("", "") == ""
    assert overlap("01", "00") is None
    assert without(["0"], ["000"]) == ["001", "01"]
    assert without(["0"], [""]) == []
