"""How many requests a second the planner takes, parsing and encoding included; prints JSON.

    .venv/bin/python tests/benchmarks/bench_planner.py --deployed 1000 5000

Each case loads so many subscriptions, then times further ones singly, with the diff taken after each, and
their withdrawal; those that change tables are told apart from those that do not.
"""

import argparse
import json
import platform
import resource
from itertools import product
from time import perf_counter
from typing import Any

from workloads import Filters, fat_tree, random_graph, subscriptions, topic

from tercast.addressing import AddressPlan
from tercast.encoder import encode_dz
from tercast.filters import Filter
from tercast.limits import Limits
from tercast.planner import Planner

DEPTH = 48
PUBLISHERS = 8
GRAPHS = {
    "fat tree": fat_tree,
    "random 60": lambda: random_graph(60),
    "random 300": lambda: random_graph(300),
}


def planner_for(network: dict[str, Any], attributes: int, cells: int) -> Planner:
    """A planner that knows the network, the topic, and advertisements of everything."""
    planner = Planner(AddressPlan.default("ipv6"), Limits(max_dz_length=DEPTH, max_dz_per_filter=cells))
    setup = [
        {
            "op": f"add_{kind[:-1] if kind != 'switches' else 'switch'}",
            kind[:-1] if kind != "switches" else "switch": row,
        }
        for kind in ("switches", "links", "hosts")
        for row in network[kind]
    ]
    indexed = [row["name"] for row in topic(attributes)["attributes"]]
    setup.append({"op": "add_topic", "topic": {**topic(attributes), "indexed": indexed}})
    setup += [
        {"op": "advertise", "id": f"a{n}", "host": host["id"], "topic": "t", "filter": ""}
        for n, host in enumerate(network["hosts"][:PUBLISHERS])
    ]
    for outcome in planner.apply_all(setup):
        assert outcome.ok, outcome
    planner.take_diff()
    return planner


def timed(planner: Planner, requests: list[dict[str, Any]]) -> dict[str, Any]:
    """Rates of single requests, those that change tables and those that do not apart."""
    spent = {"changing": [0, 0.0], "covered": [0, 0.0]}
    changes = 0
    for request in requests:
        start = perf_counter()
        planner.apply(request)
        made = len(planner.take_diff())
        kind = spent["changing" if made else "covered"]
        kind[0] += 1
        kind[1] += perf_counter() - start
        changes += made
    total = sum(seconds for _, seconds in spent.values())
    rates = {name: round(count / seconds) if count else None for name, (count, seconds) in spent.items()}
    return {"requests_per_s": round(len(requests) / total), **rates, "changes_per_s": round(changes / total)}


def case(graph: str, kind: str, attributes: int, cells: int, deployed: int, singles: int) -> dict[str, Any]:
    """One row of the result."""
    network = GRAPHS[graph]()
    planner = planner_for(network, attributes, cells)
    hosts = [host["id"] for host in network["hosts"]]
    requests = subscriptions(Filters(kind, attributes, 1), hosts, deployed + singles)
    start = perf_counter()
    planner.apply_all(requests[:deployed])
    planner.take_diff()
    loaded = perf_counter() - start
    start = perf_counter()
    known = planner.topics["t"]
    for request in requests[deployed:]:
        encode_dz(Filter.parse(request["filter"], known), DEPTH, cells)
    encoding = perf_counter() - start
    subscribe = timed(planner, requests[deployed:])
    unsubscribe = timed(planner, [{"op": "unsubscribe", "id": r["id"]} for r in requests[deployed:]])
    return {
        "graph": graph,
        "filters": kind,
        "attributes": attributes,
        "cells": cells,
        "deployed": deployed,
        "entries": sum(planner.counts().values()),
        "batch_requests_per_s": round(deployed / loaded),
        "subscribe": subscribe,
        "unsubscribe": unsubscribe,
        "parse_and_encode_us": round(encoding / singles * 1e6, 1),
    }


def main() -> None:
    """Run the cases that the arguments name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=["fat tree"])
    parser.add_argument("--filters", nargs="+", choices=("zipf", "uniform"), default=["zipf", "uniform"])
    parser.add_argument("--attributes", nargs="+", type=int, default=[5])
    parser.add_argument("--cells", nargs="+", type=int, default=[4, 16])
    parser.add_argument("--deployed", nargs="+", type=int, default=[1000])
    parser.add_argument("--singles", type=int, default=500)
    args = parser.parse_args()
    cases = product(args.graphs, args.filters, args.attributes, args.cells, args.deployed)
    rows = [case(*row, args.singles) for row in cases]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"python": platform.python_version(), "peak_mib": peak, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
