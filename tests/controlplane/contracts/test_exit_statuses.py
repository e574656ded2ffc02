"""Commands end with the documented exit statuses: 0 done, 1 failed, 2 the input was refused."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

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
]


@pytest.mark.parametrize(("command", "status"), COMMANDS)
def test_offline_commands(plans: dict[str, str], command: str, status: int) -> None:
    names = {**plans, "SCENARIO": SCENARIO, "EVENTS": EVENTS, "TOPOLOGY": str(EXAMPLES / "topology.graphml")}
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
