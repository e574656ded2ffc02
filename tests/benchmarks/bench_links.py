"""Distribution of load over links: trees of the planner, compared with one spanning tree."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench_child import in_child, log
from bench_extent import DEPTH, GRAPHS, Extent
from bench_planners import carry_out, use_kernels

from mininet_labs.figures.workloads.synthetic import DOMAIN, eighths, everything, topic
from tercast.offline.plan_file import plan_json, read_plan
from tercast.offline.scenario import read_scenario
from tercast.offline.simulate_plan import PlanSimulator
from tercast.planner.planner import Planner

Link = dict[str, Any]

ATTRIBUTES = 2
WAYS = {"trees": 64, "one_tree": 1}


def measure(extent: Extent) -> list[dict[str, Any]]:
    """Return a row for each graph."""
    rows = []
    for graph in extent.link_graphs:
        row = in_child(measure_graph, graph, extent.link_events)
        trees, one = row["trees"], row["one_tree"]
        log(
            f"links: {graph}: highest to mean {trees['events']['highest_to_mean']} in events, "
            f"{one['events']['highest_to_mean']} with one tree"
        )
        rows.append(row)
    return rows


def measure_graph(graph: str, events: int) -> dict[str, Any]:
    """Measure eight publishers of disjoint eighths, with hosts that all subscribe to everything."""
    use_kernels("compiled")
    return {"graph": graph, **{name: _load(graph, limit, events) for name, limit in WAYS.items()}}


def _load(graph: str, max_trees: int, events: int) -> dict[str, Any]:
    scenario_json = _scenario(graph, max_trees)
    scenario = read_scenario(scenario_json)
    beginning = scenario.beginning()
    planner = Planner(scenario.address, scenario.limits, beginning.topology, beginning.topics.values())
    carry_out(planner, scenario_json["requests"])
    simulator = PlanSimulator(scenario, read_plan(plan_json(planner)))
    for event in _events(events):
        simulator.take(event)
    assert simulator.counts.holds
    names = {}
    links = scenario_json["topology"]["links"]
    for number, link in enumerate(links):
        names[link["a"], link["a_port"]] = names[link["b"], link["b_port"]] = number
    entries: Counter[int] = Counter()
    for switch, table in planner.tables().items():
        for entry in table:
            outputs = ((switch, getattr(action, "port", None)) for action in entry.actions)
            entries.update(names[port] for port in outputs if port in names)
    copies: Counter[int] = Counter()
    for port, count in simulator.counts.copies.items():
        copies[names[port]] += count
    free = [number for number, link in enumerate(links) if not _is_bridge(links, link)]
    forced = _forced(links, [host["switch"] for host in scenario_json["topology"]["hosts"][:8]])
    chosen = [number for number in free if number not in forced]
    return {
        "trees": len(planner.trees()),
        "links": len(links),
        "bridges": len(links) - len(free),
        "forced": len(links) - len(chosen),
        "full": sum(1 for number in range(len(links)) if copies[number] == events),
        "entries": _spread(entries, range(len(links)), free, chosen),
        "events": _spread(copies, range(len(links)), free, chosen),
    }


def _spread(
    load: Counter[int], links: Sequence[int], free: Sequence[int], chosen: Sequence[int]
) -> dict[str, Any]:
    """Return the highest load of a link relative to the mean, including idle links.

    It is computed for all links, for those that are not bridges, and for those that some tree could avoid.
    """
    found: dict[str, Any] = {}
    names = ("highest_to_mean", "highest_to_mean_without_bridges", "highest_to_mean_with_choice")
    for name, some in zip(names, (links, free, chosen), strict=True):
        loads = [load[number] for number in some]
        found[name] = round(max(loads) * len(loads) / sum(loads), 2)
    return {**found, "idle_links": sum(1 for number in links if not load[number])}


def _forced(links: Sequence[Link], roots: Sequence[str]) -> set[int]:
    """Return the links that every tree of shortest paths from one of `roots` contains."""
    adjacent: dict[str, list[tuple[str, int]]] = {}
    for number, link in enumerate(links):
        adjacent.setdefault(link["a"], []).append((link["b"], number))
        adjacent.setdefault(link["b"], []).append((link["a"], number))
    needed = []
    for root in roots:
        distance, order = {root: 0}, [root]
        for switch in order:
            for far, _ in adjacent[switch]:
                if far not in distance:
                    distance[far] = distance[switch] + 1
                    order.append(far)
        ways = [[n for far, n in adjacent[s] if distance[far] < distance[s]] for s in order]
        needed.append({way[0] for way in ways if len(way) == 1})
    return set.intersection(*needed)


def _is_bridge(links: Sequence[Link], gone: Link) -> bool:
    """Whether the network is not connected without a link, so that every tree needs it."""
    adjacent: dict[str, list[str]] = {}
    for link in links:
        if link is not gone:
            adjacent.setdefault(link["a"], []).append(link["b"])
            adjacent.setdefault(link["b"], []).append(link["a"])
    seen, waiting = {gone["a"]}, [gone["a"]]
    while waiting:
        for far in adjacent.get(waiting.pop(), ()):
            if far not in seen:
                seen.add(far)
                waiting.append(far)
    return gone["b"] not in seen


def _scenario(graph: str, max_trees: int) -> dict[str, Any]:
    network = GRAPHS[graph]()
    hosts = [host["id"] for host in network["hosts"]]
    subscriptions = [
        {**everything(host, n), "op": "subscribe", "id": f"q{n}"} for n, host in enumerate(hosts)
    ]
    return {
        "format": "scenario/1",
        "address": {"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16},
        "limits": {"max_dz_length": DEPTH, "max_dz_per_filter": 16, "max_trees": max_trees},
        "topology": network,
        "topics": [topic(ATTRIBUTES)],
        "requests": [*eighths(hosts), *subscriptions],
    }


def _events(number: int) -> list[dict[str, Any]]:
    """Return events in the whole space, each from the publisher of its eighth."""
    rng = random.Random(5)
    values = [{f"x{n}": rng.randrange(DOMAIN) for n in range(ATTRIBUTES)} for _ in range(number)]
    return [{"publisher": f"a{value['x0'] * 8 // DOMAIN}", "values": value} for value in values]
