"""Measure the cost of a run of each periodic method on a large network; print JSON.

    PYTHONPATH=platform:. .venv/bin/python tests/benchmarks/bench_aggregation_time.py [--quick] [-o FILE]

Progress goes to standard error. The network is a random graph of 300 switches with 4,402 hosts, 15,000
subscriptions around 8 hot spots and 100,000 past events, as in figure 5(h) of Bhowmik et al. (DEBS 2017).
Every budget is 600 entries, or a tenth of the largest exact table. A run is `aggregate(planner, method,
traffic)`: it reads the exact tables, builds tries, decides, and estimates the cost. Only two things exist
before a run: the exact tables of the planner, and the events from `read_traffic` (`read_seconds`). The result
of a method is installed in the planner, and all events are sent through it. No event may be lost, duplicated
or sent in a loop, and no budget may be exceeded.
"""

from __future__ import annotations

import argparse
import gc
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from bench_machine import describe, write_result

from mininet_labs.figures.experiments.aggregation_trial import (
    PERIODIC,
    TRAINING,
    GrowingNetwork,
    TrialSetting,
)
from mininet_labs.figures.workloads.aggregation import Synthetic, random_network
from tercast.optimizer import warm_up
from tercast.optimizer.pipeline import AggregationResult, aggregate
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.simulation.replay import Replay

BUDGET = 600
QUICK = {"switches": 60, "hosts": 800, "subscriptions": 3_000, "events": 10_000}


def main() -> None:
    """Measure and print."""
    args = _parser().parse_args()
    if args.quick:
        vars(args).update(QUICK)
    if args.warm_up:
        warm_up.warm_up()
    write_result({"machine": describe(), **measure(args)}, args.output)


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Measure all methods on one network, with each budget."""
    wired = random_network(args.switches, args.hosts, args.seed)
    setting = TrialSetting(wired, Synthetic(args.kind, args.seed), BUDGET, args.events, cells=50)
    network = GrowingNetwork(setting, "none")
    network.grow(args.subscriptions)
    planner = network.planner
    _log(f"{args.subscriptions:,} subscriptions in {network.seconds:.1f} s")
    past = setting.workload.events(args.events, TRAINING)
    start = perf_counter()
    traffic = read_traffic(planner, past)
    read = perf_counter() - start
    exact = planner.exact_counts()
    budgets = args.budgets or [BUDGET, round(max(exact.values()) / 10)]
    replay = Replay.of(planner, past)
    network.apply({"op": "set_aggregation", "method": "la"})
    rows = [
        row
        for budget in sorted(budgets, reverse=True)
        for row in _runs(network, args, traffic, replay, budget)
    ]
    return {
        "workload": args.kind,
        "seed": args.seed,
        "switches": args.switches,
        "hosts": args.hosts,
        "subscriptions": args.subscriptions,
        "events": args.events,
        "exact_entries": sum(exact.values()),
        "largest_exact": max(exact.values()),
        "read_seconds": round(read, 2),
        "runs": rows,
    }


def _runs(
    network: GrowingNetwork, args: argparse.Namespace, traffic: Traffic, replay: Replay, budget: int
) -> list[dict[str, Any]]:
    planner = network.planner
    counts = replay.through(planner.exact_tables())
    network.set_budget(budget)
    rows = []
    for method in args.methods:
        gc.collect()
        start, spent = perf_counter(), process_time()
        result = aggregate(planner, method, traffic, seed=args.seed)
        seconds, processor = perf_counter() - start, process_time() - spent
        network.apply(result.request)
        found = replay.through(planner.tables())
        assert found.holds, (found.lost, found.doubled, found.loops)
        assert max(planner.counts().values()) <= budget
        rows.append(
            {
                "budget": budget,
                "method": method,
                "seconds": round(seconds, 2),
                "processor_seconds": round(processor, 2),
                **_figures(planner.exact_counts(), result, budget),
                "added_percent": round(100 * (found.copies.total() / counts.copies.total() - 1), 3),
            }
        )
        _log(str(rows[-1]))
    return rows


def _figures(exact: dict[str, int], result: AggregationResult, budget: int) -> dict[str, Any]:
    over = [count for count in exact.values() if count > budget]
    return {
        "switches_over_budget": len(over),
        "entries_over_budget": sum(over),
        "entries": sum(result.after.values()),
        "chosen": result.chosen,
    }


def _log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument(
        "--quick", action="store_true", help="60 switches, 3,000 subscriptions, 10,000 events"
    )
    parser.add_argument("--kind", choices=("zipf", "uniform"), default="zipf", help="filters and events")
    parser.add_argument("--methods", nargs="+", choices=PERIODIC, default=PERIODIC, help="default: all")
    parser.add_argument("--budgets", nargs="+", type=int, help="budgets (default: 600 and a tenth)")
    for name, size in (("switches", 300), ("hosts", 4_402), ("subscriptions", 15_000), ("events", 100_000)):
        parser.add_argument(f"--{name}", type=int, default=size)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-warm-up", dest="warm_up", action="store_false", help="do not compile first")
    parser.add_argument("-o", "--output", type=Path, help="output file (default: standard output)")
    return parser


if __name__ == "__main__":
    main()
