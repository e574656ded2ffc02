"""Command lines of the benchmarks that `make` runs; printing help needs only the standard library.

python3.11 tests/benchmarks/bench_options.py NAME --help
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ARTIFACTS = HERE.parents[1] / "artifacts"
"""Folder of results that are not committed."""

SECTIONS = (
    *(
        "switch",
        "planner",
        "pleroma",
        "events",
        "verify",
        "large",
        "links",
        "encoder",
        "controller",
        "stages",
    ),
)
"""Sections of `make bench`, in this order."""

SIZES = ("tiny", "quick", "full")
"""Sizes of the experiments on aggregation."""

FIGURES = (
    *("5a", "5b", "5c", "5d", "5e", "5f", "5g", "5h", "5i", "5j", "5k", "5l", "shares"),
    *("tree-uniform", "tree-zipf", "tree-budgets", "graph-uniform", "graph-zipf", "graph-budgets"),
    *("switches", "sampling", "stocks", "testbed", "shares-tree-zipf", "shares-graph-zipf"),
    *("shares-tree-uniform", "shares-graph-uniform", "sawtooth"),
)
"""Figures on aggregation, by their number in the paper or by name."""

JOBS = (
    *("flow_table_size", "delay", "false_positives", "publisher_load", "request_latency"),
    "dimension_selection",
)
"""Analytics jobs that DuckDB can answer too; `event_samples` and `learned_space` use a hash of Spark."""


SPACES = ("demo", "quotes", "sea", "zipf 16", "zipf 50", "unseen 16", "unseen 50")
"""Workloads of the benchmark of event spaces."""


def of_planner() -> argparse.ArgumentParser:
    """Return the options of `make bench`."""
    parser = _parser("bench_planner", "make bench")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", dest="extent", action="store_const", const="quick", help="two minutes")
    size.add_argument("--tiny", dest="extent", action="store_const", const="tiny", help="seconds; for tests")
    parser.set_defaults(extent="full")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="output file (default: stdout)")
    return parser


def of_aggregation() -> argparse.ArgumentParser:
    """Return the options of `make bench-aggregation`."""
    parser = _parser("bench_aggregation", "make bench-aggregation")
    sizes = parser.add_mutually_exclusive_group()
    for name in SIZES:
        sizes.add_argument(f"--{name}", dest="extent", action="store_const", const=name)
    parser.add_argument("--figure", nargs="+", choices=FIGURES, metavar="FIGURE", help=", ".join(FIGURES))
    parser.add_argument("--quotes", type=Path, help="CSV of stock quotes instead of the packaged ones")
    default = "output file (default artifacts/aggregation-SIZE.json)"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=default)
    parser.add_argument("--seeds", nargs="+", type=int, metavar="SEED", help="seeds (default: by size)")
    parser.set_defaults(extent="quick")
    return parser


def of_analytics() -> argparse.ArgumentParser:
    """Return the options of `make bench-analytics`."""
    parser = _parser("bench_analytics", "make bench-analytics")
    sizes = [1_000_000, 10_000_000]
    parser.add_argument(
        "--events", type=int, nargs="+", default=sizes, metavar="N", help="numbers (default 1 and 10 million)"
    )
    parser.add_argument(
        "--memory", default="1g", help="memory of Spark's driver with its worker (default %(default)s)"
    )
    parser.add_argument(
        "--jobs", nargs="+", choices=JOBS, default=list(JOBS), metavar="JOB", help=", ".join(JOBS)
    )
    parser.add_argument("--keep", metavar="DIR", help="folder of generated telemetry, which is reused")
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="output file (default: standard output)"
    )
    parser.add_argument("--add", action="store_true", help="keep the rows of other jobs and sizes in FILE")
    parser.add_argument("--table", metavar="FILE", help="only print the table of a result")
    return parser


def of_load() -> argparse.ArgumentParser:
    """Return the options of `make bench-load`."""
    parser = _parser("bench_load", "make bench-load")
    defaults = {"clients": 50, "rounds": 10, "streams": 500, "webs": 2, "workers": 2, "burst": 0}
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"(default {default})")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="also write the JSON to this file")
    return parser


def of_space() -> argparse.ArgumentParser:
    """Return the options of `make bench-space`."""
    parser = _parser("bench_space", "make bench-space")
    parser.add_argument("--quick", action="store_true", help="two seeds and 1,000 events")
    parser.add_argument(
        "--events",
        type=int,
        default=8_000,
        metavar="N",
        help="events of choice and evaluation (default 8000)",
    )
    parser.add_argument(
        "--cuts", type=int, default=1_024, metavar="N", help="maximum learned cuts (default 1024)"
    )
    parser.add_argument("--only", nargs="+", choices=SPACES, metavar="CASE", help=", ".join(SPACES))
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="output file (default: stdout)")
    return parser


PARSERS: dict[str, Callable[[], argparse.ArgumentParser]] = {
    "planner": of_planner,
    "aggregation": of_aggregation,
    "analytics": of_analytics,
    "load": of_load,
    "space": of_space,
}


def main(arguments: Sequence[str]) -> int:
    """Print the help of the benchmark that the first argument names."""
    PARSERS[arguments[0]]().parse_args(arguments[1:])
    return 0


def _parser(module: str, program: str) -> argparse.ArgumentParser:
    """Return a parser that describes the program with the docstring of its module."""
    text = ast.get_docstring(ast.parse((HERE / f"{module}.py").read_text(encoding="utf-8")))
    form = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(prog=program, description=text, formatter_class=form)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
