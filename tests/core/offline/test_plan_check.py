"""Checks of whole plans: encodings, trees, waiting subscriptions, and plans of other programs."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace import dz as dzs
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.offline.plan_check import check_plan
from tercast.offline.plan_file import plan_json, read_plan
from tercast.offline.scenario import read_scenario
from tercast.verification.encoding_check import missing
from tests.property_profiles import examples
from tests.support.networks import example, planner_of

Document = dict[str, Any]


def planned(scenario: Document) -> Document:
    planner = planner_of(scenario, enforce_budgets=False)
    for request in scenario["requests"]:
        assert planner.apply(request).ok
    return plan_json(planner)


def lines(scenario: Document, plan: Document) -> list[str]:
    return [str(violation) for violation in check_plan(read_scenario(scenario), read_plan(plan))]


def busy() -> Document:
    """The example, with a second publisher, a waiting subscription, and a disconnected part."""
    scenario = example()
    topology = scenario["topology"]
    topology["switches"].append({"id": "s3", "dpid": "0000000000000003"})
    topology["hosts"] += [
        {"id": "h3", "switch": "s3", "port": 1, "ip": "fd00::3", "mac": "02:00:00:00:00:03"},
        {"id": "h4", "switch": "s2", "port": 4, "ip": "fd00::4", "mac": "02:00:00:00:00:04"},
    ]
    requests = [
        ("advertise", "a2", "h4", "low >= 900"),
        ("subscribe", "q2", "h3", "low < 10"),
        ("subscribe", "q3", "h1", "low = 600"),
        ("subscribe", "q4", "h1", "low > 1000"),
    ]
    scenario["requests"] += [
        {"op": op, "id": name, "host": host, "topic": "quotes", "filter": text}
        for op, name, host, text in requests
    ]
    return scenario


def test_a_plan_of_the_planner_holds() -> None:
    assert lines(busy(), planned(busy())) == []


def test_another_implementation_may_order_and_number_as_it_likes() -> None:
    plan = planned(busy())
    plan["trees"].reverse()
    for i, tree in enumerate(plan["trees"]):
        tree["id"] = f"tree {i}"
    for name in plan["encodings"]:
        plan["encodings"][name].reverse()
    for table in plan["flows"].values():
        table.reverse()
        for flow in table:
            flow["priority"] = flow["priority"] * 100
    plan["flows"]["s3"] = []
    assert lines(busy(), plan) == []


def edit(path: str, value: Any) -> Callable[[Document], None]:
    """Set the value at a dotted path."""

    def apply(plan: Document) -> None:
        *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        for step in steps:
            plan = plan[step]
        plan[last] = value

    return apply


DAMAGE: dict[str, tuple[Callable[[Document], None], str]] = {
    "cell missing": (lambda p: p["encodings"]["q1"].remove("00011000"), "encoding: topic quotes"),
    "encoding missing": (
        lambda p: p["encodings"].pop("q1"),
        "q1 is registered after the last request, but has no encoding",
    ),
    "encoding of nothing": (
        edit("encodings.x", ["0"]),
        "x has an encoding, but is not registered after the last request",
    ),
    "not canonical": (edit("encodings.a1", ["00", "01"]), "a1: its encoding is not in normal form"),
    "too long": (edit("encodings.a1", ["0" + "0" * i + "1" for i in range(20)]), "a dz has 21 bits"),
    "too many cells": (edit("encodings.a1", [format(i, "08b") for i in range(128)]), "128 cells"),
    "pending too much": (edit("pending", ["q1", "q3"]), "overlaps q1, but the plan lists it as pending"),
    "pending too little": (edit("pending", []), "overlaps q3, but the plan does not list it"),
    "unreachable too much": (
        edit("unreachable", [["a1", "q2"], ["a1", "q1"]]),
        "a path exists between a1 and q1",
    ),
    "unreachable too little": (edit("unreachable", []), "no path exists between a1 and q2"),
    "trees overlap": (edit("trees.1.dz", ["0", "1"]), "trees t1 and t2 overlap"),
    "tree too small": (edit("trees.0.dz", ["01"]), "is advertised, but is in no tree"),
    "tree without an advertisement": (edit("trees.1.dz", ["10000"]), "t2 serves no active advertisement"),
    "tree of no topic": (edit("trees.1.topic", "x"), "topic x"),
    "tree without root": (edit("trees.1.root", "s9"), "s9"),
    "tree with an edge that is not": (edit("trees.0.edges", [["s1", 1, "s3", 1]]), "not a link that is up"),
    "tree with a cycle": (
        edit("trees.0.edges", [["s1", 1, "s2", 1], ["s2", 1, "s1", 1]]),
        "t1 has a cycle",
    ),
    "tree twice": (edit("trees.1.id", "t1"), "the same id as another tree"),
    "failed without reason": (
        edit("failed", [{"id": "zz", "switches": ["s1"], "reason": ""}]),
        "zz is listed as failed, but is not registered after the last request",
    ),
    "entry missing": (lambda p: p["flows"]["s2"].pop(), "lost: topic quotes"),
    "switch missing": (lambda p: p["flows"].pop("s2"), "lost: topic quotes"),
    "budget": (
        lambda p: p["flows"].update(
            s1=p["flows"]["s1"]
            + [{"match": {"dst": f"ff0e:4:{i:x}::/48"}, "priority": 34, "actions": []} for i in range(601)]
        ),
        "its budget is 600",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_to_a_plan_is_named(name: str) -> None:
    plan = planned(busy())
    damage, needle = DAMAGE[name]
    damage(plan)
    found = lines(busy(), plan)
    assert any(needle in line for line in found), found


def test_without_budgets_nothing_can_have_failed() -> None:
    scenario = busy()
    del scenario["topology"]["switches"][0]["tcam_budget"]
    plan = planned(scenario)
    plan["failed"] = [{"id": "q3", "switches": ["s1"], "reason": "full"}]
    plan["pending"].remove("q3")
    rule = "its list of switches is empty or names a switch without a budget"
    refused = [f"failed: q3 is listed as failed, but {rule}"]
    assert lines(scenario, plan) == refused
    assert lines(busy(), plan) == []
    for switches in ([], ["s2"], ["s1", "s2"]):
        plan["failed"][0]["switches"] = switches
        assert lines(busy(), plan) == refused


def test_what_has_failed_is_neither_wanted_nor_lost() -> None:
    scenario = busy()
    plan = planned({**scenario, "requests": [r for r in scenario["requests"] if r["id"] != "q1"]})
    plan["failed"] = [{"id": "q1", "switches": ["s1"], "reason": "full"}]
    assert lines(scenario, plan) == []


BROKEN: list[tuple[Callable[[Document], None], str]] = [
    (lambda p: p.pop("flows"), "flows: this key is missing"),
    (edit("format", "plan/2"), 'format: "plan/2" is not "plan/1"; use a file that tercast plan wrote'),
    (lambda p: (p.clear(), p.update(example())), 'format: "scenario/1" is not "plan/1"; use a file'),
    (edit("encodings", []), "encodings: "),
    (edit("encodings.q1", "0"), "encodings.q1: "),
    (edit("encodings.q1.1", "02"), "encodings.q1[1]: "),
    (edit("encodings.q1.1", 0), "encodings.q1[1]: "),
    (edit("encodings.q1.1", "0" * 5000), "encodings.q1[1]: "),
    (edit("trees.0.edges.0", ["s1", 1]), "trees[0].edges[0]: "),
    (edit("trees.0.edges.0.1", "1"), "trees[0].edges[0][1]: "),
    (edit("trees.0.x", 1), "trees[0].x: unknown key"),
    (edit("flows.s1.0.match", {}), "flows.s1[0].match.dst: this key is missing"),
    (edit("flows.s1.0.match.in_port", 0), "flows.s1[0].match.in_port: "),
    (edit("flows.s1.0.match.dst", None), "flows.s1[0].match.dst: "),
    (edit("flows.s1.0.priority", 2.5), "flows.s1[0].priority: "),
    (edit("flows.s1.0.priority", True), "flows.s1[0].priority: "),
    (edit("flows.s1.0.actions.0", {"output": "flood"}), "flows.s1[0].actions[0].output: "),
    (edit("flows.s1.0.actions.0", {"drop": 1}), "flows.s1[0].actions[0].drop: unknown key"),
    (edit("flows.s1.0.actions.0", {"set_dst": "h2", "output": 1}), "flows.s1[0].actions[0].output: unknown"),
    (edit("pending", [1]), "pending[0]: "),
    (edit("unreachable", [["a1"]]), "unreachable[0]: "),
    (edit("failed", [{}]), "failed[0].id: this key is missing"),
]


@pytest.mark.parametrize(("damage", "line"), BROKEN)
def test_a_plan_of_a_wrong_shape_is_refused_with_its_path(
    damage: Callable[[Document], None], line: str
) -> None:
    plan = copy.deepcopy(planned(busy()))
    damage(plan)
    with pytest.raises(Exception) as refused:
        read_plan(plan)
    assert str(refused.value).startswith(line)


MIXED = Topic.from_json(
    {
        "name": "m",
        "code": 1,
        "indexed": ["b", "i"],
        "attributes": [
            {"name": "i", "type": "int", "min": 0, "max": 4},
            {"name": "b", "type": "bool"},
            {"name": "e", "type": "enum", "values": ["x", "y", "z"]},
        ],
    }
)


@examples(150)
@given(
    st.sampled_from(
        ["i < 3", "i >= 2 and b = true", "b = false or i = 4", "not (i in [1, 2])", 'e = "y"', "i != 2"]
    ),
    st.lists(st.text("01", max_size=6), max_size=5),
)
def test_a_cell_is_missing_when_one_of_its_events_matches(text: str, cells: list[str]) -> None:
    """With indexed attributes only, cells are exact, so brute force is the truth."""
    filter_ = Filter.parse(text, MIXED)
    there = dzs.canonical(map(dzs.parse, cells))
    events = [{"i": i, "b": b, "e": e} for i in range(5) for b in (False, True) for e in ("x", "y", "z")]
    points = [dzs.text(MIXED.event_dz(event, 12)) for event in events if filter_.matches(event)]
    expected = [
        dz
        for dz in dzs.difference((dzs.WHOLE,), there)
        if any(point.ljust(12, "0").startswith(dzs.text(dz)) for point in points)
    ]
    assert list(missing(filter_, there)) == expected
