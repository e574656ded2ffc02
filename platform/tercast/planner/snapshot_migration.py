"""Topics under their former codes as part of a planner's snapshot, and their restoration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tercast.eventspace.topic import FORMER, Topic
from tercast.planner.snapshot_codec import (
    cells_of,
    read_network,
    read_registration,
    registration_json,
    texts,
    topology_json,
)
from tercast.planner.state import PlannerState
from tercast.planner.topic_migration import TopicMigration
from tercast.requests.registry import ADVERTISEMENT
from tercast.routing.forest import Forest
from tercast.routing.spanning_tree import Tree
from tercast.routing.topic_routing import TreeMembership


def leaving_json(planner: PlannerState) -> dict[str, Any]:
    """Return the former state of all migrating topics; empty if there are none."""
    if not planner.leaving:
        return {}
    return {"leaving": {name: _one_json(one) for name, one in sorted(planner.leaving.items())}}


def restore_leaving(planner: PlannerState, data: Mapping[str, Any]) -> None:
    """Restore what `leaving_json` returned, in a planner whose network is already restored."""
    for name, row in data.get("leaving", {}).items():
        planner.leaving[name] = _restore(planner, name, row)
    planner.queue.propagate()


def _one_json(one: TopicMigration) -> dict[str, Any]:
    plan = one.plan
    topic = plan.topic
    return {
        "version": one.version,
        "topic": topic.with_name(one.name).to_json(),
        "live": [registration_json(registration) for registration in one.live.values()],
        "forests": [
            [_tree_json(tree) for tree in forest.trees.values()]
            for forest in sorted(plan.forests.values(), key=lambda forest: forest.age)
        ],
        "pieces": {
            ad: [[tree.number, texts(map(plan.order.dz, keys))] for tree, keys in membership.pieces]
            for ad, membership in sorted(plan.memberships.items())
        },
        **topology_json(one.topology),
    }


def _tree_json(tree: Tree) -> dict[str, Any]:
    links = sorted([link.a, link.a_port] for link in tree.links)
    return {"number": tree.number, "root": tree.root, "links": links}


def _restore(planner: PlannerState, name: str, row: Mapping[str, Any]) -> TopicMigration:
    topic = Topic.from_json(row["topic"]).with_name(name + FORMER)
    plan = planner.make_plan(topic)
    topology = read_network(row, planner.address.family)
    planner.network.add_switches(topology.switches.values())
    live = {one.id: one for one in map(read_registration, row["live"])}
    trees: dict[int, tuple[Tree, Forest]] = {}
    links = {(link.a, link.a_port): link for link in topology.all_links()}
    for index, members in enumerate(row["forests"]):
        forest = plan.forests[index] = Forest(plan.order)
        for member in members:
            tree = Tree(member["number"], member["root"])
            forest.trees[tree.number] = tree
            plan.set_links(tree, frozenset(links[switch, port] for switch, port in member["links"]))
            trees[tree.number] = tree, forest
    for one in live.values():
        pieces = row["pieces"].get(one.id)
        if one.kind != ADVERTISEMENT:
            plan.subscribe(one.host, one.dz)
        elif pieces:
            parts = tuple((trees[number][0], plan.keys(cells_of(cells))) for number, cells in pieces)
            plan.join_trees(one.id, one.host, TreeMembership(trees[pieces[0][0]][1], parts))
    return TopicMigration(name, plan, topology, live, row["version"])
