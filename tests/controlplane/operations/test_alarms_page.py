"""Every alarm that the code can raise is in docs/alarms.md, with its text."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = " ".join((ROOT / "docs/alarms.md").read_text().split())

WORDS = {
    "analytics/dimensions/outdated_spaces.py": ["no longer fits its filters and events"],
    "aggregation/cost_watch.py": ["aggregation at switch", "aggregation at switch"],
    "deployment/audits/worker.py": ["differs from the plan", "is not repaired"],
    "deployment/capacity.py": ["the planner now limits its table to", "failed and is reverted"],
    "deployment/watcher/newcomers.py": [
        "connected and was not registered",
        "found by probes and added to the network",
        "which waits for approval: ",
    ],
    "deployment/object_effects.py": ["is no longer in the plan, but its database row stays"],
    "deployment/watcher/link_losses.py": ["packets that were sent into it are lost"],
    "planning/reachability_rows.py": ["no path from", "paths to all matching publishers exist again"],
    "deployment/reconcile.py": ["does not support bundles and its table is full"],
    "deployment/spare_entry.py": ["does not support bundles"],
    "deployment/session.py": ["changes the paths of topics without a transition"],
    "deployment/watcher/spoofing.py": ["source check: switch S dropped N event packets"],
    "deployment/watcher/watch.py": ["switch S: ", "controller: ", "the controller does not answer"],
    "registry/transitions/stages.py": ["changes without a transition, because", "the old entries of topic"],
    "config/connection_limits.py": ["connections within 10 s"],
    "operations/write_interruptions.py": ["could not write to the database from"],
    "operations/disk_space.py": ["is nearly full: ", "has enough free space again"],
    "periodic/task_failures.py": [
        "is skipped: ",
        "is no longer skipped",
        "times in a row: ",
        "works again",
    ],
    "signalling/refusals.py": ["control message of host"],
    "telemetry/rejected_senders.py": ["rejected N events of topic"],
    "telemetry/storage.py": ["telemetry is written again"],
    "telemetry/writer_watch.py": ["rows are lost", "but no final report"],
    "worker/management/commands/compact.py": ["the request log is not compacted"],
    "operations/backup/restore.py": ["restored from a backup", "is restored as disabled"],
}
"""By module: the words of its calls of `outbox.alarm`, one for each."""

PLANNED = (
    "changes the paths of topics without a transition",
    "more entries than their budget after request",
    "were not sent to the switches",
)
"""Alarm texts of `planning` that `session` raises."""


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
    alarm_calls = [
        (module, call) for module, call in calls(package, "alarm") if call.func.value.id == "outbox"
    ]
    assert Counter(module for module, _ in alarm_calls) == {
        module: len(words) for module, words in WORDS.items()
    }
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
