"""A planner's state as JSON, and its restoration.

A snapshot contains registrations, trees, and the announcements in each tree. Tables follow from these and are
built again. A snapshot does not contain changes that `take_diff` has not taken, so take the diff first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.planner.snapshot_codec import (
    cells_of,
    read_network,
    read_registration,
    registration_json,
    texts,
    topology_json,
)
from tercast.planner.snapshot_migration import leaving_json, restore_leaving
from tercast.planner.state import PlannerState
from tercast.requests.registry import ADVERTISEMENT
from tercast.routing.forest import Forest
from tercast.routing.spanning_tree import Tree
from tercast.routing.topic_routing import TopicRouting, TreeMembership
from tercast.tables.covers import network_covers_json, read_network_covers

FORMAT = "planner/1"

AnyPlanner = TypeVar("AnyPlanner", bound=PlannerState)


def take_snapshot(planner: PlannerState) -> dict[str, Any]:
    """Return the state of `planner`; equal states have equal snapshots."""
    plans = planner.plans
    return {
        "format": FORMAT,
        "address": planner.address.to_json(),
        "limits": planner.limits.to_json(),
        "enforce_budgets": planner.enforce_budgets,
        "applied": planner.applied,
        "next_seq": planner.registry.next_seq,
        "next_tree": planner.network.next_tree,
        **topology_json(planner.topology),
        "topics": [topic.to_json() for topic in planner.topics.values()],
        "live": [registration_json(registration) for registration in planner.registry.live.values()],
        "trees": [_tree_json(tree, plan) for plan in plans for tree in plan.trees()],
        "pieces": {
            ad: [[tree.number, texts(map(plan.order.dz, keys))] for tree, keys in membership.pieces]
            for plan in plans
            for ad, membership in sorted(plan.memberships.items())
        },
        **({"hitless": True} if planner.hitless else {}),
        **({"versions": dict(sorted(planner.versions.items()))} if planner.versions else {}),
        **leaving_json(planner),
        **_aggregation_json(planner),
    }


def restore_planner(planner_class: type[AnyPlanner], data: Mapping[str, Any]) -> AnyPlanner:
    """Return the planner of the snapshot `data`."""
    if data.get("format") != FORMAT:
        raise ValueError(f"the snapshot has the format {data.get('format')!r}; this version reads {FORMAT!r}")
    address = AddressPlan.from_json(data["address"])
    planner = planner_class(
        address,
        Limits.from_json(data["limits"]),
        read_network(data, address.family),
        [Topic.from_json(topic) for topic in data["topics"]],
        data["enforce_budgets"],
        hitless=data.get("hitless", False),
    )
    planner.applied = data["applied"]
    planner.versions = dict(data.get("versions", {}))
    registrations = [read_registration(row) for row in data["live"]]
    for registration in registrations:
        planner.registry.register(registration)
    planner.registry.next_seq = data["next_seq"]
    _restore_trees(planner, data)
    for registration in registrations:
        if registration.kind != ADVERTISEMENT:
            planner.plan(registration.topic).subscribe(registration.host, registration.dz)
    planner.queue.propagate()
    restore_leaving(planner, data)
    planner.network.load = +planner.network.load
    planner.network.next_tree = data["next_tree"]
    aggregation = data.get("aggregation")
    if aggregation is not None:
        covers = read_network_covers(aggregation["covers"])
        planner.budget_enforcer.restore(aggregation["method"], covers, aggregation.get("passing", False))
    planner.take_diff()
    planner.tracker.take_marked()
    return planner


def _restore_trees(planner: PlannerState, data: Mapping[str, Any]) -> None:
    """Restore the trees with their links, then add every advertisement to its trees."""
    network = planner.network
    trees: dict[int, tuple[Tree, Forest]] = {}
    links = {(link.a, link.a_port): link for link in planner.topology.all_links()}
    for row in data["trees"]:
        plan = planner.plan(row["topic"])
        tree = Tree(row["number"], row["root"])
        forest = plan.forest_of(tree.root)
        forest.trees[tree.number] = tree
        plan.set_links(tree, frozenset(links[switch, port] for switch, port in row["links"]))
        trees[tree.number] = tree, forest
    for registration in planner.registry.advertisements():
        plan = planner.plan(registration.topic)
        pieces = data["pieces"].get(registration.id)
        if pieces:
            forest = trees[pieces[0][0]][1]
            membership = TreeMembership(
                forest, tuple((trees[number][0], plan.keys(cells_of(cells))) for number, cells in pieces)
            )
            plan.join_trees(registration.id, registration.host, membership)
        else:  # its host cannot be reached
            plan.advertise(registration.id, registration.host, registration.dz, planner.limits.max_trees)
    planner.queue.propagate()
    network.load = +network.load


def _aggregation_json(planner: PlannerState) -> dict[str, Any]:
    """Return the method and all covers; empty if there are neither."""
    budget_enforcer = planner.budget_enforcer
    covers = network_covers_json(budget_enforcer.covers())
    if not budget_enforcer.lays and not covers:
        return {}
    passing = {"passing": True} if budget_enforcer.passing else {}
    return {"aggregation": {"method": budget_enforcer.method, "covers": covers, **passing}}


def _tree_json(tree: Tree, plan: TopicRouting) -> dict[str, Any]:
    links = sorted([link.a, link.a_port] for link in tree.links)
    return {"number": tree.number, "topic": plan.topic.name, "root": tree.root, "links": links}
