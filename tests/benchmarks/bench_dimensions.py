"""Measure false positives with indexed attributes: all, by PLEROMA, or greedily chosen; print JSON.

    .venv/bin/python tests/benchmarks/bench_dimensions.py [--quick] [-o FILE]

There are seven attributes, as in PLEROMA's figure 7(e). Subscriptions and events are around hot spots (Zipf).
In some attributes the events are limited to a part of the domain, so that these attributes distinguish few
events. A subscription tests three attributes; attributes early in the topic are tested less often. The events
that count are not those that determined the choice.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

from bench_machine import describe, write_result

from mininet_labs.figures.experiments.selection import CELLS, HELD, limited_workload
from tercast.dimensions.greedy import greedy
from tercast.dimensions.measured_cost import Measure
from tercast.dimensions.spectral import spectral

SEEDS = (1, 2, 3, 4, 5)
METHODS = ("all", "spectral", "greedy")


def measured(held: tuple[int, ...], depth: int, seed: int, size: tuple[int, int]) -> dict[str, Any]:
    """Make the three choices with half of the events, and measure them with the other half."""
    seen, unseen = limited_workload(held, seed, *size).halves()
    started = time.process_time()
    by_variance = spectral(seen).selected
    between = time.process_time()
    by_measure = greedy(Measure(seen, depth, CELLS)).selected
    ended = time.process_time()
    judge = Measure(unseen, depth, CELLS)
    everything = tuple(attribute.name for attribute in seen.topic.attributes)
    choices = dict(zip(METHODS, (everything, by_variance, by_measure), strict=True))
    return {
        "seconds": {"spectral": between - started, "greedy": ended - between},
        **{name: {"fpr": judge.of(c).fpr, "indexed": sorted(c)} for name, c in choices.items()},
    }


def summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return mean and range, over the seeds, of false positives (%) and numbers of attributes."""
    out: dict[str, Any] = {}
    for method in METHODS:
        rates = [run[method]["fpr"] for run in runs]
        counts = [len(run[method]["indexed"]) for run in runs]
        out[method] = {
            "fpr": round(statistics.mean(rates), 2),
            "lowest": round(min(rates), 2),
            "highest": round(max(rates), 2),
            "attributes": round(statistics.mean(counts), 1),
        }
    out["seconds"] = {
        name: round(statistics.mean(run["seconds"][name] for run in runs), 2) for name in METHODS[1:]
    }
    return out


def main() -> None:
    """Run all cases and print the JSON."""
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--quick", action="store_true", help="two seeds, fewer subscriptions and events")
    parser.add_argument("-o", "--output", type=Path, help="output file (default: standard output)")
    args = parser.parse_args()
    seeds, size = (SEEDS[:2], (60, 1_000)) if args.quick else (SEEDS, (400, 10_000))
    machine = describe()
    cases = [
        {
            "events": name,
            "depth": depth,
            "subscriptions": size[0],
            "seeds": len(seeds),
            **summary([measured(held, depth, seed, size) for seed in seeds]),
        }
        for name, held in HELD.items()
        for depth in (12, 24, 48)
    ]
    write_result({"benchmark": "dimensions", "machine": machine, "cases": cases}, args.output)


if __name__ == "__main__":
    main()
