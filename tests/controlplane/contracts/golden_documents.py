"""The documents that Tercast writes, compared byte by byte with committed ones.

The main scenario is a ring with a chord: two topics with attributes of every type, table budgets, merged
tables, and every operation that a scenario may have. The log has every kind of request of the platform.
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from tercast.cli import main
from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.planner.planner import Planner
from tercast.planner.snapshot import restore_planner, take_snapshot
from tercast.tables.entries import Diff

GOLDEN = Path(__file__).parent / "golden"
SCENARIO, EVENTS, LOG = GOLDEN / "scenario.json", GOLDEN / "events.jsonl", GOLDEN / "log.jsonl"
_ADDRESS = {"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16}
_FAULTS = ("cut:west,north@1-3",)
_LIMITS = {"max_dz_length": 24, "max_dz_per_filter": 8, "max_trees": 64}


def _command(*arguments: str) -> Callable[[Path], None]:
    def write(output: Path) -> None:
        status = main.main([*arguments, "-o", str(output)])
        assert status == main.DONE, (arguments, status)

    return write


def _printed(*arguments: str) -> Callable[[Path], None]:
    def write(output: Path) -> None:
        with output.open("w", encoding="utf-8") as file, redirect_stdout(file):
            assert main.main([*arguments]) == main.DONE, arguments

    return write


def log_requests() -> list[dict[str, Any]]:
    """Return a request log of the platform; at its end a topic is moving to its other code."""
    return [json.loads(line) for line in LOG.read_text().splitlines()]


def empty_planner() -> Planner:
    """Return the planner of an installation that has nothing yet."""
    return Planner(AddressPlan.from_json(_ADDRESS), Limits.from_json(_LIMITS), hitless=True)


def _diff_json(diff: Diff) -> list[Any]:
    return [
        [
            part.switch,
            *([entry.to_json() for entry in side] for side in (part.added, part.modified, part.removed)),
        ]
        for part in diff
    ]


def _write_diffs(output: Path) -> None:
    """Write of each request its kind, its outcome, the entries that it changes, and a digest of them."""
    planner, rows = empty_planner(), []
    for request in log_requests():
        outcome = planner.apply(request)
        changes = _diff_json(planner.take_diff())
        digest = hashlib.sha256(json.dumps(changes).encode()).hexdigest()
        sizes = {switch: [len(side) for side in sides] for switch, *sides in changes}
        reason = None if outcome.reason is None else outcome.reason.code
        rows.append({"op": request["op"], "refused": reason, "entries": sizes, "sha256": digest})
    output.write_text("\n".join(map(json.dumps, rows)) + "\n")


def _write_snapshot(output: Path) -> None:
    planner = empty_planner()
    for request in log_requests():
        planner.apply(request)
    planner.take_diff()
    output.write_text(json.dumps(take_snapshot(planner), indent=1) + "\n")


def _write_tables_after_restore(output: Path) -> None:
    """Write the tables that a planner has after it is restored from the committed snapshot."""
    planner = restore_planner(Planner, json.loads((GOLDEN / "snapshot.json").read_text()))
    tables = {switch: [entry.to_json() for entry in table] for switch, table in planner.tables().items()}
    output.write_text(json.dumps(tables, indent=1) + "\n")


DOCUMENTS: dict[str, Callable[[Path], None]] = {
    "encodings.json": _command("encode", str(SCENARIO)),
    "plan.json": _command("plan", str(SCENARIO)),
    "plan-none.json": _command("plan", str(SCENARIO), "--aggregation", "none", "--budget", "all=none"),
    "report.json": _command("simulate", str(SCENARIO), str(GOLDEN / "plan.json"), "--events", str(EVENTS)),
    "diffs.jsonl": _write_diffs,
    "dimensions.json": _command("dimensions", str(SCENARIO), "--events", str(EVENTS)),
    "space.json": _command("space", str(SCENARIO), "--events", str(EVENTS)),
    "federation.json": _command("federate", str(GOLDEN / "federation-scenario.json"), "--faults", *_FAULTS),
    "topology.json": _command("import", str(GOLDEN / "topology.graphml")),
    "explanation.json": _printed(
        "explain",
        str(SCENARIO),
        str(GOLDEN / "plan.json"),
        "--publisher=a6",
        '--values={"level": 3, "acknowledged": false, "kind": "door"}',
        "--json",
    ),
    "snapshot.json": _write_snapshot,
    "tables.json": _write_tables_after_restore,
}
"""What writes each document of `golden/`."""
