"""Scenario files: all mistakes are reported together, each with its path, for any input."""

import copy
from typing import Any

import pytest

from tercast.errors import Refused, RefusedMany
from tercast.offline.scenario import read_scenario
from tests.support.networks import example

MISSING = object()
HUGE = "f" * 300

BAD: list[tuple[str, Any, str]] = [
    ("format", "scenario/2", 'format: "scenario/2" is not'),
    ("extra", 1, "extra: unknown key"),
    ("topology", MISSING, "topology: this key is missing"),
    ("address.family", "ipv5", "address.family: "),
    ("address.prefix", "ff0e::1/16", "address.prefix: "),
    (
        "address.topic_bits",
        2,
        "topics[0].code: topic code 4 is out of range; with 2 topic_bits, use a number from 0 to 3",
    ),
    ("limits.max_trees", 0, "limits.max_trees: 0 is below the minimum 1"),
    ("limits.max_dz_length", 0, "limits.max_dz_length: 0 is below the minimum 1"),
    ("limits.max_dz_per_filter", 0, "limits.max_dz_per_filter: 0 is below the minimum 1"),
    ("limits.max_dz_per_filter", 2.0, "limits.max_dz_per_filter: 2.0 is not an integer"),
    ("limits.depth", 1, "limits.depth: unknown key"),
    ("topology.switches", {}, "topology.switches: found an object, expected a list"),
    ("topology.switches.0.id", "s2", 'topology.switches[1].id: there is already a switch "s2"'),
    ("topology.switches.0.id", "", "topology.switches[0].id: "),
    ("topology.switches.0.id", "a\nb", "topology.switches[0].id: "),
    ("topology.switches.0.id", 7, "topology.switches[0].id: 7 is not a string"),
    ("topology.switches.0.dpid", "0" * 16, "topology.switches[0].dpid: the datapath id is 0"),
    ("topology.switches.0.dpid", "0000000000000002", "topology.switches[1].dpid: "),
    ("topology.switches.0.dpid", HUGE, "topology.switches[0].dpid: "),
    ("topology.switches.0.dpid", "-000000000000001", "topology.switches[0].dpid: "),
    ("topology.switches.0.dpid", "", 'topology.switches[0].dpid: invalid datapath id ""'),
    ("topology.switches.0.dpid", None, "topology.switches[0].dpid: null is not a string"),
    ("topology.switches.0.dpid", True, "topology.switches[0].dpid: true is not a string"),
    ("topology.switches.0.dpid", 2**63, "topology.switches[0].dpid: "),
    ("topology.switches.0.dpid", MISSING, "topology.switches[0].dpid: this key is missing"),
    ("topology.switches.0.tcam_budget", -1, "topology.switches[0].tcam_budget: -1 is below the minimum 0"),
    ("topology.switches.0.tcam_budget", 0.5, "topology.switches[0].tcam_budget: 0.5 is not an integer"),
    ("topology.links.0.b", "s9", 'topology.links[0].b: unknown switch "s9"'),
    ("topology.links.0.b", "s1", 'topology.links[0].b: the link joins "s1" to itself'),
    ("topology.links.0.b", MISSING, "topology.links[0].b: this key is missing"),
    ("topology.links.0.a_port", 0, "topology.links[0].a_port: 0 is below the minimum 1"),
    ("topology.links.0.a_port", "1", 'topology.links[0].a_port: "1" is not an integer'),
    ("topology.links.0.a_port", 2**80, "topology.links[0].a_port: "),
    ("topology.links.0.cost", -1, "topology.links[0].cost: "),
    ("topology.links.0.cost", "1", "topology.links[0].cost: "),
    ("topology.links.0.cost", True, "topology.links[0].cost: "),
    ("topology.links.0.cost", 10**400, "topology.links[0].cost: "),
    (
        "topology.links.1",
        {"a": "s1", "a_port": 1, "b": "s2", "b_port": 2},
        "topology.links[1].a_port: port 1",
    ),
    ("topology.hosts.0.port", 1, 'topology.hosts[0].port: port 1 of "s1" is in use by a link'),
    ("topology.hosts.0.switch", "s9", 'topology.hosts[0].switch: unknown switch "s9"'),
    ("topology.hosts.0.id", "h2", "topology.hosts[1].id: "),
    ("topology.hosts.0.ip", "fd00:0::2", "topology.hosts[1].ip: "),
    ("topology.hosts.0.ip", "10.0.0.1", "topology.hosts[0].ip: "),
    ("topology.hosts.0.ip", "ff0e::1", "topology.hosts[0].ip: "),
    ("topology.hosts.0.ip", "::", "topology.hosts[0].ip: "),
    ("topology.hosts.0.ip", "fe80::1%eth0", "topology.hosts[0].ip: "),
    ("topology.hosts.0.mac", "02:00:00:00:00:2", "topology.hosts[0].mac: "),
    ("topology.hosts.0.mac", "33:33:00:00:00:01", "topology.hosts[0].mac: "),
    ("topology.hosts.0.mac", "02:00:00:00:00:02", "topology.hosts[1].mac: "),
    (
        "topology.hosts.1.standby",
        [{"switch": "s1"}],
        "topology.hosts[1].standby[0].port: this key is missing",
    ),
    ("topology.hosts.1.standby", [{"switch": "s2", "port": 3}], "topology.hosts[1].standby[0]: "),
    ("topology.hosts.1.standby", [{"switch": "s2", "port": 1}], "topology.hosts[1].standby[0].port: port 1"),
    (
        "topology.hosts.1.standby",
        [{"switch": "s8", "port": 3}],
        "topology.hosts[1].standby[0].switch: unknown switch",
    ),
    ("topics.0.indexed", ["high"], "topics[0].indexed[0]: "),
    ("topics.0.code", 1 << 16, "topics[0].code: "),
    (
        "topics.1",
        {"name": "quotes", "code": 5, "attributes": [{"name": "x", "type": "bool"}]},
        "topics[1].name: ",
    ),
    ("topics.1", {"name": "b", "code": 4, "attributes": [{"name": "x", "type": "bool"}]}, "topics[1].code: "),
    ("topics.0.attributes", [], "topics[0].attributes: "),
    ("requests.0.op", "publish", "requests[0].op: "),
    ("requests.0", [], "requests[0]: found a list, expected an object"),
    ("requests.0.host", "h9", 'requests[0].host: unknown host "h9"; use one of '),
    ("requests.0.topic", "x", 'requests[0].topic: unknown topic "x"'),
    ("requests.0.filter", "low <", "requests[0].filter: "),
    ("requests.0.filter", "low > 2000", "requests[0].filter: "),
    ("requests.0.filter", 5, "requests[0].filter: 5 is not a string"),
    ("requests.0.dz", ["0"], "requests[0].dz: unknown key"),
    ("requests.1.id", "a1", 'requests[1].id: "a1" is already in use'),
    ("requests.2", {"op": "unsubscribe", "id": "a1"}, 'requests[2].id: "a1" is of kind advertisement'),
    ("requests.2", {"op": "unsubscribe", "id": "q7"}, 'requests[2].id: there is no active subscription "q7"'),
    (
        "requests.2",
        {"op": "link_up", "switch": "s1", "port": 9},
        "requests[2].port: there is neither a link nor a host",
    ),
    ("requests.2", {"op": "add_switch", "switch": {}}, "requests[2].op: "),
    ("requests.2", {"op": "set_indexed", "topic": "quotes", "indexed": ["x"]}, "requests[2].indexed[0]: "),
    ("requests.2", {"op": "host_move", "host": "h1", "switch": "s1", "port": 1}, "requests[2].port: port 1"),
    ("aggregation", {"method": "magic"}, "aggregation.method: "),
    ("aggregation", {"sampling": 0}, "aggregation.sampling: "),
    ("aggregation", {"sampling": 1.5}, "aggregation.sampling: "),
    ("aggregation", {"traffic": 1}, "aggregation.traffic: "),
]


def changed(path: str, value: Any) -> dict[str, Any]:
    scenario: Any = copy.deepcopy(example())
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = scenario
    for step in steps:
        place = place[step]
    if value is MISSING:
        del place[last]
    elif isinstance(place, list) and last == len(place):
        place.append(value)
    else:
        place[last] = value
    return scenario  # type: ignore[no-any-return]


def test_the_example_is_accepted() -> None:
    scenario = read_scenario(example())
    assert list(scenario.final.live) == ["a1", "q1"]
    assert scenario.depth == 20


@pytest.mark.parametrize(("path", "value", "line"), BAD)
def test_an_error_is_reported_with_its_path(path: str, value: Any, line: str) -> None:
    with pytest.raises((Refused, RefusedMany)) as refused:
        read_scenario(changed(path, value))
    errors = refused.value.errors if isinstance(refused.value, RefusedMany) else (refused.value,)
    assert any(str(error).startswith(line) for error in errors), [str(error) for error in errors]
    assert not any("\n" in str(error) for error in errors)


def test_all_errors_are_reported_together() -> None:
    scenario = example()
    scenario["limits"]["max_trees"] = -1
    scenario["topology"]["switches"][0]["dpid"] = "x"
    scenario["topology"]["hosts"][1]["mac"] = "x"
    scenario["topics"][0]["code"] = -1
    scenario["requests"][1]["op"] = "x"
    with pytest.raises(RefusedMany) as refused:
        read_scenario(scenario)
    paths = {str(error).split(":")[0] for error in refused.value.errors}
    assert {
        "limits.max_trees",
        "topology.switches[0].dpid",
        "topology.hosts[1].mac",
        "topics[0].code",
        "requests[1].op",
    } <= paths


def test_what_may_be_left_out_may_be_left_out() -> None:
    scenario = example()
    del scenario["limits"], scenario["address"]["topic_bits"], scenario["topics"][0]["indexed"]
    del scenario["topology"]["links"][0]["cost"], scenario["topology"]["switches"][0]["tcam_budget"]
    read = read_scenario(scenario)
    assert (read.depth, read.limits.max_dz_per_filter, read.limits.max_trees) == (96, 50, 64)
    assert read.aggregation.method == "none"


@pytest.mark.parametrize("dpid", ["8000000000000000", "ffffffffffffffff", "FFFFFFFFFFFFFFFE"])
def test_large_datapath_ids_stay_as_they_are(dpid: str) -> None:
    scenario = read_scenario(changed("topology.switches.0.dpid", dpid))
    assert scenario.final.topology.switches["s1"].dpid == dpid.lower()


def test_names_that_look_alike_are_no_trouble() -> None:
    scenario = example()
    for i, name in enumerate(("P0A0", "P0E0", "ss1", "cs1", "SW_SUPERVISOR_1"), 3):
        scenario["topology"]["switches"].append({"id": name, "dpid": f"{i:016x}"})
    assert len(read_scenario(scenario).final.topology.switches) == 7


def test_filters_of_live_requests_follow_a_change_of_indexed() -> None:
    scenario = example()
    scenario["topics"][0]["attributes"].append({"name": "high", "type": "bool"})
    scenario["requests"].append({"op": "set_indexed", "topic": "quotes", "indexed": ["high"]})
    read = read_scenario(scenario)
    assert read.filters["q1"].topic.indexed == ("high",)


@pytest.mark.parametrize(
    "field, value", [("dpid", "1"), ("dpid", None), ("tcam_budget", -1), ("colour", "red")]
)
def test_a_switch_that_is_wrong_is_one_error_not_one_for_all_that_is_joined_to_it(
    field: str, value: Any
) -> None:
    scenario = example()
    scenario["topology"]["switches"][0][field] = value
    with pytest.raises((Refused, RefusedMany)) as caught:
        read_scenario(scenario)
    found = caught.value.errors if isinstance(caught.value, RefusedMany) else (caught.value,)
    assert [str(error).partition(": ")[0] for error in found] == [f"topology.switches[0].{field}"]
