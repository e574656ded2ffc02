"""Requests with a realistic mix of filters, compared with conjunctions of the same topic.

    .venv/bin/python tests/benchmarks/bench_mix.py > tests/benchmarks/results/mix.json

Times are processor time, because other work may share the machine. The ratio of two rates of one run is the
result; rates are for this machine.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from itertools import count
from statistics import median, quantiles
from time import process_time
from typing import Any

import bench_machine
from bench_child import in_child, log
from bench_extent import DEPTH, GRAPHS, PUBLISHERS
from bench_planners import BATCH, carry_out, use_kernels

from mininet_labs.figures.workloads.mixed import SHARE, MixedFilters, mixed_topic
from mininet_labs.figures.workloads.synthetic import construction, everything, subscriptions
from tercast.encoding.limits import Limits
from tercast.encoding.request_encoding import encode_text
from tercast.eventspace.address_plan import AddressPlan
from tercast.planner.planner import Planner

ATTRIBUTES = 5
CASES = (("fat tree", 4), ("fat tree", 16), ("random 300", 4), ("random 300", 16))
SHARES = {"conjunctions": 0.0, "mix": SHARE}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure all cases, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deployed", type=int, default=25_000, help="subscriptions before the measurement")
    parser.add_argument("--singles", type=int, default=2_000, help="measured single requests")
    args = parser.parse_args(arguments)
    result: dict[str, Any] = {"format": "bench-mix/1", "machine": bench_machine.describe(), "rows": []}
    for graph, cells in CASES:
        rows = {
            name: in_child(measure_case, graph, cells, share, args.deployed, args.singles)
            for name, share in SHARES.items()
        }
        log(f"{graph}, {cells} dz: {json.dumps(rows)}")
        ratios = {
            key: round(rows["mix"][key] / rows["conjunctions"][key], 2)
            for key in ("subscribe_per_s", "batch_per_s")
        }
        result["rows"].append({"graph": graph, "cells": cells, **rows, "mix_to_conjunctions": ratios})
    print(json.dumps(result, indent=1))
    return 0


def measure_case(graph: str, cells: int, share: float, deployed: int, singles: int) -> dict[str, Any]:
    """Deploy subscriptions in batches, then measure single ones and a last batch."""
    use_kernels("compiled")
    network = GRAPHS[graph]()
    hosts = [host["id"] for host in network["hosts"]]
    planner = _planner(network, cells)
    carry_out(planner, [everything(host, n) for n, host in enumerate(hosts[:PUBLISHERS])])
    filters, numbers = MixedFilters(ATTRIBUTES, 1, share), count()

    def requests(number: int) -> list[dict[str, Any]]:
        return subscriptions(filters, hosts, number, next(numbers) * 1_000_000)  # type: ignore[arg-type]

    for _ in range(0, deployed, BATCH):
        carry_out(planner, requests(min(BATCH, deployed)))
        planner.take_diff()
    times, unchanging = [], []
    for request in requests(singles):
        start = process_time()
        outcome = planner.apply(request)
        changes = len(planner.take_diff())
        took = process_time() - start
        assert outcome.ok, (request, outcome)
        times.append(took)
        if not changes:
            unchanging.append(took)
    batch = requests(BATCH)
    start = process_time()
    carry_out(planner, batch)
    planner.take_diff()
    in_batch = process_time() - start
    texts = [request["filter"] for request in requests(singles)]
    random.Random(1).shuffle(texts)
    start = process_time()
    for text in texts:
        encode_text(text, planner.topics["t"], DEPTH, cells)
    encoding = process_time() - start
    p50, p99 = median(unchanging), quantiles(unchanging, n=100)[98]
    return {
        "subscribe_per_s": round(len(times) / sum(times)),
        "batch_per_s": round(BATCH / in_batch),
        "parse_and_encode_us": round(encoding / len(texts) * 1e6, 1),
        "unchanging": len(unchanging),
        "unchanging_p50_us": round(p50 * 1e6, 1),
        "unchanging_p99_us": round(p99 * 1e6, 1),
        "p99_to_p50": round(p99 / p50, 1),
    }


def _planner(network: dict[str, Any], cells: int) -> Planner:
    planner = Planner(AddressPlan.default("ipv6"), Limits(max_dz_length=DEPTH, max_dz_per_filter=cells))
    *others, _ = construction(network, ATTRIBUTES)
    topic = mixed_topic(ATTRIBUTES)
    indexed = [row["name"] for row in topic["attributes"]]
    carry_out(planner, [*others, {"op": "add_topic", "topic": {**topic, "indexed": indexed}}])
    planner.take_diff()
    return planner


if __name__ == "__main__":
    sys.exit(main())
