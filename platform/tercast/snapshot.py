"""A planner's state as JSON, and back.

Registrations, trees and who is in which tree are kept; tables, which follow from these, are built anew. What
`take_diff` has not taken yet is not part of a snapshot: take the diff first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tercast.addressing import AddressPlan
from tercast.aggregation.covers import network_covers_json, read_network_covers
from tercast.aggregation.keeper import NONE_METHOD
from tercast.dz import DzSet, parse, text
from tercast.eventspace import Topic
from tercast.forest import Forest
from tercast.limits import Limits
from tercast.planner import Planner
from tercast.registry import ADVERTISEMENT, Registration
from tercast.topic_plan import Claim, TopicPlan
from tercast.topology import Topology
from tercast.topology_json import read_topology
from tercast.trees import Tree

FORMAT = "planner/1"


def take_snapshot(planner: Planner) -> dict[str, Any]:
    """The state of `planner`; equal states give equal snapshots."""
    plans = planner.plans
    return {
        "format": FORMAT,
        "address": planner.address.to_json(),
        "limits": planner.limits.to_json(),
        "enforce_budgets": planner.enforce_budgets,
        "applied": planner.applied,
        "next_seq": planner.registry.next_seq,
        "next_tree": planner.network.next_tree,
        "topology": planner.topology.to_json(),
        "down": _down(planner.topology),
        **_own_standby_json(planner.topology),
        "topics": [topic.to_json() for topic in planner.topics.values()],
        "live": [_registration_json(registration) for registration in planner.registry.live.values()],
        "trees": [_tree_json(tree, plan) for plan in plans for tree in plan.trees()],
        "pieces": {
            ad: [[tree.number, _texts(map(plan.order.dz, keys))] for tree, keys in claim.pieces]
            for plan in plans
            for ad, claim in sorted(plan.claims.items())
        },
        **_aggregation_json(planner),
    }


def restore_planner(data: Mapping[str, Any]) -> Planner:
    """The planner whose snapshot `data` is."""
    if data.get("format") != FORMAT:
        raise ValueError(f"a snapshot of format {data.get('format')!r}; this version reads {FORMAT!r}")
    address = AddressPlan.from_json(data["address"])
    planner = Planner(
        address,
        Limits.from_json(data["limits"]),
        _topology(data, address.family),
        [Topic.from_json(topic) for topic in data["topics"]],
        data["enforce_budgets"],
    )
    planner.applied = data["applied"]
    registrations = [_read_registration(row) for row in data["live"]]
    for registration in registrations:
        planner.registry.register(registration)
    planner.registry.next_seq = data["next_seq"]
    _restore_trees(planner, data)
    for registration in registrations:
        if registration.kind != ADVERTISEMENT:
            planner.plan(registration.topic).subscribe(registration.host, registration.dz)
    planner.queue.settle()
    planner.network.next_tree = data["next_tree"]
    aggregation = data.get("aggregation")
    if aggregation is not None:
        planner.keeper.restore(aggregation["method"], read_network_covers(aggregation["covers"]))
    planner.take_diff()
    planner.queue.take_marked()
    return planner


def _restore_trees(planner: Planner, data: Mapping[str, Any]) -> None:
    """Trees with their links, then every advertisement into its trees."""
    network = planner.network
    trees: dict[int, tuple[Tree, Forest]] = {}
    links = {(link.a, link.a_port): link for link in planner.topology.all_links()}
    for row in data["trees"]:
        plan = planner.plan(row["topic"])
        tree = Tree(row["number"], row["root"])
        forest = plan.forest_of(tree.root)
        forest.trees[tree.number] = tree
        plan.lay_out(tree, frozenset(links[switch, port] for switch, port in row["links"]))
        trees[tree.number] = tree, forest
    for registration in planner.registry.advertisements():
        plan = planner.plan(registration.topic)
        plan.note_advertised(registration.dz)
        pieces = data["pieces"].get(registration.id)
        if pieces:
            forest = trees[pieces[0][0]][1]
            claim = Claim(
                forest, tuple((trees[number][0], plan.keys(_cells(cells))) for number, cells in pieces)
            )
            plan.claim(registration.id, registration.host, claim)
    planner.queue.settle()
    network.load = +network.load


def _aggregation_json(planner: Planner) -> dict[str, Any]:
    """The policy and all covers; nothing where there is neither."""
    covers = network_covers_json(planner.keeper.covers())
    if planner.keeper.method == NONE_METHOD and not covers:
        return {}
    return {"aggregation": {"method": planner.keeper.method, "covers": covers}}


def _own_standby_json(topology: Topology) -> dict[str, Any]:
    """Which of its standby places each host has moved to; nothing where none has."""
    places = {host.id: host.own_standby for host in topology.hosts.values() if host.own_standby is not None}
    return {"own_standby": places} if places else {}


def _down(topology: Topology) -> dict[str, Any]:
    return {
        "switches": sorted(topology.down_switches),
        "links": sorted([link.a, link.a_port] for link in topology.down_links),
        "ports": sorted([switch, port] for switch, port in topology.down_ports),
    }


def _topology(data: Mapping[str, Any], family: str) -> Topology:
    topology = read_topology(data["topology"], family)
    for name, index in data.get("own_standby", {}).items():
        topology.hosts[name] = topology.hosts[name].with_own_standby(index)
    down = data["down"]
    topology.down_switches = set(down["switches"])
    topology.down_links = {topology.links[switch, port] for switch, port in down["links"]}
    topology.down_ports = {(switch, port) for switch, port in down["ports"]}
    return topology


def _registration_json(registration: Registration) -> list[Any]:
    return [
        registration.seq,
        registration.kind,
        registration.id,
        registration.host,
        registration.topic,
        registration.filter,
        _texts(registration.dz),
    ]


def _read_registration(row: list[Any]) -> Registration:
    seq, kind, name, host, topic, filter_text, cells = row
    return Registration(seq, kind, name, host, topic, filter_text, _cells(cells))


def _tree_json(tree: Tree, plan: TopicPlan) -> dict[str, Any]:
    links = sorted([link.a, link.a_port] for link in tree.links)
    return {"number": tree.number, "topic": plan.topic.name, "root": tree.root, "links": links}


def _texts(cells: Iterable[int]) -> list[str]:
    return [text(dz) for dz in cells]


def _cells(texts: Iterable[str]) -> DzSet:
    return tuple(parse(cell) for cell in texts)
