"""Commands end with the documented exit statuses: 0 done, 1 failed, 2 the input was refused."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class

from analytics import cli as analytics
from mininet_labs import commands as labs
from tercast.cli import main as tercast

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
SCENARIO, EVENTS = str(EXAMPLES / "scenario.json"), str(EXAMPLES / "events.jsonl")


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The plan of the example, and one in which a table is empty."""
    folder = tmp_path_factory.mktemp("plans")
    good, bad = folder / "good.json", folder / "bad.json"
    assert tercast.main(["plan", SCENARIO, "-o", str(good)]) == 0
    plan = json.loads(good.read_text())
    plan["flows"]["denver"] = []
    bad.write_text(json.dumps(plan))
    return {
        "GOOD": str(good),
        "BAD": str(bad),
        "NONE": str(folder / "none"),
        "OUT": str(folder / "out"),
        "FOLDER": str(folder / "tls"),
    }


COMMANDS = [
    ("encode SCENARIO -o OUT", 0),
    ("encode NONE -o OUT", 2),
    ("plan SCENARIO -o OUT", 0),
    ("plan EVENTS -o OUT", 2),
    ("plan SCENARIO -o OUT --budget all=1", 2),
    ("verify SCENARIO GOOD", 0),
    ("verify SCENARIO BAD", 1),
    ("verify SCENARIO NONE", 2),
    ("simulate SCENARIO GOOD --events EVENTS -o OUT", 0),
    ("simulate SCENARIO BAD --events EVENTS -o OUT", 1),
    ("simulate SCENARIO GOOD --events NONE -o OUT", 2),
    ("explain SCENARIO GOOD --publisher a1 --value city=Seattle celsius=33", 0),
    ("explain SCENARIO GOOD --publisher unknown --value city=Seattle", 2),
    ("space SCENARIO --events EVENTS", 0),
    ("space SCENARIO --events NONE", 2),
    ("certificates FOLDER switch", 0),
    ("certificates GOOD switch", 2),
    ("publish --scenario NONE --udp ::1 --value city=Seattle", 2),
    ("listen --scenario NONE --udp ::1", 2),
    ("import TOPOLOGY -o OUT", 0),
    ("import NONE -o OUT", 2),
    ("dimensions SCENARIO --events EVENTS", 0),
    ("dimensions SCENARIO --events NONE", 2),
    ("federate FEDERATION --faults cut:west,north@1-3 -o OUT", 0),
    ("federate SCENARIO -o OUT", 2),
    ("federate FEDERATION --faults cut:west@1-3 -o OUT", 2),
]


@pytest.mark.parametrize(("command", "status"), COMMANDS)
def test_offline_commands(plans: dict[str, str], command: str, status: int) -> None:
    files = {"TOPOLOGY": "topology.graphml", "FEDERATION": "federation.json"}
    files = {name: str(EXAMPLES / file) for name, file in files.items()}
    names = {**plans, **files, "SCENARIO": SCENARIO, "EVENTS": EVENTS}
    assert tercast.main([names.get(word, word) for word in command.split()]) == status


@pytest.mark.parametrize("arguments", [["plan"], ["unknown"], ["plan", SCENARIO, "--unknown"], []])
def test_unknown_arguments(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        tercast.main(arguments)
    assert ended.value.code == 2


def test_jobs(plans: dict[str, str]) -> None:
    arguments = [
        "delay",
        "--telemetry",
        plans["NONE"],
        "--out",
        plans["OUT"],
        "--known",
        plans["NONE"],
    ]
    assert analytics.main(arguments) == 2
    with pytest.raises(SystemExit) as ended:
        analytics.main(["unknown"])
    assert ended.value.code == 2


@pytest.mark.parametrize(("shape", "status"), [("ring 8", 0), ("ring 0", 2), ("unknown 3", 2)])
def test_topologies(shape: str, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        ended = labs.main(["topology", *shape.split()])
    except SystemExit as error:
        ended = error.code
    assert ended == status


@pytest.mark.parametrize(
    ("options", "status"), [(["--list"], 0), (["--only", "9z", "--list"], 2), (["--unknown"], 2)]
)
def test_figures(options: list[str], status: int) -> None:
    try:
        ended = labs.main(["figures", *options])
    except SystemExit as error:
        ended = error.code
    assert ended == status


@pytest.mark.django_db
@pytest.mark.parametrize(
    "arguments", [["audit", "nowhere"], ["reconcile", "nowhere"], ["restore", "NONE"], ["token", "nobody"]]
)
def test_a_command_of_the_platform_that_fails(plans: dict[str, str], arguments: list[str]) -> None:
    with pytest.raises(CommandError) as failed:
        call_command(*(plans.get(word, word) for word in arguments))
    assert failed.value.returncode == 1


@pytest.mark.django_db
def test_an_empty_log_is_replayed() -> None:
    call_command("replay", "--check")


@pytest.mark.parametrize("name", [name for name, app in get_commands().items() if "controlplane" in str(app)])
def test_unknown_arguments_of_a_command_of_the_platform(name: str) -> None:
    command = load_command_class(get_commands()[name], name)
    command._called_from_command_line = True
    with pytest.raises(SystemExit) as ended:
        command.create_parser("manage.py", name).parse_args(["--unknown"])
    assert ended.value.code == 2


def test_the_alias_of_the_process_that_aggregates_fails_without_a_question() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "platform")}
    ran = subprocess.run(
        [sys.executable, "-m", "controlplane.aggregation.job"],
        env=environment, input="no JSON", cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, "JSONDecodeError" in ran.stderr) == (1, True), ran.stderr


def controller(*options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}
    return subprocess.run(
        [sys.executable, "-m", "controller_app", *options],
        env=environment, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_controller(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("a-token-of-sixteen-characters\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = controller(
            "--token-file", str(token), "--openflow", f"127.0.0.1:{port}", "--northbound", "127.0.0.1:0"
        )
    assert (ran.returncode, f":{port}" in ran.stderr) == (1, True), ran.stderr
    assert controller("--openflow", "nowhere").returncode == 2
