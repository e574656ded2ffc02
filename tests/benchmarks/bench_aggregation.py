"""Repeat figures 5(a) to 5(l) of Bhowmik et al. (DEBS 2017) with all methods; write JSON.

    make bench-aggregation                                  # the quick size, all figures
    make bench-aggregation ARGS="--full --figure 5b 5l -o /tmp/full.json"
    make bench-aggregation ARGS="--quotes FILE.csv --figure 5k"

Experiments that are already in the output file are repeated on request, and kept otherwise.
aggregation_page.py makes the pictures and tables of docs/aggregation-figures.md from the file.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import bench_options
from bench_machine import describe

from mininet_labs.figures.experiments.aggregation import (
    EXTENTS,
    FIGURES,
    Comparison,
    Extent,
)
from mininet_labs.figures.experiments.aggregation_trial import BudgetTooSmallError
from mininet_labs.figures.workloads.aggregation import Object, packaged_quotes, read_quotes


def main() -> None:
    """Run the experiments of the requested figures."""
    args = bench_options.of_aggregation().parse_args()
    extent = EXTENTS[args.extent]
    if args.seeds:
        extent = replace(extent, seeds=tuple(args.seeds))
    output = args.output or bench_options.ARTIFACTS / f"aggregation-{args.extent}.json"
    output.parent.mkdir(exist_ok=True)
    quotes = read_quotes(args.quotes) if args.quotes else packaged_quotes()
    wanted = [
        figure for figure in FIGURES if not args.figure or {*args.figure} & {*figure.shows, figure.name}
    ]
    warm_up(quotes)
    for figure in wanted:
        start = perf_counter()
        rows, unheld = run(figure, extent, quotes)
        found = {
            "machine": describe(),
            "quotes": args.quotes.name if args.quotes else "bokeh_sampledata",
            "unheld": unheld,
            "rows": rows,
            "seconds": round(perf_counter() - start, 1),
        }
        save(output, args.extent, extent, figure, found)


def warm_up(quotes: list[Object]) -> None:
    """Compile and import everything, which takes longer than the measured work."""
    list(FIGURES[0].rows(EXTENTS["tiny"], 1, quotes))


def run(
    figure: Comparison, extent: Extent, quotes: list[Object]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return all rows of an experiment, and the reasons of seeds whose budget was too small."""
    rows: list[dict[str, Any]] = []
    unheld: dict[str, str] = {}
    for seed in extent.seeds:
        start = perf_counter()
        try:
            for row in figure.rows(extent, seed, quotes):
                rows.append({"seed": seed, **row})
        except BudgetTooSmallError as reason:
            unheld[str(seed)] = str(reason)
        text = f"{perf_counter() - start:.1f} s {unheld.get(str(seed), '')}"
        print(f"{figure.name}, seed {seed}: {text}", file=sys.stderr, flush=True)
    return rows, unheld


def save(output: Path, name: str, extent: Extent, figure: Comparison, found: dict[str, Any]) -> None:
    """Store an experiment in the file, together with others of the same extent."""
    known: dict[str, Any] = json.loads(output.read_text()) if output.exists() else {}
    sizes = json.loads(json.dumps(asdict(extent)))
    experiments = known.get("experiments", {}) if known.get("sizes") == sizes else {}
    experiments[figure.name] = {"shows": figure.shows, "title": figure.title, "x": figure.x, **found}
    ordered = {each.name: experiments[each.name] for each in FIGURES if each.name in experiments}
    document = {"extent": name, "sizes": sizes, "experiments": ordered}
    output.write_text(
        json.dumps(document, indent=None, separators=(", ", ": ")).replace('{"seed"', '\n{"seed"') + "\n"
    )


if __name__ == "__main__":
    main()
