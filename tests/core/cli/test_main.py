"""The `tercast` command: what it writes, its exit statuses, and that nothing brings it down."""

import argparse
import copy
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.cli.main import OTHERS, main
from tercast.runtime.wording import percent
from tests.property_profiles import examples
from tests.support.command_bench import (
    Bench,
    Document,
    bench,  # noqa: F401 - fixtures
)
from tests.support.example_plan import EXPECTED
from tests.support.networks import example
from tests.support.wide_filters import CROSSED, NEIGHBOURS, WIDE


def test_plan_verify_simulate(bench: Bench) -> None:
    scenario = bench.write("scenario.json", example())
    plan, report = str(bench.path / "plan.json"), str(bench.path / "report.json")
    assert bench.run("plan", scenario, "-o", plan) == (0, "", [])
    assert bench.read("plan.json") == EXPECTED
    proven = "no event is lost, duplicated or caught in a loop"
    proven += "; hosts receive only events in the cells of their subscriptions"
    counts = "1 advertisement, 1 subscription, 1 tree, 6 entries on 2 switches"
    assert bench.run("verify", scenario, plan) == (0, f"{plan} is valid: {counts}; {proven}\n", [])
    strict = f"{proven}, no copy and no entry is redundant"
    proof = f"{plan} is valid: {counts}; {strict}\n"
    assert bench.run("verify", "--strict", scenario, plan) == (0, proof, [])
    events = bench.write("events.jsonl", '{"publisher": "a1", "values": {"low": 92}}\n')
    assert bench.run("simulate", scenario, plan, "--events", events, "-o", report) == (0, "", [])
    assert bench.read("report.json")["delivered"] == 1


def test_scenarios_carry_cuts_as_a_topic_or_by_a_request(bench: Bench) -> None:
    cuts = [["low", 92], 3, ["low", 200], 5, 1]
    plain, planned = example(), {}
    topic = {**plain["topics"][0], "cuts": cuts}
    change = {"op": "set_indexed", "topic": "quotes", "indexed": plain["topics"][0]["indexed"], "cuts": cuts}
    scenarios = {
        "plain": plain,
        "topic": {**plain, "topics": [topic]},
        "request": {**plain, "requests": [*plain["requests"], change]},
    }
    for name, scenario in scenarios.items():
        files = bench.write(f"{name}.json", scenario), str(bench.path / f"{name}-plan.json")
        assert bench.run("plan", files[0], "-o", files[1]) == (0, "", [])
        planned[name] = bench.read(f"{name}-plan.json")
        assert bench.run("verify", "--strict", *files)[::2] == (0, [])
        events = bench.write("events.jsonl", '{"publisher": "a1", "values": {"low": 92}}\n')
        assert bench.run("simulate", *files, "--events", events, "-o", str(bench.path / "r.json"))[0] == 0
        assert bench.read("r.json")["delivered"] == 1
    assert planned["topic"]["encodings"] == planned["request"]["encodings"]
    assert planned["topic"]["encodings"] != planned["plain"]["encodings"] == EXPECTED["encodings"]
    other = str(bench.path / "topic.json"), str(bench.path / "plain-plan.json")
    status, _, errors = bench.run("verify", *other)
    assert status == 1 and any(line.startswith("encoding: ") for line in errors)


def test_timing_is_one_json_line(bench: Bench) -> None:
    scenario = bench.write("scenario.json", example())
    status, out, _ = bench.run("plan", scenario, "-o", str(bench.path / "plan.json"), "--timing")
    timing = json.loads(out)
    assert status == 0
    assert list(timing) == ["requests", "seconds", "p50_us", "p99_us", "changes"]
    assert (timing["requests"], timing["changes"]) == (2, 6)
    assert 0 < timing["p50_us"] <= timing["p99_us"] <= timing["seconds"] * 1e6 + 1


def test_standard_output_is_the_default(bench: Bench) -> None:
    scenario = bench.write("scenario.json", example())
    for arguments in (("plan", scenario), ("plan", scenario, "-o", "-")):
        assert json.loads(bench.run(*arguments)[1]) == EXPECTED
    status, out, _ = bench.run("encode", scenario)
    assert (status, json.loads(out)) == (
        0,
        {
            "encodings": EXPECTED["encodings"],
            "excess": {"a1": 0, "q1": 0},
            "volume": {"a1": 0.5, "q1": 21 / 1024},
            "volume_error": {"a1": 0, "q1": 0},
        },
    )


def test_encode_marks_an_estimate(bench: Bench) -> None:
    scenario = example()
    scenario["topics"] = [{**WIDE.to_json(), "name": "quotes", "code": 4}]
    for request, text in zip(scenario["requests"], (NEIGHBOURS, CROSSED), strict=True):
        request["filter"] = text
    status, out, errors = bench.run("encode", bench.write("s.json", scenario))
    report = json.loads(out)
    error = report["volume_error"]["q1"]
    assert status == 0
    assert report["volume"]["a1"] == pytest.approx(0.75**9)
    assert report["excess"]["a1"] == pytest.approx(3.37, abs=0.001)
    assert report["volume_error"]["a1"] == 0 < error < 0.1
    volume, excess = report["volume"]["q1"], report["excess"]["q1"]
    assert errors == [
        f"q1: volume {percent(volume, volume * error)}, excess {percent(excess, error * (1 + excess))}; "
        "exact counting takes too long"
    ]
    assert "≈" in errors[0] and "±" in errors[0]


def test_a_plan_that_does_not_hold_is_reported_line_by_line(bench: Bench) -> None:
    scenario = bench.write("scenario.json", example())
    broken = copy.deepcopy(EXPECTED)
    broken["flows"]["s2"].pop()  # type: ignore[index]
    broken["pending"] = ["q1"]
    status, out, errors = bench.run("verify", scenario, bench.write("plan.json", broken))
    assert (status, out) == (1, "")
    assert errors == [
        "pending: an advertisement overlaps q1, but the plan lists it as pending",
        'lost: topic quotes, dz "0001100100", events of a1: host h2 subscribes to them but receives none',
    ]
    _, _, strict = bench.run("verify", "--strict", scenario, str(bench.path / "plan.json"))
    *others, surplus = strict
    kind, _, detail = surplus.partition(": ")
    assert (others, kind) == (errors, "needless")
    assert detail == 'topic quotes, dz "0001100100": s1 sends copies over port 1 to s2, but no host gets them'


def test_lost_events_are_a_failed_check(bench: Bench) -> None:
    scenario = bench.write("scenario.json", example())
    plan = bench.write("plan.json", {**EXPECTED, "flows": {}})
    events = bench.write("events.jsonl", '{"publisher": "a1", "values": {"low": 92}}')
    status, out, _ = bench.run("simulate", scenario, plan, "--events", events)
    assert (status, json.loads(out)["lost"]) == (1, 1)


def test_an_event_that_may_not_be_is_named_with_its_line(bench: Bench) -> None:
    scenario, plan = bench.write("s.json", example()), bench.write("p.json", EXPECTED)
    good = '{"publisher": "a1", "values": {"low": 92}}\n'
    for bad, line in (
        ('{"publisher": "a1", "values": {"low": 4000}}', "values.low: "),
        ('{"publisher": "zz", "values": {"low": 1}}', "publisher: "),
        ('{"publisher": "a1", "values": {"low": 511.5}}', "values.low: "),
        ('{"publisher": "a1", "values": {"low": NaN}}', "values.low: NaN is not a JSON number"),
        ("{", "not JSON"),
    ):
        events = bench.write("e.jsonl", good + good + bad + "\n" + good)
        status, out, errors = bench.run("simulate", scenario, plan, "--events", events)
        assert (status, out, len(errors)) == (2, "", 1)
        assert errors[0].startswith(f"{events}:3: {line}")


def test_tables_larger_than_budgets_are_no_plan(bench: Bench) -> None:
    scenario = example()
    for switch in scenario["topology"]["switches"]:
        switch["tcam_budget"] = 2
    status, out, errors = bench.run("plan", bench.write("s.json", scenario), "-o", str(bench.path / "p.json"))
    assert (status, out) == (2, "")
    assert [line.split(": ", 1)[1] for line in errors] == [
        f"switch {name} needs 3 entries, but its tcam_budget is 2; the aggregation.method "
        '"none" does not merge entries'
        for name in ("s1", "s2")
    ]
    assert not (bench.path / "p.json").exists()


def test_a_wider_entry_that_reaches_nobody_else_holds_unless_strictness_is_asked_for(bench: Bench) -> None:
    plan = json.loads(json.dumps(EXPECTED))
    plan["flows"]["s1"] = [{"match": {"dst": "ff0e:4:1000::/36"}, "priority": 22, "actions": [{"output": 1}]}]
    files = bench.write("s.json", example()), bench.write("p.json", plan)
    assert bench.run("verify", *files)[::2] == (0, [])
    status, _, errors = bench.run("verify", "--strict", *files)
    assert status == 1
    assert all(line.startswith("needless: ") for line in errors)


@pytest.mark.parametrize("method", ["la", "fa-lb", "fa-pb", "optimal"])
def test_where_budgets_hold_no_method_has_anything_to_do(bench: Bench, method: str) -> None:
    scenario = {**example(), "aggregation": {"method": method, "traffic": "t.jsonl", "sampling": 1.0}}
    bench.write("t.jsonl", "")
    status, out, errors = bench.run("plan", bench.write("s.json", scenario), "-o", "-")
    assert (status, json.loads(out), errors) == (0, EXPECTED, [])
    scenario["topology"]["switches"][0]["tcam_budget"] = 2
    assert bench.run("verify", bench.write("s.json", scenario), bench.write("p.json", EXPECTED))[0] == 1


def test_all_errors_of_a_scenario_are_reported_with_file_and_path(bench: Bench) -> None:
    scenario = example()
    scenario["topology"]["links"][0]["b"] = "s9"
    scenario["topics"][0]["code"] = "4"
    file = bench.write("s.json", scenario)
    for command in (("plan", file), ("encode", file), ("verify", file, file)):
        status, out, errors = bench.run(*command)
        assert (status, out) == (2, "")
        assert f'{file}: topology.links[0].b: unknown switch "s9"; use one of s1, s2' in errors
        assert f'{file}: topics[0].code: "4" is not an integer' in errors


def test_files_that_are_not_there(bench: Bench) -> None:
    scenario, missing = bench.write("s.json", example()), str(bench.path / "missing")
    for command in (
        ("plan", missing),
        ("plan", str(bench.path)),
        ("plan", scenario, "-o", str(bench.path / "no" / "where")),
        ("verify", scenario, missing),
        ("simulate", scenario, bench.write("p.json", EXPECTED), "--events", missing),
    ):
        status, out, errors = bench.run(*command)
        assert (status, out, len(errors)) == (2, "", 1)


def test_wrong_usage_is_refused(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["dance"], ["plan"], ["simulate", "a", "b"], ["plan", "x", "--nonsense"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert "Traceback" not in capsys.readouterr().err


def test_help_shows_examples_and_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    text = capsys.readouterr().out
    assert ended.value.code == 0
    assert "tercast plan scenario.json -o plan.json" in text
    for command in ("plan", "verify", "simulate", "encode", "publish", "listen"):
        assert f"    {command} " in text


values = st.sampled_from(
    [
        None,
        True,
        -1,
        0,
        1.5,
        2**80,
        10**400,
        1e308,
        "",
        "x",
        "s1",
        "\ud800",
        "\n",
        [],
        [[]],
        {},
        {"a": 1},
        ["0"],
    ]
)


@pytest.mark.parametrize("module", OTHERS)
def test_a_module_adds_the_commands_that_load_it(module: str) -> None:
    commands = argparse.ArgumentParser().add_subparsers()
    import_module(module).add_commands(commands)
    assert {*commands.choices} == {*OTHERS[module]}


def test_a_command_loads_no_module_of_another_one(tmp_path: Path) -> None:
    scenario = tmp_path / "s.json"
    scenario.write_text(json.dumps(example()))
    script = (
        "import sys\n"
        "from tercast.cli.main import main\n"
        "main(sys.argv[1:])\n"
        "print(sorted(name for name in sys.modules if name.startswith('tercast.')), file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", script, "encode", str(scenario)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=_env())
    for part in ("tercast.federation", "tercast.client", "tercast.dimensions.", "tercast.explain"):
        assert part not in done.stderr
    assert "tercast.encoding.encoder" in done.stderr


def places(document: Any) -> list[list[Any]]:
    """Every place in a document, as steps."""
    out: list[list[Any]] = [[]]
    if isinstance(document, dict | list):
        for key in document if isinstance(document, dict) else range(len(document)):
            out += [[key, *rest] for rest in places(document[key])]
    return out


@st.composite
def spoilt(draw: st.DrawFn, document: Document) -> Document:
    """The document with one to three values replaced, removed or added."""
    out = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        *steps, last = draw(st.sampled_from(places(out)[1:]))
        holder: Any = out
        for step in steps:
            holder = holder[step]
        what = draw(st.integers(0, 3))
        if what == 0:
            del holder[last]
        elif what == 1 and isinstance(holder, dict):
            holder[draw(st.sampled_from(["x", "id", "op", "a b", "\ud800", ""]))] = copy.deepcopy(
                draw(values)
            )
        else:
            holder[last] = copy.deepcopy(draw(values))
        if len(places(out)) < 2:
            break
    return out


@examples(150)
@given(data=st.data(), plan_too=st.booleans())
def test_no_document_brings_the_tools_down(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory, plan_too: bool
) -> None:
    path = tmp_path_factory.getbasetemp()
    scenario: Document = example() if plan_too else data.draw(spoilt(example()))
    plan = data.draw(spoilt(EXPECTED)) if plan_too else EXPECTED
    files = {"s": scenario, "p": plan}
    for name, document in files.items():
        (path / name).write_text(json.dumps(document), encoding="utf-8")
    (path / "e").write_text('{"publisher": "a1", "values": {"low": 92}}\n')
    scenario_file, plan_file, out = str(path / "s"), str(path / "p"), str(path / "o")
    simulate = ["simulate", scenario_file, plan_file, "--events", str(path / "e"), "-o", out]
    commands = (
        [simulate] if plan_too else [["plan", scenario_file, "-o", out], ["encode", scenario_file, "-o", out]]
    )
    for arguments in [["verify", scenario_file, plan_file], *commands]:
        assert main(arguments) in (0, 1, 2)


def test_the_command_ends_quietly_when_nobody_reads_on(tmp_path: Path) -> None:
    scenario = tmp_path / "s.json"
    scenario.write_text(json.dumps(example()))
    command = [sys.executable, "-m", "tercast", "plan", str(scenario)]
    done = subprocess.run(
        f"{' '.join(command)} | true", shell=True, capture_output=True, text=True, check=False, env=_env()
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("target", ["/dev/full", "&-"])
@pytest.mark.parametrize("command", ["plan", "encode"])
def test_an_output_that_cannot_be_written_is_named(tmp_path: Path, command: str, target: str) -> None:
    scenario = tmp_path / "s.json"
    scenario.write_text(json.dumps(example()))
    line = f"{sys.executable} -m tercast {command} {scenario} >{target}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False, env=_env())
    named = "is closed; name an output file with -o" if target == "&-" else "cannot be written: No space left"
    assert done.returncode == 2
    assert done.stderr.startswith(f"standard output {named}") and done.stderr.count("\n") == 1


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    scenario = tmp_path / "s.json"
    scenario.write_text(json.dumps(example()))
    command = [sys.executable, "-m", "tercast", "encode", str(scenario)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=_env())
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["encodings"]["a1"] == ["0"]
    done = subprocess.run(
        [*command[:3], "plan", "/nowhere"], capture_output=True, text=True, check=False, env=_env()
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "/nowhere: cannot be read: No such file or directory\n"


def _env() -> dict[str, str]:
    root = Path(__file__).parents[3]
    return {"PYTHONPATH": f"{root / 'platform'}:{root}", "PATH": "/usr/bin:/bin"}
