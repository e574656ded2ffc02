"""`make TARGET ARGS=--help` prints the options before any set-up, with the standard library alone."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TARGETS = {
    "run": "--topology FILE",
    "lab": "--fresh",
    "soak": "--fault-every SECONDS",
    "bench": "--only SECTION",
    "bench-aggregation": "--figure FIGURE",
    "bench-analytics": "--events N",
    "bench-load": "--streams N",
}


def make(target, arguments, tmp_path):
    """Run a target without virtual environment, and with a Python without installed packages."""
    python = f"{sys.executable} -S"
    command = ["make", "-s", target, f"ARGS={arguments}", f"VENV={tmp_path / 'none'}", f"PYTHON={python}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("target", TARGETS)
def test_help_needs_no_set_up(target, tmp_path):
    done = make(target, "--help", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: ") and TARGETS[target] in done.stdout
    assert "setup:" not in done.stdout + done.stderr and not any(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", ["-h", "--he", "--for 5 --help"])
def test_help_is_found_among_other_options(arguments, tmp_path):
    assert make("run", arguments, tmp_path).stdout.startswith("usage: ")


def test_results_of_documented_commands_are_ignored_by_git():
    """README and docs write these files into the checkout; PLAN.json and others represent chosen names."""
    written = (
        *("results/delay.json", "build/lib/x", "run/state/db", "artifacts/page.png", "report.json"),
        *("soak.json", "topology.json", "plan.json", "proposal.json", "subscriptions.csv", "events.jsonl"),
    )
    for path in written:
        assert subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT, check=False).returncode == 0, (
            path
        )
    for path in ("docs/images/x.json", "examples/topology.json", "tests/benchmarks/results/planner.json"):
        assert subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT, check=False).returncode == 1, (
            path
        )


def test_every_target_is_listed_in_its_group():
    text = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    groups = {block.split("\n")[0]: block for block in text.strip().split("\n\n")[1:]}
    assert groups.keys() == {"Run", "Test", "Measure", "Maintain"}
    makefile = (ROOT / "Makefile").read_text()
    targets = makefile.split(".PHONY: ")[1].split("\n")[0].split()
    assert {target for target in targets if f"  {target} " not in text} == set()
    assert "\n  run " in groups["Run"] and "\n  test-e2e " in groups["Test"]
