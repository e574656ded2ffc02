"""The output for the example of the plan format is identical to the letter."""

from tercast.offline.plan_file import plan_json
from tests.support.example_plan import EXPECTED
from tests.support.networks import example, planner_of


def test_the_example_comes_out_to_the_letter() -> None:
    scenario = example()
    planner = planner_of(scenario)
    for request in scenario["requests"]:
        assert planner.apply(request).ok
    assert plan_json(planner) == EXPECTED


def test_a_standby_takes_over_where_the_primary_port_is_down() -> None:
    scenario = example()
    planner = planner_of(scenario)
    planner.apply_all([*scenario["requests"], {"op": "link_down", "switch": "s2", "port": 3}])
    flows = plan_json(planner)["flows"]
    assert list(flows) == ["s1"]
    assert [flow["actions"] for flow in flows["s1"]] == [[{"set_dst": "h2"}, {"output": 4}]] * 3
    planner.apply({"op": "link_up", "switch": "s2", "port": 3})
    assert plan_json(planner)["flows"] == EXPECTED["flows"]


def test_an_ipv4_scenario_without_topic_bits() -> None:
    scenario = example()
    scenario["address"] = {"family": "ipv4", "prefix": "225.128.0.0/9"}
    scenario["topics"][0]["code"] = 0
    for i, host in enumerate(scenario["topology"]["hosts"], 1):
        host["ip"] = f"10.0.0.{i}"
    planner = planner_of(scenario)
    planner.apply_all(scenario["requests"])
    assert [entry.to_json() for entry in planner.table("s1")] == [
        {"match": {"dst": "225.138.0.0/15"}, "priority": 8, "actions": [{"output": 1}]},
        {"match": {"dst": "225.140.0.0/17"}, "priority": 10, "actions": [{"output": 1}]},
        {"match": {"dst": "225.140.128.0/19"}, "priority": 12, "actions": [{"output": 1}]},
    ]
