"""One plan of a federation: the tables of all switches, and trees over all partitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tercast.eventspace.dz import Dz, DzSet, canonical, difference, intersection, set_overlaps, text
from tercast.federation.exchange.exchanged_sets import ordered
from tercast.federation.partition import Partition
from tercast.federation.tree.offers import MAX_PATH
from tercast.federation.world.division import BorderLink
from tercast.federation.world.federated_world import FederatedWorld, WorldOptions
from tercast.federation.world.federation_checks import is_settled
from tercast.offline.plan_check import component_of_host
from tercast.offline.plan_file import FORMAT, FailedRequest, encodings_json
from tercast.offline.run_scenario import SwitchBudgets, fixed_budgets, refuse_excess, take_requests
from tercast.offline.scenario import Scenario
from tercast.planner.reachability import unreachable_pairs, waiting
from tercast.requests.model import SetBudget
from tercast.requests.outcome import TreeView
from tercast.requests.registry import ADVERTISEMENT
from tercast.routing.cell_keys import Order
from tercast.runtime.json_files import FileRefused
from tercast.runtime.latency_stats import Timing
from tercast.topology.elements import LinkEnds
from tercast.verification.forwarding import ForwardingModel

LONGEST = 120.0
"""Virtual seconds until which a federation without faults is at rest."""

METHODS = ("none", "la")
"""Aggregation methods that need no past events of the whole network."""


@dataclass(slots=True)
class FederatedRun:
    """A federation at rest after the requests of a scenario."""

    world: FederatedWorld
    failed: dict[str, FailedRequest] = field(default_factory=dict)
    timing: Timing = field(default_factory=Timing)


def run_federation(
    name: str, scenario: Scenario, method: str = "none", budgets: SwitchBudgets | None = None
) -> FederatedRun:
    """Carry out the requests of the scenario in the file `name`; wait for all exchanges.

    Raises:
        FileRefused: a request or a set of a neighbour is refused, or the method needs past events.
    """
    if method not in METHODS:
        raise FileRefused([f'{name}: partitions support the methods {" and ".join(METHODS)}, not "{method}"'])
    run = FederatedRun(FederatedWorld(scenario, WorldOptions(), method))
    fixed = fixed_budgets(run.world.truth, budgets or {})
    for switch, budget in fixed.items():
        run.world.request(SetBudget(switch, budget))
    take_requests(name, scenario, fixed, run, lambda request: (run.world.request(request), 0))
    if settle(run.world) is None:
        raise unrest(name, run.world)
    for partition in run.world.partitions.values():
        refuse_excess(name, partition.planner, method)
    return run


def settle(world: FederatedWorld, longest: float = LONGEST) -> float | None:
    """Let time pass until rest; return the seconds, or None after the longest time."""
    start = world.time.now
    while not is_settled(world):
        if world.time.now - start >= longest:
            return None
        world.run_until(world.time.now + 0.25)
    return world.time.now - start


def unrest(name: str, world: FederatedWorld, advice: str = "") -> FileRefused:
    """Return the reasons why the partitions of the scenario in the file `name` are not at rest."""
    reasons = [
        f"{name}: partition {partition.name} cannot accept the {set_name.kind} cells of topic "
        f"{set_name.topic} beyond {border}: {reason}"
        for partition, border, set_name, reason in _refusals(world)
    ]
    parts = sum(len(partition.nodes.nodes) for partition in world.partitions.values())
    if not reasons and parts > MAX_PATH:
        reasons = [
            f"{name}: the partitions have {parts} separate parts, and a path has at most {MAX_PATH}; "
            "name partitions whose switches have links between them"
        ]
    rule = f"{name}: the partitions still exchange changes after {LONGEST:g} virtual seconds{advice}"
    return FileRefused(reasons or [rule])


def federated_plan_json(run: FederatedRun) -> dict[str, Any]:
    """Write the state of all partitions as one plan."""
    world = run.world
    truth, model = world.truth, ForwardingModel(world.truth.topology)
    live, order = truth.live, Order(world.scenario.address.dz_room)

    pending: list[str] = []
    pairs: list[tuple[str, str]] = []
    for topic in truth.topics:
        mine = [one for one in live.values() if one.topic == topic]
        ads = canonical(dz for one in mine if one.kind == ADVERTISEMENT for dz in one.dz)
        subs = [one for one in mine if one.kind != ADVERTISEMENT]
        pending += waiting(subs, lambda cells, ads=ads: set_overlaps(ads, cells))  # type: ignore[misc]
        pairs += unreachable_pairs(mine, order, partial(component_of_host, model))
    flows: dict[str, Any] = {}
    for switch in truth.topology.switches:
        table = world.partitions[world.divided.partition_of[switch]].planner.table(switch)
        if table:
            flows[switch] = [entry.to_json() for entry in table]
    return {
        "format": FORMAT,
        "encodings": encodings_json({name: one.dz for name, one in live.items()}),
        "trees": [tree.to_json() for tree in joint_trees(world, model)],
        "flows": flows,
        "pending": sorted(pending, key=lambda one: live[one].seq),
        "unreachable": [list(pair) for pair in pairs],
        "failed": [failure.to_json() for failure in run.failed.values()],
        "federation": federation_json(world),
    }


def federation_json(world: FederatedWorld) -> dict[str, Any]:
    """Write the partitions, the open borders, the exported sets and the number of messages."""
    sets: dict[str, Any] = {}
    for partition in world.partitions.values():
        for border, peer in partition.peers.items():
            for name, outgoing in sorted(peer.outgoing.items()):
                if outgoing.cells:
                    kinds = sets.setdefault(border.removeprefix("border:"), {}).setdefault(name.topic, {})
                    kinds[name.kind] = [text(dz) for dz in ordered(outgoing.cells)]
    return {
        "partitions": list(world.partitions),
        "open": [
            [one.link.a, one.link.a_port, one.link.b, one.link.b_port]
            for one in world.divided.border_links
            if _is_open(world, one)
        ],
        "sets": sets,
        "messages": sum(world.sent.values()),
    }


def joint_trees(world: FederatedWorld, model: ForwardingModel) -> list[TreeView]:
    """Return the trees over all partitions: one for each combination of the partitions' trees."""
    views: list[TreeView] = []
    for topic in world.truth.topics:
        by_component: dict[int, list[tuple[Partition, TreeView]]] = {}
        for partition in world.partitions.values():
            for tree in partition.planner.trees():
                if tree.topic == topic:
                    root = _real_root(partition, tree)
                    by_component.setdefault(model.components[root], []).append((partition, tree))
        for trees in by_component.values():
            for cells, combined in _combinations(trees):
                partition, first = combined[0]
                edges = tuple(dict.fromkeys(_edges(world, combined)))
                views.append(
                    TreeView(f"t{len(views) + 1}", topic, cells, _real_root(partition, first), edges)
                )
    return views


def _combinations(
    trees: list[tuple[Partition, TreeView]],
) -> Iterator[tuple[DzSet, list[tuple[Partition, TreeView]]]]:
    """Divide the space that trees own into sets of dz, each with the trees that own all of it."""
    parts: list[tuple[DzSet, list[int]]] = []
    for i, (_, tree) in enumerate(trees):
        rest = tree.dz
        after: list[tuple[DzSet, list[int]]] = []
        for cells, owners in parts:
            common = intersection(cells, tree.dz)
            rest = difference(rest, common)
            after += [(common, [*owners, i]), (difference(cells, common), owners)]
        parts = [(cells, owners) for cells, owners in (*after, (rest, [i])) if cells]
    merged: dict[tuple[int, ...], list[Dz]] = {}
    for cells, owners in parts:
        merged.setdefault(tuple(owners), []).extend(cells)
    for numbers, found in sorted(merged.items()):
        yield canonical(found), [trees[i] for i in numbers]


def _edges(world: FederatedWorld, combined: Iterable[tuple[Partition, TreeView]]) -> Iterator[LinkEnds]:
    """Yield the edges of combined trees; an edge to a stub becomes the border link."""
    for partition, tree in combined:
        borders = partition.planner.topology.borders
        for ends in tree.edges:
            stub = next((name for name in (ends[0], ends[2]) if name in borders), None)
            if stub is None:
                yield ends
            else:
                link = world.divided.borders[stub].link
                yield link.a, link.a_port, link.b, link.b_port


def _real_root(partition: Partition, tree: TreeView) -> str:
    """Return the root of a tree, or the switch at the border if its root is a stub."""
    borders = partition.planner.topology.borders
    return borders[tree.root][0] if tree.root in borders else tree.root


def _is_open(world: FederatedWorld, one: BorderLink) -> bool:
    return all(world.partitions[name].peers[border].session is not None for name, border in one.ends)


def _refusals(world: FederatedWorld) -> Iterator[tuple[Partition, str, Any, str]]:
    for one in world.divided.border_links:
        for name, border in one.ends:
            far, far_border = one.far_end(border)
            for set_name, (_, reason) in world.partitions[name].peers[border].refused.items():
                yield world.partitions[far], far_border, set_name, reason
