"""The verifier: the whole proof, the step after another request, and both commands on files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from bench_child import Guard, in_child, log
from bench_extent import DEPTH, GRAPHS, Case, Extent
from bench_planners import Subject, carry_out, use_kernels

from mininet_labs.figures.workloads.synthetic import Filters, everything, subscriptions, topic
from tercast.verification.verifier import Verifier

PUBLISHERS = 8
ATTRIBUTES, CELLS = 5, 4
GRAPH = "fat tree"


def measure(extent: Extent) -> list[dict[str, Any]]:
    """Return a row for each kind of filters."""
    rows = []
    for filters, size in extent.verified:
        proof = in_child(measure_proof, filters, size, extent.steps)
        log(
            f"verify: {filters}, {size} subscriptions, {proof['entries']} entries: {proof['whole_s']} s, "
            f"a step {proof['step_ms']} ms"
        )
        commands = in_child(measure_commands, filters, size)
        log(f"verify: {filters}: tercast plan {commands['plan_s']} s, verify {commands['verify_s']} s")
        rows.append({"filters": filters, "subscriptions": size, **proof, "commands": commands})
    return rows


def measure_proof(filters: str, size: int, steps: int) -> dict[str, Any]:
    """Return the seconds of the whole proof, and the milliseconds of a step after another subscription."""
    use_kernels("compiled")
    subject = Subject(Case(GRAPH, filters, ATTRIBUTES, CELLS), PUBLISHERS)
    subject.grow(size, Guard(1 << 20, 3600))
    planner = subject.planner
    tables = planner.tables()
    start = perf_counter()
    verifier = Verifier.of(planner.registry, tables)
    loaded = perf_counter() - start
    assert verifier.check() == []
    whole = perf_counter() - start
    stepping, changes = 0.0, 0
    for request in subject.subscriptions(steps):
        carry_out(planner, [request])
        diff = planner.take_diff()
        changes += len(diff)
        start = perf_counter()
        found = verifier.step(planner.registry, diff)
        stepping += perf_counter() - start
        assert found == []
    return {
        "entries": sum(map(len, tables.values())),
        "whole_s": round(whole, 3),
        "loading_s": round(loaded, 3),
        "step_ms": round(stepping / steps * 1000, 3),
        "changes_per_step": round(changes / steps, 1),
        "whole_to_step": round(whole / (stepping / steps)),
    }


def measure_commands(filters: str, size: int) -> dict[str, Any]:
    """Return the seconds of `tercast plan` and `tercast verify` on files, and the sizes of the files."""
    with tempfile.TemporaryDirectory(prefix="tb-") as folder:
        scenario, plan = Path(folder) / "scenario.json", Path(folder) / "plan.json"
        scenario.write_text(json.dumps(scenario_of(filters, size)))
        planning = _seconds("plan", str(scenario), "-o", str(plan))
        proving = _seconds("verify", str(scenario), str(plan))
        sizes = [round(path.stat().st_size / (1 << 20), 1) for path in (scenario, plan)]
    return {"plan_s": planning, "verify_s": proving, "scenario_mib": sizes[0], "plan_mib": sizes[1]}


def scenario_of(filters: str, size: int) -> dict[str, Any]:
    """Return a scenario of the same kind."""
    network = GRAPHS[GRAPH]()
    hosts = [host["id"] for host in network["hosts"]]
    return {
        "format": "scenario/1",
        "address": {"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16},
        "limits": {"max_dz_length": DEPTH, "max_dz_per_filter": CELLS},
        "topology": network,
        "topics": [topic(ATTRIBUTES)],
        "requests": [
            *(everything(host, n) for n, host in enumerate(hosts[:PUBLISHERS])),
            *subscriptions(Filters(filters, ATTRIBUTES, 1), hosts, size),
        ],
    }


def _seconds(*arguments: str) -> float:
    command = [sys.executable, "-m", "tercast", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    start = perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return round(perf_counter() - start, 2)
