"""The commands for scenarios with partitions: plan, verify, simulate and federate."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tercast.cli.main import DONE, FAILED, REFUSED, main
from tercast.errors import Refused, RefusedMany
from tercast.federation.world.fault_run import FaultRun
from tercast.offline.scenario import read_scenario
from tests.support.networks import example

EXAMPLES = Path(__file__).parents[3] / "examples"
SCENARIO = EXAMPLES / "federation.json"


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def changed(change: dict[str, Any], base: dict[str, Any] | None = None) -> dict[str, Any]:
    return {**copy.deepcopy(base or json.loads(SCENARIO.read_text())), **change}


def test_the_example_is_the_plain_example_in_partitions() -> None:
    federation = json.loads(SCENARIO.read_text())
    del federation["partitions"]
    assert federation == json.loads((EXAMPLES / "scenario.json").read_text())


def test_a_plan_of_partitions_is_judged_without_knowing_them(tmp_path: Path, capsys: Any) -> None:
    plan, report = tmp_path / "plan.json", tmp_path / "report.json"
    assert run("plan", SCENARIO, "-o", plan, "--timing") == DONE
    assert json.loads(capsys.readouterr().out)["requests"] == 5
    plain = tmp_path / "plain.json"
    plain.write_text(json.dumps(changed({"partitions": None})).replace(', "partitions": null', ""))
    for scenario in (SCENARIO, plain):
        assert run("verify", "--strict", scenario, plan) == DONE
        assert run("simulate", scenario, plan, "--events", EXAMPLES / "events.jsonl", "-o", report) == DONE
    counts = json.loads(report.read_text())
    assert (counts["wanted"], counts["delivered"], counts["lost"], counts["doubled"]) == (4, 4, 0, 0)


def test_an_entry_that_is_missing_at_a_border_is_found(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert run("plan", SCENARIO, "-o", plan) == DONE
    document = json.loads(plan.read_text())
    document["flows"]["denver"] = document["flows"]["denver"][:-1]
    plan.write_text(json.dumps(document))
    assert run("verify", SCENARIO, plan) == FAILED


def test_plan_lists_the_entries_of_every_partition(tmp_path: Path, capsys: Any) -> None:
    plan = tmp_path / "plan.json"
    assert run("plan", SCENARIO, "-o", plan) == DONE
    assert capsys.readouterr().err == ""
    assert run("plan", SCENARIO, "-o", plan, "--entries") == DONE
    columns, *rows = [line.split() for line in capsys.readouterr().err.splitlines()]
    flows = json.loads(plan.read_text())["flows"]
    assert columns == ["switch", "exact", "installed", "budget"]
    assert {row[0]: row[2] for row in rows} == {name: str(len(flows[name])) for name in flows}
    assert {row[3] for row in rows} == {"-"}


def test_budgets_apply_in_every_partition(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert run("plan", SCENARIO, "-o", plan, "--aggregation", "la", "--budget", "denver=2") == DONE
    options = ("--aggregation", "la", "--budget", "denver=2")
    assert run("verify", SCENARIO, plan, *options) == DONE
    assert len(json.loads(plan.read_text())["flows"]["denver"]) == 2


@pytest.mark.parametrize("method", ["none", "la"])
def test_a_budget_that_is_too_small_is_refused(method: str, tmp_path: Path, capsys: Any) -> None:
    plan = tmp_path / "plan.json"
    status = run("plan", SCENARIO, "-o", plan, "--aggregation", method, "--budget", "denver=0")
    assert status == REFUSED
    assert "denver" in capsys.readouterr().err


def test_methods_that_need_past_events_are_refused(tmp_path: Path, capsys: Any) -> None:
    assert run("plan", SCENARIO, "-o", tmp_path / "plan.json", "--aggregation", "fa-lb") == REFUSED
    assert 'partitions support the methods none and la, not "fa-lb"' in capsys.readouterr().err


def test_federate_reports_and_repeats(tmp_path: Path) -> None:
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    options = ("--faults", "cut:north,west@1-9", "random:1", "--loss", "0.1", "--seed", "3")
    assert run("federate", SCENARIO, *options, "-o", first) == DONE
    assert run("federate", SCENARIO, *options, "-o", second) == DONE
    assert first.read_text() == second.read_text()
    report = json.loads(first.read_text())
    assert report["format"] == "federation-report/1" and report["at_rest"]
    assert report["events"]["duplicated"] == report["events"]["lost_inside_partitions"] == 0
    assert len(report["gaps"]) >= 2


def test_a_broken_guarantee_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FaultRun, "holds", property(lambda self: False))
    assert run("federate", SCENARIO, "-o", tmp_path / "report.json") == FAILED


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((EXAMPLES / "scenario.json",), "the scenario has no partitions; add the key partitions"),
        ((SCENARIO, "--faults", "flood"), '"flood" is not a fault; write cut:A,B@10-20'),
        ((SCENARIO, "--faults", "crash:east@1-2"), "use one of north, west, south"),
    ],
)
def test_federate_refuses_with_the_rule(arguments: tuple[object, ...], words: str, capsys: Any) -> None:
    assert run("federate", *arguments) == REFUSED
    assert words in capsys.readouterr().err


def refusals(scenario: dict[str, Any]) -> list[str]:
    with pytest.raises((Refused, RefusedMany)) as caught:
        read_scenario(scenario)
    error = caught.value
    return [str(one) for one in (error.errors if isinstance(error, RefusedMany) else (error,))]


@pytest.mark.parametrize(
    ("partitions", "words"),
    [
        ({}, "partitions: there are 0 partitions; a scenario has 1 to 32"),
        ({"a": ["s1"]}, 'partitions: switch "s2" is in no partition; add it to one'),
        (
            {"a": ["s1", "s2", "s3"]},
            'partitions.a[2]: unknown switch "s3"; use one of s1, s2',
        ),
        ({"a": ["s1", "s2"], "b": ["s1"]}, 'switch "s1" is already in partition "a"; name it once'),
        ({"a": ["s1"], "b": ["s2"]}, 'the standby attachment at "s1" is not in the partition of host "h2"'),
        ({"a": "s1"}, "partitions.a: "),
        ([], "partitions: "),
    ],
)
def test_partitions_are_refused_with_the_rule(partitions: object, words: str) -> None:
    assert any(words in one for one in refusals(changed({"partitions": partitions}, example())))


def test_requests_that_partitions_cannot_carry_out_are_refused() -> None:
    scenario = example()
    move = {"op": "host_move", "host": "h2", "switch": "s1", "port": 9}
    scenario["requests"] += [{"op": "set_indexed", "topic": "quotes", "indexed": ["low"]}, move]
    scenario["partitions"] = {"all": ["s1", "s2"]}
    assert refusals(scenario) == [
        'requests[2]: several partitions use topic "quotes", so no request can change its indexed '
        'attributes; write them in the topic, under "indexed"'
    ]
    scenario["partitions"] = {"a": ["s1"], "b": ["s2"]}
    assert any('host "h2" has standby attachments and cannot move' in one for one in refusals(scenario))


def test_a_host_moves_to_another_partition_with_its_announcements(tmp_path: Path) -> None:
    scenario = json.loads(SCENARIO.read_text())
    scenario["requests"].append({"op": "host_move", "host": "h-denver-1", "switch": "atlanta", "port": 9})
    name, plan = tmp_path / "scenario.json", tmp_path / "plan.json"
    name.write_text(json.dumps(scenario))
    assert run("plan", name, "-o", plan) == DONE
    assert run("verify", "--strict", name, plan) == DONE


def with_other_id(scenario: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    renamed: dict[str, Any] = json.loads(json.dumps(scenario).replace(f'"{old}"', json.dumps(new)))
    return renamed


def test_a_part_of_a_partition_differs_from_a_partition_with_a_similar_name(tmp_path: Path) -> None:
    """The part with switch denver of partition p is not the partition "p/atlanta"."""
    scenario = changed({"partitions": {"p": ["seattle", "atlanta"], "p/atlanta": ["denver"]}})
    scenario["topology"]["links"].pop()
    name, plan = tmp_path / "scenario.json", tmp_path / "plan.json"
    name.write_text(json.dumps(scenario))
    assert run("plan", name, "-o", plan) == DONE
    assert run("verify", "--strict", name, plan) == DONE


@pytest.mark.parametrize("name", ["s" * 256, "\U0001f600" * 256])
def test_the_longest_names_of_switches_are_planned(name: str, tmp_path: Path) -> None:
    scenario, plan = tmp_path / "scenario.json", tmp_path / "plan.json"
    scenario.write_text(json.dumps(with_other_id(changed({}), "denver", name)))
    assert run("plan", scenario, "-o", plan) == DONE
    assert run("verify", "--strict", scenario, plan) == DONE


@pytest.mark.parametrize("old", ["h-seattle-1", "atlanta"])
def test_an_id_that_names_a_border_is_refused(old: str) -> None:
    scenario = with_other_id(changed({}), old, "border:seattle:1")
    assert any(
        'the id "border:seattle:1" is the name of the border at "seattle" port 1; use another id' in one
        for one in refusals(scenario)
    )


def test_an_id_of_cells_of_neighbours_is_refused() -> None:
    scenario = with_other_id(changed({}), "q1", "x:border:atlanta:1:advertisement:weather:1")
    assert any("ids that begin with x:border: are reserved for cells" in one for one in refusals(scenario))


def test_the_reason_why_partitions_are_not_at_rest_is_named(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("federate", SCENARIO, "--delay", 3600) == REFUSED
    assert "after 120 virtual seconds; lower --loss or --delay" in capsys.readouterr().err
    with monkeypatch.context() as patch:
        patch.setattr("tercast.federation.exchange.border_peer.MAX_SET_CELLS", 0)
        for command in ("plan", "federate"):
            assert run(command, SCENARIO, "-o", tmp_path / "out.json") == REFUSED
            assert "cells; at most 0 are accepted" in capsys.readouterr().err
    for module in ("tree.partition_tree", "world.federated_plan"):
        monkeypatch.setattr(f"tercast.federation.{module}.MAX_PATH", 2)
    scenario, name = changed({}), tmp_path / "line.json"
    scenario["topology"]["links"].pop()
    name.write_text(json.dumps(scenario))
    assert run("federate", name) == REFUSED
    assert "the partitions have 3 separate parts, and a path has at most 2" in capsys.readouterr().err
