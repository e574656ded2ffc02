"""Every alarm that the code can raise stands in the operators' page, by its own words."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = " ".join((ROOT / "docs/operations.md").read_text().split())

WORDS = {
    "aggregation/watch.py": ["aggregation at switch", "aggregation at switch"],
    "audit/work.py": ["differs from the plan", "is not repaired"],
    "control/capacity.py": ["its table is planned for", "failed and is taken back"],
    "control/discovery.py": [
        "connected and was not declared",
        "found by probes and added to the network",
        "which waits for approval: ",
    ],
    "control/effects.py": ["is out of the plan, but its record stays"],
    "control/losses.py": ["packets that were sent into it are lost"],
    "control/reach.py": ["no path from", "paths lead to every matching publisher again"],
    "control/reconcile.py": ["knows no bundles and its table is full"],
    "control/reserve.py": ["knows no bundles"],
    "control/session.py": ["changes the ways of topics in place"],
    "control/spoofing.py": ["source check: N event packets"],
    "control/watch.py": ["switch S: ", "controller: ", "the controller does not answer"],
    "moves/stages.py": ["changes in place, because", "the old entries of topic"],
    "api/connections.py": ["connections within 10 s"],
    "observe/interruptions.py": ["could not write to the database from"],
    "observe/disks.py": ["is nearly full: ", "has room again"],
    "periodic/troubles.py": [
        "is skipped: ",
        "is no longer skipped",
        "times in a row: ",
        "works again",
    ],
    "signalling/refusals.py": ["control message of host"],
    "telemetry/rejections.py": ["rejected N events of topic"],
    "telemetry/storage.py": ["telemetry is written again"],
    "telemetry/writers.py": ["rows are lost", "stops without an end"],
    "upkeep/management/commands/compact.py": ["the request log is not compacted"],
    "upkeep/restoring.py": ["restored from a backup", "is restored as disabled"],
}
"""By module: the words of its calls of `outbox.alarm`, one for each."""

PLANNED = ("changes the ways of topics in place", "over their budget after request", "were not deployed")
"""What `planning` has `session` tell."""


def calls(folder: Path, name: str) -> list[tuple[str, ast.Call]]:
    """The calls of a method `name` in a folder's modules."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", None) == name:
                found.append((str(path.relative_to(folder)), node))
    return found


def test_every_alarm_of_the_control_plane_is_in_the_page():
    package = ROOT / "platform/controlplane"
    told = [(module, call) for module, call in calls(package, "alarm") if call.func.value.id == "outbox"]
    assert Counter(module for module, _ in told) == {module: len(words) for module, words in WORDS.items()}
    for module, words in WORDS.items():
        for text in words:
            assert text in PAGE, (module, text)
    for text in PLANNED:
        assert text in PAGE, text


def test_every_alarm_of_the_controller_is_in_the_page():
    names = {call.args[0].value for _, call in calls(ROOT / "controller_app", "sound")}
    assert len(names) >= 11
    rows = set(re.findall(r"\| `([a-z_]+)` \|", PAGE))
    assert names - rows == set()
    northbound = (ROOT / "docs/northbound.md").read_text()
    assert [name for name in names if f"| `{name}` |" not in northbound] == []
