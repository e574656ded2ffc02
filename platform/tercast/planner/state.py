"""The state of a planner, methods that read it, and the propagation of its changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from tercast.aggregation.incremental.budget_enforcer import BudgetEnforcer
from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import DzSet
from tercast.eventspace.topic import Topic
from tercast.planner.reachability import OutOfReach, UnreachablePair, out_of_reach, unreachable_pairs, waiting
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
    """A network, all registrations in it, and the resulting trees and tables."""

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
        self._last_stubs = frozenset(self.registry.topology.borders)
        self.known_encodings: Mapping[tuple[str, str], DzSet] = {}
        self.defers_propagation = False
        self.order = Order(self.depth)
        self.queue = UpdateQueue()
        self.tracker = TrieTracker()
        self._network = LiveNetwork(self.topology)
        self._stale = False
        self.writer = TableWriter(address)
        self._plans: dict[str, TopicRouting] = {}
        self.budget_enforcer = BudgetEnforcer(self)
        for topic in self.registry.topics.values():
            self.add_topic(topic)

    @property
    def topology(self) -> Topology:
        """The network according to the requests."""
        return self.registry.topology

    @property
    def topics(self) -> Mapping[str, Topic]:
        """The topics by name."""
        return self.registry.topics

    @property
    def network(self) -> LiveNetwork:
        """The network that plans use, up to date."""
        if self._stale:
            self.refresh_plans()
        return self._network

    @property
    def is_stale(self) -> bool:
        """Whether plans, which are empty, must still be updated after a change of the network."""
        return self._stale

    @property
    def plans(self) -> Collection[TopicRouting]:
        """The plans of all topics."""
        return self._plans.values()

    @property
    def all_plans(self) -> list[TopicRouting]:
        """The plans of all topics, and those under former codes."""
        return [*self._plans.values(), *(one.plan for one in self.leaving.values())]

    def plan(self, topic: str) -> TopicRouting:
        """Return the plan of one topic."""
        return self._plans[topic]

    def add_topic(self, topic: Topic) -> None:
        """Create an empty plan for a topic, unless it has one."""
        if topic.name not in self._plans:
            self._plans[topic.name] = self.make_plan(topic)

    def remove_topic(self, name: str) -> None:
        """Remove the plan of a topic without registrations."""
        del self._plans[name]

    def has_budgets(self) -> bool:
        """Return whether any budget is enforced."""
        switches = self.topology.switches.values()
        return self.enforce_budgets and any(switch.usable_budget is not None for switch in switches)

    def version(self, topic: str) -> int:
        """Return the version of a topic's encoding: 1, plus 1 for each change of code or space."""
        return self.versions.get(topic, 1)

    def set_topic(self, topic: Topic) -> None:
        """Replace the encoding of a topic; its new plan is empty, and the caller keeps the old one."""
        self.registry.topics[topic.name] = topic
        self._plans[topic.name] = self.make_plan(topic)

    def make_plan(self, topic: Topic) -> TopicRouting:
        """Create an empty plan."""
        return TopicRouting(topic, self.order, self._network, self.queue, self.tracker)

    def tables(self) -> dict[str, Table]:
        """Return the table of every switch that has entries, as it is to be installed."""
        return self._tables(exact=False)

    def verified_tables(self) -> dict[str, Table]:
        """Return these tables, and those of the stubs behind borders, which no switch gets."""
        return self._tables(exact=False, stubs=True)

    def tables_of(self, plans: Iterable[TopicRouting]) -> dict[str, Table]:
        """Return the part of these tables that comes from some plans."""
        chosen = list(plans)
        tables = {
            switch: self.writer.table(plan.tries[switch] for plan in chosen if switch in plan.tries)
            for switch in self.topology.switches
        }
        return {switch: table for switch, table in tables.items() if table}

    def exact_tables(self) -> dict[str, Table]:
        """Return the tables without aggregation."""
        return self._tables(exact=True)

    def table(self, switch: str) -> Table:
        """Return the table of one switch as it is to be installed, by priority and address."""
        return self.writer.table(self._tries(switch))

    def counts(self) -> dict[str, int]:
        """Count the installed entries of every switch."""
        return {name: site.installed for name, site in self.network.own_sites.items()}

    def exact_counts(self) -> dict[str, int]:
        """Count the entries of every switch without aggregation."""
        return {name: site.count for name, site in self.network.own_sites.items()}

    def over_budget(self) -> tuple[str, ...]:
        """Return the switches that have more entries than their budget allows."""
        sites = self.network.sites.values()
        return tuple(site.id for site in sites if site.budget is not None and site.installed > site.budget)

    def over_budget_exactly(self) -> tuple[str, ...]:
        """Return the switches whose exact tables exceed their budgets; these need aggregation."""
        counts, switches = self.exact_counts(), self.topology.switches
        limits = {name: switch.tcam_budget for name, switch in switches.items()}
        return tuple(
            name for name, limit in limits.items() if limit is not None and counts.get(name, 0) > limit
        )

    def trees(self) -> list[TreeView]:
        """Return all trees, the oldest first."""
        views: list[tuple[int, TreeView]] = []
        left = ((one.name, one.plan) for one in self.leaving.values())
        for name, plan in (*self._plans.items(), *left):
            for forest in plan.forests.values():
                for tree, dz in forest.dz_sets().items():
                    view = TreeView(tree.id, name, dz, tree.root, tuple(tree.edges()))
                    views.append((tree.number, view))
        return [view for _, view in sorted(views, key=lambda item: item[0])]

    def encodings(self) -> dict[str, DzSet]:
        """Return the dz of every live registration, without those of other partitions."""
        return {one.id: one.dz for one in self.registry.live.values() if not self.registry.is_external(one)}

    def pending(self) -> list[str]:
        """Return the live subscriptions that no live advertisement overlaps, in log order."""
        found: list[str] = []
        for name, plan in self._plans.items():
            own = (reg for reg in self.registry.subscriptions(name) if not self.registry.is_external(reg))
            found += waiting(own, plan.matched)
        return sorted(found, key=lambda name: self.registry.live[name].seq)

    def unreachable(self) -> list[UnreachablePair]:
        """Return the pairs (advertisement, subscription) that overlap without a path between hosts."""
        pairs: list[UnreachablePair] = []
        for name in self._plans:
            registered = (reg for reg in self.registry.live.values() if reg.topic == name)
            pairs += unreachable_pairs(registered, self.order, self.network.component)
        return pairs

    def out_of_reach(self) -> dict[str, OutOfReach]:
        """Return, by id, the live announcements without a path to some of their matches.

        The cost is very low while the hosts of each topic are in one component.
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
        """Update plans after a change of the network; without registrations, this can be deferred.

        Args:
            migrate: Plans a topic under its other code, if regions change their trees. It returns whether it
                did so.
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
        """Plan all live registrations of an unplanned topic, advertisements first."""
        mine = [one for one in self.registry.live.values() if one.topic == topic]
        for registration in sorted(mine, key=lambda one: (one.kind != ADVERTISEMENT, one.seq)):
            self.plan_registration(registration)

    def propagate(self) -> None:
        """Propagate changes of plans, unless more changes follow first."""
        if not self.defers_propagation:
            self.queue.propagate()

    def take_diff(self) -> Diff:
        """Return the changes of the tables since the last call."""
        diff = take_changes(self.tracker, self.writer)
        if self._last_stubs or self.registry.topology.borders:
            removed, self._last_stubs = self._last_stubs, frozenset(self.topology.borders)
            diff = diff.without(removed | self._last_stubs)
        if self._bits_retired:
            self._bits_retired = False
            for site in self._network.sites.values():  # a stale network has none in sites to come
                site.release_retired()
        self.budget_enforcer.prune()
        return diff

    def _tables(self, exact: bool, stubs: bool = False) -> dict[str, Table]:
        names = [name for name in self.topology.switches if stubs or name not in self.topology.borders]
        return {name: table for name in names if (table := self.writer.table(self._tries(name), exact))}

    def _tries(self, switch: str) -> Iterable[SwitchTrie]:
        return (plan.tries[switch] for plan in self.all_plans if switch in plan.tries)
