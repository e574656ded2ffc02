"""Measure the federation of partitions; print JSON.

    PYTHONPATH=platform:tests/benchmarks .venv/bin/python tests/benchmarks/bench_federation.py [-o FILE]

`--only figures` measures PLEROMA 7(g) and 7(h), and exchanged sets against forwarded requests, as
`make figures` does. `--only load` measures many subscriptions that come together, with 1, 2 and 4 partitions.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import process_time
from typing import Any

from bench_machine import describe, write_result

from mininet_labs.figures.figure import Size
from mininet_labs.figures.papers.pleroma_federation import CONTROL_LOAD, EXCHANGE, FIGURES
from mininet_labs.figures.results import SeedRun, figure_rows
from mininet_labs.figures.rules import judged
from mininet_labs.figures.workloads.partitioned import ring_scenario
from tercast.federation.world.federated_plan import settle
from tercast.federation.world.federated_world import FederatedWorld, WorldOptions
from tercast.federation.world.federation_checks import is_settled
from tercast.offline.scenario import read_scenario
from tercast.requests.model import Advertise, Subscribe

LOADS = {"tiny": 200, "quick": 2_000, "full": 25_000}

NARROW = 2
"""Largest width of a range of the load test, so that subscriptions rarely cover each other."""


def load(count: int, partitions: int) -> dict[str, Any]:
    """Carry out subscriptions together while sets are exchanged; report time, messages and entries."""
    read = read_scenario(ring_scenario(partitions, count, 1, NARROW))
    world = FederatedWorld(read, WorldOptions(seed=1))
    settle(world)
    for request in read.requests:
        if isinstance(request, Advertise):
            world.request(request)
    settle(world)
    before = process_time()
    world.subscribe_all([one for one in read.requests if isinstance(one, Subscribe)])
    planned = process_time() - before
    before, start = process_time(), world.time.now
    settle(world)
    return {
        "partitions": partitions,
        "subscriptions": count,
        "planning_seconds": round(planned, 2),
        "exchange_seconds": round(process_time() - before, 2),
        "virtual_seconds": round(world.time.now - start, 2),
        "entries": world.tables.count(),
        "messages": dict(sorted(world.sent.items())),
        "bytes": world.sent_bytes,
        "most_cells": max(
            (
                len(one.cells)
                for p in world.partitions.values()
                for peer in p.peers.values()
                for one in peer.outgoing.values()
            ),
            default=0,
        ),
        "at_rest": is_settled(world),
    }


def figures(size: Size) -> dict[str, Any]:
    """Measure all figures on federation; report the rows and the verdicts."""
    runs = [
        SeedRun(one.name, seed, tuple(one.measure(size, seed)), {})
        for one in (CONTROL_LOAD, EXCHANGE)
        for seed in one.seeds[size]
    ]
    found = {}
    for figure in FIGURES:
        own = {one.name for one in figure.experiments}
        rows = figure_rows(figure, [run for run in runs if run.experiment in own])
        findings = [(claim, judged(claim.rule, rows, frozenset(), False)) for claim in figure.claims(size)]
        found[figure.name] = {
            "claims": [
                {"claim": claim.name, "verdict": one.outcome, "value": one.value} for claim, one in findings
            ],
            "rows": rows,
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in LOADS:
        parser.add_argument(f"--{name}", dest="extent", action="store_const", const=name)
    parser.add_argument("--only", nargs="+", choices=("figures", "load"), default=["figures", "load"])
    parser.add_argument("-o", "--output", type=Path)
    parser.set_defaults(extent="quick")
    args = parser.parse_args()
    result: dict[str, Any] = {"machine": describe(), "extent": args.extent}
    if "figures" in args.only:
        result["figures"] = figures(Size(args.extent))
    if "load" in args.only:
        result["load"] = [load(LOADS[args.extent], partitions) for partitions in (1, 2, 4)]
    write_result(result, args.output)


if __name__ == "__main__":
    main()
