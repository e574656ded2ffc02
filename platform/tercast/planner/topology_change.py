"""What a change of the network means for plans: hosts elsewhere, trees mended, forests that part or meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tercast.requests.registry import Registration, Registry
from tercast.routing.forest import Forest
from tercast.routing.live_network import LiveNetwork
from tercast.routing.spanning_tree import Tree
from tercast.routing.topic_routing import TopicRouting
from tercast.routing.update_queue import UpdateQueue

if TYPE_CHECKING:
    from tercast.planner.topic_migration import TopicMigration


@dataclass(slots=True)
class Reshaped:
    """The topics with regions that went to other trees: under their other codes (`moved`), or `in_place`."""

    moved: list[str] = field(default_factory=list)
    in_place: list[str] = field(default_factory=list)


def reshape(
    network: LiveNetwork,
    plans: Collection[TopicRouting],
    registry: Registry,
    queue: UpdateQueue,
    max_trees: int,
    *,
    leaving: Collection[TopicMigration] = (),
    move: Callable[[TopicRouting], bool] | None = None,
) -> Reshaped:
    """Bring `plans` up to date with a topology that has changed; what the change does not touch stays.

    Hosts that moved or left are taken out where they were. A component then keeps the trees of the one old
    component that most of its advertisements come from, mended where links are gone or switches new;
    advertisements that come from elsewhere are advertised anew, in the order of the log. Where regions go to
    other trees by that, `move` may plan the topic anew instead. What is `leaving` stays, but for moved hosts;
    who asks for more moves of such a topic has told no publisher of the first.
    """
    done = Reshaped()
    moved = _refresh(network, plans, leaving, queue)
    for plan in plans:
        if _leads_elsewhere(plan, network, registry):
            name = plan.topic.name
            if move is not None and move(plan):
                done.moved.append(name)
                continue
            if move is None or not any(one.name == name for one in leaving):  # else nobody is told yet
                done.in_place.append(name)
        _regroup(plan, network, registry, queue)
        for host in moved:
            plan.attach(host)
        queue.settle()
        for ad in registry.advertisements(plan.topic.name):
            if ad.id not in plan.claims:
                plan.advertise(ad.id, ad.host, ad.dz, max_trees)
                queue.settle()
    if not leaving:  # else their tables still need what is gone
        for switch in network.prune():
            for plan in plans:
                plan.tries.pop(switch, None)
    return done


def _refresh(
    network: LiveNetwork,
    plans: Collection[TopicRouting],
    leaving: Collection[TopicMigration],
    queue: UpdateQueue,
) -> list[str]:
    """Read the topology anew; the hosts that moved, which are nowhere now."""
    before = network.places()
    moved = network.refresh()
    for host in moved:
        place = before.get(host)
        for one in leaving:
            one.drop_host(host)
        if place is not None:
            for plan in plans:
                plan.detach(host)
            queue.settle()
            network.sites[place.switch].drop_host(host)
    return moved


def _leads_elsewhere(plan: TopicRouting, network: LiveNetwork, registry: Registry) -> bool:
    """Whether events of regions that stay advertised are to take links that close a cycle with the old ones.

    That is so where a tree loses a link, and where advertisements go to the trees of another component. A
    tree that only grows changes in place.
    """
    heirs = _heirs(plan, network, registry)
    for ad, claim in plan.claims.items():
        component = network.component(registry.live[ad].host)
        if component is not None and heirs.get(component) is not claim.forest:
            return True
    return any(
        network.component_of(tree.root) != component
        or (not network.spans(tree) and not tree.links <= network.mend(tree))
        for component, forest in heirs.items()
        for tree in forest.trees.values()
    )


def _regroup(plan: TopicRouting, network: LiveNetwork, registry: Registry, queue: UpdateQueue) -> None:
    """Give forests to the components that are there now, and mend their trees."""
    heirs = _heirs(plan, network, registry)
    for ad, claim in list(plan.claims.items()):
        host = registry.live[ad].host
        component = network.component(host)
        if component is None or heirs.get(component) is not claim.forest:
            plan.unclaim(ad, host)
    queue.settle()
    plan.forests = {component: forest for component, forest in heirs.items() if forest.trees}
    for component, forest in plan.forests.items():
        for tree in list(forest.trees.values()):
            if network.component_of(tree.root) != component:
                tree.root = _new_root(tree, network, registry)
            elif network.spans(tree):
                continue
            links = network.mend(tree)
            if links != tree.links:
                plan.relink(tree, links)


def _heirs(plan: TopicRouting, network: LiveNetwork, registry: Registry) -> dict[int, Forest]:
    """For each component the forest that most of its advertisements are in; a forest has one heir."""
    votes: Counter[tuple[int, int]] = Counter()
    forests: dict[int, Forest] = {}
    for ad, claim in plan.claims.items():
        component = network.component(registry.live[ad].host)
        if component is not None:
            votes[component, claim.forest.age] += 1
            forests[claim.forest.age] = claim.forest
    heirs: dict[int, Forest] = {}
    for (component, age), _ in sorted(votes.items(), key=lambda item: (-item[1], item[0][1], item[0][0])):
        if component not in heirs and age in forests:
            heirs[component] = forests.pop(age)
    return heirs


def _new_root(tree: Tree, network: LiveNetwork, registry: Registry) -> str:
    """The switch of the oldest advertisement in the tree; all of them can be reached, in one component."""
    oldest: Registration = min((registry.live[ad] for ad in tree.ads), key=lambda ad: ad.seq)
    place = network.place(oldest.host)
    if place is None:
        raise AssertionError(f"{oldest.id} is in tree {tree.id}, but its host cannot be reached")
    return place.switch
