"""Redoes figures 5(a) to 5(l) of Bhowmik et al. (DEBS 2017) with all methods; writes JSON.

    make bench-aggregation                                  # the quick size, all figures
    make bench-aggregation ARGS="--full --figure 5b 5l -o /tmp/full.json"
    make bench-aggregation ARGS="--quotes FILE.csv --figure 5k"

Experiments that are already in the output file are done anew where they are asked for and kept otherwise.
Pictures and the tables of docs/aggregation-figures.md are drawn from the file by aggregation_page.py.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from aggregation_figures import EXTENTS, FIGURES, Extent, Figure
from aggregation_trial import Unheld
from aggregation_workloads import Object, packaged_quotes, read_quotes
from bench_machine import describe

RESULTS = Path(__file__).resolve().parent / "results"


def main() -> None:
    """Run the experiments of the figures that were asked for."""
    args = _parser().parse_args()
    extent = EXTENTS[args.extent]
    if args.seeds:
        extent = replace(extent, seeds=tuple(args.seeds))
    output = args.output or RESULTS / f"aggregation-{args.extent}.json"
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
    """Let everything be compiled and imported, which takes longer than what is to be timed."""
    list(FIGURES[0].rows(EXTENTS["tiny"], 1, quotes))


def run(figure: Figure, extent: Extent, quotes: list[Object]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """All rows of an experiment, with all seeds; and why seeds stopped that met too small a budget."""
    rows: list[dict[str, Any]] = []
    unheld: dict[str, str] = {}
    for seed in extent.seeds:
        start = perf_counter()
        try:
            for row in figure.rows(extent, seed, quotes):
                rows.append({"seed": seed, **row})
        except Unheld as reason:
            unheld[str(seed)] = str(reason)
        told = f"{perf_counter() - start:.1f} s {unheld.get(str(seed), '')}"
        print(f"{figure.name}, seed {seed}: {told}", file=sys.stderr, flush=True)
    return rows, unheld


def save(output: Path, name: str, extent: Extent, figure: Figure, found: dict[str, Any]) -> None:
    """Put an experiment into the file, beside what is there of the same extent."""
    known: dict[str, Any] = json.loads(output.read_text()) if output.exists() else {}
    sizes = json.loads(json.dumps(asdict(extent)))
    experiments = known.get("experiments", {}) if known.get("sizes") == sizes else {}
    experiments[figure.name] = {"shows": figure.shows, "title": figure.title, "x": figure.x, **found}
    ordered = {each.name: experiments[each.name] for each in FIGURES if each.name in experiments}
    document = {"extent": name, "sizes": sizes, "experiments": ordered}
    output.write_text(
        json.dumps(document, indent=None, separators=(", ", ": ")).replace('{"seed"', '\n{"seed"') + "\n"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sizes = parser.add_mutually_exclusive_group()
    for name in EXTENTS:
        sizes.add_argument(f"--{name}", dest="extent", action="store_const", const=name)
    names = [name for figure in FIGURES for name in (*figure.shows, figure.name)]
    parser.add_argument("--figure", nargs="+", choices=names, metavar="FIGURE", help=", ".join(names))
    parser.add_argument("--quotes", type=Path, help="CSV of stock quotes instead of the packaged ones")
    parser.add_argument("-o", "--output", type=Path, help="the JSON file")
    parser.add_argument("--seeds", nargs="+", type=int, metavar="SEED", help="other seeds than the size has")
    parser.set_defaults(extent="quick")
    return parser


if __name__ == "__main__":
    main()
