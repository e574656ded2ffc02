"""The state of a planner, what can be read from it, and how changes of it spread."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from tercast.aggregation.incremental.budget_enforcer import BudgetEnforcer
from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import DzSet
from tercast.eventspace.topic import Topic
from tercast.planner.reachability import OutOfReach, Pair, out_of_reach, unreachable_pairs, waiting
from tercast.planner.table_writer import TableWriter, take_changes
from tercast.planner.topic_migration import TopicMigration
from tercast.planner.topology_change import ReplannedTopics, TopologyChange
from tercast.requests.outcome import TreeView
from tercast.requests.registry import ADVERTISEMENT, Registration, Registry
from tercast.routing.cell_keys import Order
from tercast.routing.live_network import LiveNetwork
from tercast.routing.switch_trie import SwitchTrie, TrieTracker
from tercast.routing.topic_routing import TopicRouting
from tercast.routing.update_queue import UpdateQueue
from tercast.tables.entries import Diff, Table
from tercast.topology.topology import Topology


class PlannerState:
    """A network, all that is registered in it, and the trees and tables that follow."""

    def __init__(
        self,
        address: AddressPlan,
        limits: Limits | None = None,
        topology: Topology | None = None,
        topics: Iterable[Topic] = (),
        enforce_budgets: bool = True,
        *,
        hitless: bool = False,
    ) -> None:
        self.address = address
        self.limits = limits or Limits()
        self.depth = self.limits.depth(address)
        self.registry = Registry(address, topology or Topology(address.family), topics)
        self.enforce_budgets = enforce_budgets
        self.hitless = hitless
        self.leaving: dict[str, TopicMigration] = {}
        self.versions: dict[str, int] = {}
        self.applied = 0
        self.journal: list[Callable[[], None]] | None = None
        self._bits_retired = False
        self.known_encodings: Mapping[tuple[str, str], DzSet] = {}
        self.defers_propagation = False
        self.order = Order(self.depth)
        self.queue = UpdateQueue()
        self.tracker = TrieTracker()
        self._network = LiveNetwork(self.topology)
        self._stale = False
        self.writer = TableWriter(address)
        self._plans: dict[str, TopicRouting] = {}
        self.keeper = BudgetEnforcer(self)
        for topic in self.registry.topics.values():
            self.add_topic(topic)

    @property
    def topology(self) -> Topology:
        """The network as the requests have it."""
        return self.registry.topology

    @property
    def topics(self) -> Mapping[str, Topic]:
        """The topics by name."""
        return self.registry.topics

    @property
    def network(self) -> LiveNetwork:
        """The network as plans see it, up to date."""
        if self._stale:
            self.refresh_plans()
        return self._network

    @property
    def is_stale(self) -> bool:
        """Whether plans, of nothing, have still to follow a network that has changed."""
        return self._stale

    @property
    def plans(self) -> Collection[TopicRouting]:
        """What is planned for each topic."""
        return self._plans.values()

    @property
    def all_plans(self) -> list[TopicRouting]:
        """The same, and what is left under former codes."""
        return [*self._plans.values(), *(one.plan for one in self.leaving.values())]

    def plan(self, topic: str) -> TopicRouting:
        """What is planned for one topic."""
        return self._plans[topic]

    def add_topic(self, topic: Topic) -> None:
        """Plan nothing for a topic yet, unless it is planned already."""
        if topic.name not in self._plans:
            self._plans[topic.name] = self.make_plan(topic)

    def remove_topic(self, name: str) -> None:
        """Forget the plan of a topic, for which nothing is registered."""
        del self._plans[name]

    def has_budgets(self) -> bool:
        """Return whether any budget is enforced."""
        switches = self.topology.switches.values()
        return self.enforce_budgets and any(switch.room is not None for switch in switches)

    def version(self, topic: str) -> int:
        """Which encoding of a topic this is: 1, and one more for each change of code or `indexed`."""
        return self.versions.get(topic, 1)

    def set_topic(self, topic: Topic) -> None:
        """A topic has another encoding: what was planned for it is somewhere else, and nothing is here."""
        self.registry.topics[topic.name] = topic
        self._plans[topic.name] = self.make_plan(topic)

    def make_plan(self, topic: Topic) -> TopicRouting:
        """A plan of nothing."""
        return TopicRouting(topic, self.order, self._network, self.queue, self.tracker)

    def tables(self) -> dict[str, Table]:
        """The table of every switch that has entries, as it is to be installed."""
        return self._tables(exact=False)

    def tables_of(self, plans: Iterable[TopicRouting]) -> dict[str, Table]:
        """The part of these tables that comes from some plans."""
        chosen = list(plans)
        tables = {
            switch: self.writer.table(plan.tries[switch] for plan in chosen if switch in plan.tries)
            for switch in self.topology.switches
        }
        return {switch: table for switch, table in tables.items() if table}

    def exact_tables(self) -> dict[str, Table]:
        """The same without aggregation."""
        return self._tables(exact=True)

    def table(self, switch: str) -> Table:
        """The table of one switch as it is to be installed, by priority and address."""
        return self.writer.table(self._tries(switch))

    def counts(self) -> dict[str, int]:
        """The number of installed entries of every switch."""
        return {switch: site.installed for switch, site in self.network.sites.items()}

    def exact_counts(self) -> dict[str, int]:
        """The same without aggregation."""
        return {switch: site.count for switch, site in self.network.sites.items()}

    def over_budget(self) -> tuple[str, ...]:
        """The switches that have more entries than their budget allows."""
        sites = self.network.sites.values()
        return tuple(site.id for site in sites if site.budget is not None and site.installed > site.budget)

    def over_budget_exactly(self) -> tuple[str, ...]:
        """The switches whose exact tables are larger than their budgets: where aggregation has work."""
        counts, switches = self.exact_counts(), self.topology.switches
        limits = {name: switch.tcam_budget for name, switch in switches.items()}
        return tuple(
            name for name, limit in limits.items() if limit is not None and counts.get(name, 0) > limit
        )

    def trees(self) -> list[TreeView]:
        """All trees, oldest first."""
        views: list[tuple[int, TreeView]] = []
        left = ((one.name, one.plan) for one in self.leaving.values())
        for name, plan in (*self._plans.items(), *left):
            for forest in plan.forests.values():
                for tree, dz in forest.dz_sets().items():
                    view = TreeView(tree.id, name, dz, tree.root, tuple(tree.edges()))
                    views.append((tree.number, view))
        return [view for _, view in sorted(views, key=lambda item: item[0])]

    def encodings(self) -> dict[str, DzSet]:
        """The dz of every live request."""
        return {registration.id: registration.dz for registration in self.registry.live.values()}

    def pending(self) -> list[str]:
        """The live subscriptions that no live advertisement overlaps, in the order of the log."""
        found: list[str] = []
        for name, plan in self._plans.items():
            found += waiting(self.registry.subscriptions(name), plan.matched)
        return sorted(found, key=lambda name: self.registry.live[name].seq)

    def unreachable(self) -> list[Pair]:
        """The pairs (advertisement, subscription) that overlap, with no path between their hosts."""
        pairs: list[Pair] = []
        for name in self._plans:
            registered = (reg for reg in self.registry.live.values() if reg.topic == name)
            pairs += unreachable_pairs(registered, self.order, self.network.component)
        return pairs

    def out_of_reach(self) -> dict[str, OutOfReach]:
        """Return the live announcements that lack a path to some of those that they match, by id.

        Costs next to nothing while the hosts of each topic are in one part of the network.
        """
        if self._stale:  # nothing is registered
            return {}
        split = {name for name, plan in self._plans.items() if plan.is_split()}
        apart: dict[str, list[Registration]] = {name: [] for name in split}
        for registration in self.registry.live.values() if split else ():
            if registration.topic in split:
                apart[registration.topic].append(registration)
        found: dict[str, OutOfReach] = {}
        for registrations in apart.values():
            found |= out_of_reach(registrations, self.order, self.network.component)
        return found

    def mark_stale(self) -> None:
        """Record that the network has changed and plans have not been refreshed."""
        self._stale = True

    def refresh_plans(self, migrate: Callable[[TopicRouting], bool] | None = None) -> ReplannedTopics:
        """Update plans after a change of the network; with nothing registered, that can be deferred.

        Args:
            migrate: Plans a topic whose regions go to other trees under its other code, if it returns True.
        """
        self._stale = False
        self._bits_retired = True
        change = TopologyChange(self._network, self.registry, self.queue, self.limits.max_trees)
        return change.apply(list(self._plans.values()), self.leaving.values(), migrate)

    def plan_registration(self, registration: Registration) -> None:
        """Plan a live registration, and propagate."""
        plan = self._plans[registration.topic]
        if registration.kind == ADVERTISEMENT:
            plan.advertise(registration.id, registration.host, registration.dz, self.limits.max_trees)
        else:
            plan.subscribe(registration.host, registration.dz)
        self.propagate()

    def plan_live(self, topic: str) -> None:
        """Plan all that is live of a topic, of which nothing is planned yet: advertisements first."""
        mine = [one for one in self.registry.live.values() if one.topic == topic]
        for registration in sorted(mine, key=lambda one: (one.kind != ADVERTISEMENT, one.seq)):
            self.plan_registration(registration)

    def propagate(self) -> None:
        """Propagate changes of plans, unless more will follow first."""
        if not self.defers_propagation:
            self.queue.propagate()

    def take_diff(self) -> Diff:
        """Return what has changed in the tables since the last call."""
        diff = take_changes(self.tracker, self.writer)
        if self._bits_retired:
            self._bits_retired = False
            for site in self._network.sites.values():  # those of a stale one: sites to come have none
                site.release_retired()
        self.keeper.prune()
        return diff

    def _tables(self, exact: bool) -> dict[str, Table]:
        tables = {switch: self.writer.table(self._tries(switch), exact) for switch in self.topology.switches}
        return {switch: table for switch, table in tables.items() if table}

    def _tries(self, switch: str) -> Iterable[SwitchTrie]:
        return (plan.tries[switch] for plan in self.all_plans if switch in plan.tries)
