"""Measure the federation of partitions; print JSON.

    PYTHONPATH=platform:tests/benchmarks .venv/bin/python tests/benchmarks/bench_federation.py [-o FILE]

`--only load` measures many subscriptions that come together, with 1, 2 and 4 partitions. `--only recovery`
measures the time from a fault until the federation is at rest again.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

from bench_machine import describe, write_result

from mininet_labs.figures.workloads.partitioned import ring_scenario
from tercast.federation.world.fault_run import FaultRun, start_at_rest
from tercast.federation.world.faults import read_faults
from tercast.federation.world.federated_plan import settle
from tercast.federation.world.federated_world import FederatedWorld, WorldOptions
from tercast.federation.world.federation_checks import is_settled
from tercast.offline.scenario import read_scenario
from tercast.requests.model import Advertise, Subscribe

LOADS = {"tiny": 200, "quick": 2_000, "full": 25_000}
RUNS = {"tiny": 2, "quick": 20, "full": 100}

FAULTS = 5
"""Faults of a run."""

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


def recovery(loss: float, runs: int) -> dict[str, Any]:
    """Draw faults on a ring of four partitions; report how long the federation takes to be at rest again.

    The time begins with each fault, and again with its end. Without loss, messages take at most 0.05 s, as on
    a network at rest; with loss, at most 0.4 s, and half as many are duplicated.
    """
    read = read_scenario(ring_scenario(4, 40, 1, 50))
    broken: Counter[str] = Counter()
    seconds: list[float] = []
    for seed in range(runs):
        options = WorldOptions(
            seed=seed, loss=loss, duplication=loss / 2, delay=(0.005, 0.4 if loss else 0.05)
        )
        world, random = FederatedWorld(read, options), Random(seed)
        faults = read_faults([f"random:{FAULTS}"], world, random)
        if start_at_rest(world) is None:
            broken["not at rest before the faults"] += 1
            continue
        run = FaultRun(world, faults, random).run()
        broken["runs that broke a guarantee"] += not run.holds
        seconds += [one["recovery_seconds"] for one in run.report()["gaps"]]
    return {
        "loss": loss,
        "runs": runs,
        "gaps": len(seconds),
        "median_seconds": median(seconds),
        "p95_seconds": sorted(seconds)[len(seconds) * 95 // 100],
        "longest_seconds": max(seconds),
        "broken": +broken,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in LOADS:
        parser.add_argument(f"--{name}", dest="extent", action="store_const", const=name)
    parser.add_argument("--only", nargs="+", choices=("load", "recovery"), default=["load", "recovery"])
    parser.add_argument("-o", "--output", type=Path)
    parser.set_defaults(extent="quick")
    args = parser.parse_args()
    result: dict[str, Any] = {"machine": describe(), "extent": args.extent}
    if "load" in args.only:
        result["load"] = [load(LOADS[args.extent], partitions) for partitions in (1, 2, 4)]
    if "recovery" in args.only:
        result["recovery"] = [recovery(loss, RUNS[args.extent]) for loss in (0.0, 0.05, 0.2)]
    write_result(result, args.output)


if __name__ == "__main__":
    main()
