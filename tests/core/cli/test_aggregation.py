"""`tercast plan` within budgets: LA, registrations that do not fit, other budgets from the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.command_bench import Bench, bench
from tests.support.example_plan import EXPECTED
from tests.support.networks import example

__all__ = ["bench"]


def budgeted(*budgets: Any, method: str = "la") -> dict[str, Any]:
    scenario = {**example(), "aggregation": {"method": method}}
    for switch, budget in zip(scenario["topology"]["switches"], budgets, strict=True):
        switch["tcam_budget"] = budget
    return scenario


def test_la_holds_budgets_and_the_plan_is_proved_and_simulated(bench: Bench) -> None:
    scenario, plan = bench.write("s.json", budgeted(1, 2)), str(bench.path / "p.json")
    assert bench.run("plan", scenario, "-o", plan) == (0, "", [])
    written = bench.read("p.json")
    assert {name: len(table) for name, table in written["flows"].items()} == {"s1": 1, "s2": 2}
    assert written["flows"]["s1"][0]["match"]["dst"] == "ff0e:4:1000::/36"  # 0001, which all three begin with
    assert {**written, "flows": EXPECTED["flows"]} == EXPECTED
    assert bench.run("verify", scenario, plan)[::2] == (0, [])
    events = bench.write("e.jsonl", '{"publisher": "a1", "values": {"low": 92}}\n' * 2)
    status, out, _ = bench.run("simulate", scenario, plan, "--events", events)
    report = json.loads(out)
    assert (status, report["delivered"], report["lost"]) == (0, 2, 0)


def busy(method: str) -> dict[str, Any]:
    """Many subscriptions at both switches, budgets of three entries, and past events of few values."""
    scenario = budgeted(3, 3, method=method)
    scenario["aggregation"] |= {"traffic": "traffic.jsonl", "sampling": 0.5}
    for n in range(12):
        host, low = f"h{n % 2 + 1}", 40 * n + 3
        wanted = f"low in [{low}, {low + 9}]"
        scenario["requests"].append(
            {"op": "subscribe", "id": f"r{n}", "host": host, "topic": "quotes", "filter": wanted}
        )
    return scenario


def event(low: int, publisher: str = "a1") -> str:
    return json.dumps({"publisher": publisher, "values": {"low": low}}) + "\n"


@pytest.mark.parametrize("method", ["la", "fa-lb", "fa-pb", "optimal"])
def test_every_method_comes_to_a_plan_that_holds(bench: Bench, method: str) -> None:
    scenario, plan = bench.write("s.json", busy(method)), str(bench.path / "p.json")
    bench.write("traffic.jsonl", "".join(event(low) for low in (45, 46, 47, 92, 45, 46, 205, 206) * 5))
    status, out, table = bench.run("plan", scenario, "-o", plan, "--entries")
    assert (status, out) == (0, "")
    written = bench.read("p.json")
    assert written["failed"] == []
    assert all(0 < len(flows) <= 3 for flows in written["flows"].values())
    assert bench.run("verify", scenario, plan)[::2] == (0, [])
    events = bench.write("e.jsonl", "".join(event(low) for low in range(0, 512, 3)))
    status, out, _ = bench.run("simulate", scenario, plan, "--events", events)
    report = json.loads(out)
    assert (status, report["lost"], report["doubled"]) == (0, 0, 0)
    assert report["delivered"] == report["wanted"] + report["unwanted"]
    assert table[-1].startswith(f"{method}: expected cost of merging per event: ")
    assert ("compared with the best choice of merged entries" in table[-1]) == (method != "la")


def test_what_la_is_expected_to_cost_is_what_its_traffic_costs(bench: Bench) -> None:
    lines = [event(low) for low in range(0, 512, 3)]
    events = bench.write("traffic.jsonl", "".join(lines))
    scenario, plan = bench.write("s.json", busy("la")), str(bench.path / "p.json")
    _, _, table = bench.run("plan", scenario, "-o", plan, "--entries")
    report = json.loads(bench.run("simulate", scenario, plan, "--events", events)[1])
    exact = bench.write("x.json", {**busy("none"), "topology": example()["topology"]})
    assert bench.run("plan", exact, "-o", plan)[0] == 0
    least = json.loads(bench.run("simulate", exact, plan, "--events", events)[1])
    copies = (report["link_copies"] - least["link_copies"]) / len(lines)
    unwanted = (report["unwanted"] - least["unwanted"]) / len(lines)
    assert unwanted > 0
    assert f" {copies:.4f} redundant copies between switches and {unwanted:.4f} false positives" in table[-1]
    columns = [[float(cell) for cell in line.split()[-2:]] for line in table[1:-1]]
    assert [sum(column) for column in zip(*columns, strict=True)] == pytest.approx(
        [copies, unwanted], abs=2e-4
    )


def test_past_traffic_decides_what_is_merged(bench: Bench) -> None:
    """On the events that it was computed from, `optimal` adds no copy between switches; `la`, blind, does."""
    costs = {}
    events = bench.write("traffic.jsonl", "".join(event(low) for low in range(16)) * 4)
    for method in ("la", "optimal"):
        scenario, plan = bench.write("s.json", busy(method)), str(bench.path / "p.json")
        assert bench.run("plan", scenario, "-o", plan)[0] == 0
        status, out, _ = bench.run("simulate", scenario, plan, "--events", events)
        costs[method] = json.loads(out)["needless_link_copies"]
        assert status == 0
    assert costs["optimal"] == 0 < costs["la"]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (event(5, "a9"), 'no active advertisement "a9"'),
        (event(700), "does not match"),
        ('{"publisher": "a1"}\n', "values"),
        ("nonsense\n", "traffic.jsonl:2"),
    ],
)
def test_traffic_that_cannot_be_is_reported_by_its_line(bench: Bench, line: str, named: str) -> None:
    bench.write("traffic.jsonl", event(45) + line)
    status, _, errors = bench.run("plan", bench.write("s.json", busy("fa-pb")))
    assert status == 2
    assert "traffic.jsonl:2" in errors[0]
    assert named in errors[0]


@pytest.mark.parametrize("method", ["la", "fa-lb", "fa-pb", "optimal"])
@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (None, "s.json: aggregation.traffic: "),
        (event(5, "a9"), "traffic.jsonl:1: publisher: there is no active"),
        (event(700), "does not match"),
    ],
)
def test_bad_traffic_is_refused_where_budgets_hold_as_well(
    bench: Bench, method: str, lines: str | None, named: str
) -> None:
    scenario = busy(method)
    for switch in scenario["topology"]["switches"]:
        switch["tcam_budget"] = None
    if lines is not None:
        bench.write("traffic.jsonl", lines)
    status, _, errors = bench.run("plan", bench.write("s.json", scenario))
    assert status == 2
    assert named in errors[0]


def test_traffic_that_is_not_there(bench: Bench) -> None:
    status, _, errors = bench.run("plan", bench.write("s.json", busy("optimal")))
    assert status == 2
    assert "s.json: aggregation.traffic: " in errors[0] and "traffic.jsonl cannot be read" in errors[0]


def test_without_traffic_methods_still_hold_budgets(bench: Bench) -> None:
    for method in ("fa-lb", "fa-pb", "optimal"):
        scenario = busy(method)
        del scenario["aggregation"]["traffic"]
        name, plan = bench.write("s.json", scenario), str(bench.path / "p.json")
        status, _, errors = bench.run("plan", name, "-o", plan, "--entries")
        assert status == 0
        assert errors[0].split() == ["switch", "exact", "installed", "budget"]
        assert errors[-1].endswith("unknown (no traffic)")
        assert bench.run("verify", name, plan)[0] == 0


def test_what_a_budget_has_no_space_for_is_reported_as_failed(bench: Bench) -> None:
    scenario = bench.write("s.json", budgeted(0, None))
    plan = str(bench.path / "p.json")
    assert bench.run("plan", scenario, "-o", plan)[0] == 0
    (failure,) = bench.read("p.json")["failed"]
    assert (failure["id"], failure["switches"]) == ("q1", ["s1"])
    assert '"q1" needs more entries' in failure["reason"]
    assert '"s1" (budget 0; it needs at least 1 entry with merging)' in failure["reason"]
    assert bench.run("verify", scenario, plan)[0] == 0


def test_the_withdrawal_of_what_failed_is_no_error(bench: Bench) -> None:
    scenario = budgeted(0, None)
    again = scenario["requests"][1]
    scenario["requests"] += [
        {"op": "unsubscribe", "id": "q1"},
        {"op": "set_budget", "switch": "s1", "tcam_budget": 1},
        again,
    ]
    plan = str(bench.path / "p.json")
    assert bench.run("plan", bench.write("s.json", scenario), "-o", plan)[0] == 0
    assert bench.read("p.json")["failed"] == []
    assert len(bench.read("p.json")["flows"]["s1"]) == 1
    assert bench.run("verify", str(bench.path / "s.json"), plan)[0] == 0


def test_a_budget_that_cannot_be_lowered_stops_the_plan_by_name(bench: Bench) -> None:
    scenario = budgeted(None, None)
    scenario["requests"].append({"op": "set_budget", "switch": "s1", "tcam_budget": 0})
    status, _, errors = bench.run("plan", bench.write("s.json", scenario))
    assert status == 2
    assert "requests[2].tcam_budget: " in errors[0]
    assert '"s1"' in errors[0]


def test_other_budgets_and_methods_come_from_the_command_line(bench: Bench) -> None:
    scenario, plan = bench.write("s.json", budgeted(1, 1, method="none")), str(bench.path / "p.json")
    assert bench.run("plan", scenario, "-o", plan)[0] == 2
    status, out, errors = bench.run(
        "plan", scenario, "-o", plan, "--aggregation", "la", "--budget", "all=2", "--budget", "s2=none"
    )
    assert (status, out) == (0, "")
    assert errors[-1] == "la: redundant copies and false positives are unknown (no traffic)"
    assert [line.split() for line in errors[:-1]] == [
        ["switch", "exact", "installed", "budget"],
        ["s1", "3", "2", "2"],
        ["s2", "3", "3", "-"],
    ]
    assert {name: len(table) for name, table in bench.read("p.json")["flows"].items()} == {"s1": 2, "s2": 3}
    assert bench.run("plan", scenario, "-o", plan, "--budget", "all=none")[0] == 0
    assert bench.read("p.json") == EXPECTED


def test_a_plan_with_options_is_proved_with_the_same_options(bench: Bench) -> None:
    scenario, plan = bench.write("s.json", example()), str(bench.path / "p.json")
    options = ("--aggregation", "la", "--budget", "all=2")
    assert bench.run("plan", scenario, "-o", plan, *options)[0] == 0
    assert bench.run("verify", scenario, plan)[0] == 1  # exact tables are asked for
    status, proven, errors = bench.run("verify", scenario, plan, *options)
    assert (status, errors) == (0, [])
    assert proven.endswith("; no event is lost, duplicated or caught in a loop\n")
    status, _, errors = bench.run("verify", scenario, plan, "--aggregation", "la", "--budget", "s1=1")
    assert (status, errors) == (1, ["budget: s1 has 2 entries, but its budget is 1"])
    events = bench.write("e.jsonl", '{"publisher": "a1", "values": {"low": 92}}\n')
    assert bench.run("simulate", scenario, plan, "--events", events)[0] == 0
    refused = (2, ['--budget: unknown switch "s9"; use one of s1, s2'])
    assert bench.run("verify", scenario, plan, "--budget", "s9=1")[0::2] == refused


def test_what_has_no_room_in_a_budget_of_the_command_line_is_proved_with_it(bench: Bench) -> None:
    scenario, plan = bench.write("s.json", example()), str(bench.path / "p.json")
    options = ("--aggregation", "la", "--budget", "s2=0")
    assert bench.run("plan", scenario, "-o", plan, *options)[0] == 0
    assert [failure["id"] for failure in bench.read("p.json")["failed"]] == ["q1"]
    assert bench.run("verify", scenario, plan)[0] == 1
    status, proven, errors = bench.run("verify", scenario, plan, *options)
    assert (status, errors) == (0, [])
    assert proven.endswith("; no event is lost, duplicated or caught in a loop\n")


def test_a_budget_of_the_command_line_stands_above_those_of_requests(bench: Bench) -> None:
    scenario = budgeted(3, 3)
    scenario["requests"].append({"op": "set_budget", "switch": "s1", "tcam_budget": 1})
    plan = str(bench.path / "p.json")
    assert bench.run("plan", bench.write("s.json", scenario), "-o", plan, "--budget", "s1=2")[0] == 0
    assert {name: len(table) for name, table in bench.read("p.json")["flows"].items()} == {"s1": 2, "s2": 3}


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ("s1=-1", '"-1" is not a budget for "s1"'),
        ("s1=1.5", '"1.5" is not a budget for "s1"'),
        ("s1=", '"" is not a budget for "s1"'),
        ("s1", '"s1" is not a budget; write SWITCH=N'),
        ("=3", '"=3" is not a budget; write SWITCH=N'),
    ],
)
def test_budgets_that_are_none_are_refused_by_name(
    bench: Bench, option: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = bench.write("s.json", example())
    with pytest.raises(SystemExit) as caught:
        bench.run("plan", scenario, "--budget", option)
    assert caught.value.code == 2
    assert named in capsys.readouterr().err


def test_a_budget_of_a_switch_that_there_is_not(bench: Bench) -> None:
    status, _, errors = bench.run("plan", bench.write("s.json", example()), "--budget", "s9=3")
    assert (status, errors) == (2, ['--budget: unknown switch "s9"; use one of s1, s2'])


@pytest.mark.parametrize("budget", [-1, 1.5, "2", True])
def test_budgets_of_a_scenario_are_integers_from_0_on(bench: Bench, budget: Any) -> None:
    status, _, errors = bench.run("plan", bench.write("s.json", budgeted(budget, None)))
    assert status == 2
    assert "topology.switches[0].tcam_budget: " in errors[0]
    scenario = budgeted(None, None)
    scenario["requests"].append({"op": "set_budget", "switch": "s1", "tcam_budget": budget})
    status, _, errors = bench.run("plan", bench.write("s.json", scenario))
    assert status == 2
    assert "requests[2].tcam_budget: " in errors[0]
