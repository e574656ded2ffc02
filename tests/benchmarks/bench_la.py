"""Measure what immediate aggregation (LA) adds to a request; print JSON, progress on standard error.

    PYTHONPATH=platform:tests/benchmarks .venv/bin/python tests/benchmarks/bench_la.py [--quick] [-o FILE]
    PYTHONPATH=platform:tests/benchmarks .venv/bin/python tests/benchmarks/bench_la.py --page [-o FILE]

With `--page` nothing is measured: the results are put into the table of docs/algorithms.md.

The workloads are those of the figures on aggregation (eight trees, 4,402 hosts, filters of one to four dz)
and harder ones. In these, eight publishers advertise everything, or an eighth of the space each (eight
trees). Subscribers at all switches subscribe one at a time, around hot spots or (`uniform`) narrowly
anywhere, so that tables have tens of thousands of exact entries. The same requests go through a planner
without budgets, and through one whose switches have at most `budget` entries. `la_us` is the CPU time that
the second spends on installed tables, as the mean over all requests: to follow exact entries, and to merge.
`la_us_per_switch` divides it by the number of switches where a request merged something.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

import bench_machine

from mininet_labs.figures.workloads.aggregation import Synthetic, random_network
from mininet_labs.figures.workloads.synthetic import (
    Filters,
    eighths,
    everything,
    random_graph,
    subscriptions,
    topic,
)
from tercast.encoding.limits import Limits
from tercast.encoding.request_encoding import encode_text
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.planner.planner import Planner
from tercast.requests.model import Request, Subscribe
from tercast.topology.reader import read_topology

DEPTH, CELLS = 48, 8
HOSTS, MOST_CELLS = 4402, 50
"""Sizes of the figures."""

Case = tuple[str, int, int, int, int]
"""Kind of filters, switches, subscriptions, budget, trees."""

Load = tuple[dict[str, Any], list[dict[str, Any]], list[Request]]
"""A network, its advertisements, and subscriptions with their dz."""

QUICK: list[Case] = [
    ("zipf", 60, 1_500, 100, 1),
    ("zipf", 60, 1_500, 100, 8),
    ("uniform", 60, 300, 100, 1),
    ("figures, zipf", 60, 1_500, 75, 8),
]
FULL: list[Case] = [
    *((f"figures, {kind}", 300, 15_000, budget, 8) for kind in ("uniform", "zipf") for budget in (75, 600)),
    *(("zipf", 300, 15_000, budget, trees) for budget in (50, 100, 300) for trees in (1, 8)),
    *(("uniform", 300, 3_000, budget, 1) for budget in (100, 600)),
]


def main() -> None:
    """Measure and print."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("-o", "--output", type=Path, help="output file (default: standard output)")
    parser.add_argument("--page", action="store_true", help="only fill the table of the page")
    parser.add_argument("--quick", action="store_true", help="60 switches, fewer subscriptions")
    args = parser.parse_args()
    if args.page:
        fill(json.loads((args.output or RESULTS).read_text())["la"])
        return
    rows = [measure(*case) for case in (QUICK if args.quick else FULL)]
    bench_machine.write_result({"machine": bench_machine.describe(), "la": rows}, args.output)


def measure(kind: str, switches: int, number: int, budget: int, trees: int) -> dict[str, Any]:
    """Measure a network with one budget for all switches."""
    network, ads, encoded = (_figures if kind.startswith("figures") else _hard)(kind, switches, number, trees)
    exact, bounded = _planner(network, None), _planner(network, budget)
    bounded.apply({"op": "set_aggregation", "method": "la"})
    for planner in (exact, bounded):
        planner.apply_all(ads)
    seconds, _ = _run(exact, encoded)
    spent = _Clock(bounded)
    with_la, failed = _run(bounded, encoded)
    counts = sorted(exact.exact_counts().values())
    row = {
        "filters": kind,
        "switches": switches,
        "subscriptions": number,
        "trees": trees,
        "budget": budget,
        "largest_exact": counts[-1],
        "exact_entries": sum(counts),
        "installed_entries": sum(bounded.counts().values()),
        "switches_over_budget": sum(count > budget for count in counts),
        "failed": failed,
        "exact_us": round(1e6 * seconds / number, 1),
        "with_la_us": round(1e6 * with_la / number, 1),
        "la_us": round(1e6 * spent.seconds / number, 1),
        "la_us_per_switch": round(1e6 * spent.seconds / max(1, spent.switches), 1),
        "requests_that_overflow": spent.calls,
    }
    print(row, file=sys.stderr)
    return row


def _figures(kind: str, switches: int, number: int, trees: int) -> Load:
    """Return the random graph of the figures, at full size with 300 switches."""
    network, workload = (
        random_network(switches, HOSTS * switches // 300),
        Synthetic(kind.rpartition(" ")[2], 1),
    )
    hosts = [host["id"] for host in network["hosts"]]
    requests = list(islice(workload.subscriptions(hosts), number))
    return network, workload.advertisements(hosts)[:trees], _encoded(requests, MOST_CELLS)


def _hard(kind: str, switches: int, number: int, trees: int) -> Load:
    network = random_graph(switches)
    hosts = [host["id"] for host in network["hosts"]]
    ads = eighths(hosts) if trees > 1 else [everything(host, n) for n, host in enumerate(hosts[:8])]
    return network, ads, _encoded(subscriptions(Filters(kind, 5, 1), hosts, number), CELLS)


def _encoded(requests: list[dict[str, Any]], most: int) -> list[Request]:
    """Return the requests with their dz, so that encoding is not measured."""
    space = Topic.from_json(topic(5))
    return [
        Subscribe(one["id"], one["host"], one["topic"], None, encode_text(one["filter"], space, DEPTH, most))
        for one in requests
    ]


def _run(planner: Planner, requests: list[Request]) -> tuple[float, int]:
    """Return the CPU seconds, and the number of failed requests."""
    failed = 0
    seconds = 0.0
    gc.collect()
    gc.disable()
    for request in requests:
        start = process_time()
        outcome = planner.apply(request)
        seconds += process_time() - start
        planner.take_diff()
        failed += not outcome.ok
    gc.enable()
    return seconds, failed


class _Clock:
    """Measures the calls of `settle` of a planner's installed tables."""

    def __init__(self, planner: Planner) -> None:
        self.seconds = 0.0
        self.calls = 0
        self.switches = 0
        budget_enforcer = planner.budget_enforcer
        settle: Callable[..., Any] = type(budget_enforcer).settle

        def timed(*args: Any) -> Any:
            start = process_time()
            step = settle(budget_enforcer, *args)
            self.seconds += process_time() - start
            self.calls += bool(step.undo)
            self.switches += len({table.trie.site for table, _, _ in step.undo})
            return step

        class Timed(type(budget_enforcer)):  # type: ignore[misc]
            __slots__ = ()
            settle = staticmethod(timed)

        budget_enforcer.__class__ = Timed


def _planner(network: dict[str, Any], budget: int | None) -> Planner:
    bounded = {**network, "switches": [{**one, "tcam_budget": budget} for one in network["switches"]]}
    return Planner(
        AddressPlan.default("ipv6"),
        Limits(max_dz_length=DEPTH, max_dz_per_filter=MOST_CELLS),
        read_topology(bounded, "ipv6"),
        [Topic.from_json(topic(5))],
    )


RESULTS = Path(__file__).resolve().parent / "results" / "la.json"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "algorithms.md"
_PLACE = re.compile(r"(<!-- table: la -->\n).*?(<!-- end -->\n)", re.DOTALL)
_COLUMNS = (
    "filters",
    "subscriptions",
    "budget",
    "switches over it",
    "exact entries, largest table",
    "planning",
    "LA",
    "LA, a switch that merges",
)


def fill(rows: list[dict[str, Any]]) -> None:
    """Put the results into the page."""
    lines = [_COLUMNS, ["---"] * len(_COLUMNS), *map(_cells, rows)]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    PAGE.write_text(_PLACE.sub(lambda found: found[1] + table + found[2], PAGE.read_text()))


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        row["filters"] + (", 8 trees" if row["trees"] > 1 else ""),
        f"{row['subscriptions']:,}",
        f"{row['budget']}",
        f"{row['switches_over_budget']}",
        f"{row['exact_entries']:,}, {row['largest_exact']:,}",
        *(f"{row[name]:,.0f} us" for name in ("exact_us", "la_us", "la_us_per_switch")),
    ]


if __name__ == "__main__":
    main()
