"""Measure the core library, each figure with its baseline; print JSON, progress on standard error.

    make bench                                  # everything: about ten minutes on an idle machine
    make bench ARGS="--quick"                   # two minutes
    make bench ARGS="--only planner events"     # some sections
    make bench ARGS="-o tests/benchmarks/results/planner.json"

See docs/benchmarks.md for what each number means.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

import bench_calls
import bench_encoder
import bench_events
import bench_install
import bench_large
import bench_links
import bench_machine
import bench_options
import bench_pleroma
import bench_rates
import bench_switch
import bench_verify
from bench_child import ChildFailed, log
from bench_extent import FULL, QUICK, TINY, Extent
from bench_growth import FEWEST, KINDS
from bench_planners import use_kernels

from tercast.runtime import jit

SECTIONS: dict[str, Callable[[Extent], Any]] = {
    "switch": bench_switch.measure,
    "planner": bench_rates.measure,
    "pleroma": bench_pleroma.measure,
    "events": bench_events.measure,
    "verify": bench_verify.measure,
    "large": bench_large.measure,
    "links": bench_links.measure,
    "encoder": bench_encoder.measure,
    "controller": bench_install.measure,
    "stages": bench_calls.measure,
}
EXTENTS = {"full": FULL, "quick": QUICK, "tiny": TINY}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure sections, and write one JSON document; return 1 if a section failed.

    An output file is written after each section.
    """
    args = bench_options.of_planner().parse_args(arguments)
    result: dict[str, Any] = {}
    for result in run(args.extent, args.only or list(SECTIONS)):
        if args.output is not None:
            args.output.write_text(json.dumps(result, indent=1) + "\n")
    if args.output is None:
        print(json.dumps(result, indent=1))
    return 1 if "failed" in result else 0


def run(extent: str, sections: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the result after each section; the order of sections is fixed."""
    start = perf_counter()
    result: dict[str, Any] = {"format": "bench/1", "extent": extent, "machine": bench_machine.describe()}
    use_kernels("compiled")  # loads them here, so that child processes need not load them
    jit.use(None)
    for name, measure in SECTIONS.items():
        if name not in sections:
            continue
        try:
            result[name] = measure(EXTENTS[extent])
        except ChildFailed as error:
            log(f"{name} failed: {error}")
            result.setdefault("failed", {})[name] = str(error)
        rate = result.get("switch", {}).get("flows_per_s")
        for row in result.get("planner", ()):
            for at_size in row["sizes"]:
                at_size["ratio_to_switch"] = ratio_to_switch(at_size, rate)
        result["seconds"] = round(perf_counter() - start)
        yield result
    log(f"done in {result['seconds']} s")


def ratio_to_switch(at_size: dict[str, Any], flows_per_s: int | None) -> dict[str, Any] | None:
    """Return the planner's table changes per second relative to the rate of the switch.

    None without a switch, or if only few single requests changed anything.
    """
    if not flows_per_s:
        return None
    found = {kind: at_size[kind]["changing"] for kind in KINDS}
    enough = {kind: own for kind, own in found.items() if own["requests"] >= FEWEST}
    singly = {kind: enough[kind]["changes_per_s"] if kind in enough else None for kind in KINDS}
    batches = {kind: at_size["batches"][kind]["changes_per_s"] for kind in KINDS}
    return {
        "singly": {kind: rate and round(rate / flows_per_s, 2) for kind, rate in singly.items()},
        "batches": {kind: rate and round(rate / flows_per_s, 2) for kind, rate in batches.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
