"""Effect of a topology change on plans: moved hosts, repaired trees, split or joined parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from tercast.planner.topic_migration import TopicMigration
from tercast.requests.registry import Registration, Registry
from tercast.routing.forest import Forest
from tercast.routing.live_network import LiveNetwork
from tercast.routing.spanning_tree import Tree
from tercast.routing.topic_routing import TopicRouting
from tercast.routing.update_queue import UpdateQueue


@dataclass(slots=True)
class ReplannedTopics:
    """Topics whose regions changed trees: under their other codes (`moved`), or `in_place`."""

    moved: list[str] = field(default_factory=list)
    in_place: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TopologyChange:
    """Updates plans after a change of the topology; unaffected parts stay the same."""

    network: LiveNetwork
    registry: Registry
    queue: UpdateQueue
    max_trees: int

    def apply(
        self,
        plans: Collection[TopicRouting],
        migrations: Collection[TopicMigration] = (),
        migrate: Callable[[TopicRouting], bool] | None = None,
    ) -> ReplannedTopics:
        """Update plans.

        Hosts that moved or left are detached first. Then each component keeps the trees of one old component:
        the one that most of its advertisements come from. These trees are repaired if links are gone or
        switches are new. Other advertisements are planned again, in the order of the log.

        Args:
            plans: The plan of each topic.
            migrations: Former encodings of topics; they stay, except for hosts that moved. If a topic changes
                again, its publishers have not been notified of its first migration yet.
            migrate: Plans a topic under its other code, if regions change their trees. It returns whether it
                did so.
        """
        done = ReplannedTopics()
        moved_hosts = self._refresh(plans, migrations)
        for plan in plans:
            if self._leads_elsewhere(plan):
                name = plan.topic.name
                if migrate is not None and migrate(plan):
                    done.moved.append(name)
                    continue
                if migrate is None or not any(one.name == name for one in migrations):
                    done.in_place.append(name)
            self._update_plan(plan, moved_hosts)
        if not migrations:  # otherwise their tables still need switches that are gone
            for switch in self.network.remove_unused():
                for plan in plans:
                    plan.tries.pop(switch, None)
        return done

    def _refresh(self, plans: Collection[TopicRouting], migrations: Collection[TopicMigration]) -> list[str]:
        """Read the topology again; detach the hosts that moved, and return them."""
        before = self.network.places()
        moved = self.network.refresh()
        for host in moved:
            place = before.get(host)
            for one in migrations:
                one.drop_host(host)
            if place is not None:
                for plan in plans:
                    plan.detach_host(host)
                self.queue.propagate()
                self.network.sites[place.switch].drop_host(host)
        return moved

    def _leads_elsewhere(self, plan: TopicRouting) -> bool:
        """Return whether events will use links that form a cycle with the old links.

        This is so if a tree loses a link, or if advertisements move to the trees of another component. A tree
        that only grows changes in place.
        """
        network, heirs = self.network, self._heirs(plan)
        for ad, membership in plan.memberships.items():
            component = network.component(self.registry.live[ad].host)
            if component is not None and heirs.get(component) is not membership.forest:
                return True
        return any(
            network.component_of(tree.root) != component
            or (not network.spans(tree) and not tree.links <= network.repaired_links(tree))
            for component, forest in heirs.items()
            for tree in forest.trees.values()
        )

    def _update_plan(self, plan: TopicRouting, moved_hosts: Collection[str]) -> None:
        """Regroup the forests of a plan, attach moved hosts, and plan advertisements without trees."""
        self._regroup(plan)
        for host in moved_hosts:
            plan.attach_host(host)
        self.queue.propagate()
        for ad in self.registry.advertisements(plan.topic.name):
            if ad.id not in plan.memberships:
                plan.advertise(ad.id, ad.host, ad.dz, self.max_trees)
                self.queue.propagate()

    def _regroup(self, plan: TopicRouting) -> None:
        """Assign forests to the current components, and repair their trees."""
        network, heirs = self.network, self._heirs(plan)
        for ad, membership in list(plan.memberships.items()):
            host = self.registry.live[ad].host
            component = network.component(host)
            if component is None or heirs.get(component) is not membership.forest:
                plan.leave_trees(ad, host)
        self.queue.propagate()
        plan.forests = {component: forest for component, forest in heirs.items() if forest.trees}
        for component, forest in plan.forests.items():
            for tree in list(forest.trees.values()):
                if network.component_of(tree.root) != component:
                    tree.root = self._new_root(tree)
                elif network.spans(tree):
                    continue
                links = network.repaired_links(tree)
                if links != tree.links:
                    plan.replace_links(tree, links)

    def _heirs(self, plan: TopicRouting) -> dict[int, Forest]:
        """Return, for each component, the forest with most of its advertisements.

        A forest is assigned to one component only.
        """
        votes: Counter[tuple[int, int]] = Counter()
        forests: dict[int, Forest] = {}
        for ad, membership in plan.memberships.items():
            component = self.network.component(self.registry.live[ad].host)
            if component is not None:
                votes[component, membership.forest.age] += 1
                forests[membership.forest.age] = membership.forest
        heirs: dict[int, Forest] = {}
        for (component, age), _ in sorted(votes.items(), key=lambda item: (-item[1], item[0][1], item[0][0])):
            if component not in heirs and age in forests:
                heirs[component] = forests.pop(age)
        return heirs

    def _new_root(self, tree: Tree) -> str:
        """Return the switch of the oldest advertisement in a tree within one component."""
        oldest: Registration = min((self.registry.live[ad] for ad in tree.ads), key=lambda ad: ad.seq)
        place = self.network.place(oldest.host)
        if place is None:
            raise AssertionError(f"{oldest.id} is in tree {tree.id}, but its host cannot be reached")
        return place.switch
