"""Overlay: the difference between the exact and the installed tables of one switch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

from tercast.aggregation.incremental.exact_entries import ExactEntries
from tercast.aggregation.incremental.installed_table import InstalledTable
from tercast.aggregation.incremental.table_follower import TableFollower
from tercast.aggregation.incremental.tree_rule import TreeRule
from tercast.routing.cell_keys import Key
from tercast.routing.switch_ports import PortMask, SwitchPorts
from tercast.routing.table_overlay import InstalledBefore

if TYPE_CHECKING:
    from tercast.routing.exact_tables import InPortKey, InPortMasks
    from tercast.routing.live_network import LiveNetwork
    from tercast.routing.switch_trie import SwitchTrie
    from tercast.routing.topic_routing import TopicRouting


class TopicOverlay:
    """The installed tables of one topic at one switch; table 0 has the plain entries.

    The lists of installed keys of all tables are also in the list `everything`.
    """

    __slots__ = ("_all", "_exact", "_followers", "_trie", "plan", "rule", "tables")

    def __init__(
        self, trie: SwitchTrie, plan: TopicRouting, network: LiveNetwork, everything: list[list[Key]]
    ) -> None:
        self._trie = trie
        self._all = everything
        self.plan = plan
        self.rule = TreeRule(plan, network, trie.site)
        trie.storage.materialise()
        self._exact = ExactEntries(trie, trie.entries, trie.plain_table.suppressed_outputs)
        self.tables: dict[int, InstalledTable] = {}
        self._followers: dict[int, TableFollower] = {}
        self._add(self._exact)
        for port, _ in trie.in_port_table.entries:
            self.table(port)
        self.load_exact_changes()

    def table(self, port: int) -> InstalledTable:
        """The table of an ingress port, created at the first call from the current exact entries."""
        table = self.tables.get(port)
        if table is None:
            trie = self._trie
            own = {
                key: outputs | back
                for (at, key), (outputs, back) in trie.in_port_table.entries.items()
                if at == port
            }
            table = self._add_port(port, own)
        return table

    def _add_port(self, port: int, own: dict[Key, PortMask]) -> InstalledTable:
        """Add a table for an ingress port."""
        trie = self._trie
        mates = trie.site.hosts_on(port)
        table = self._add(ExactEntries(trie, own, port=port, plain=self._exact, mates=mates))
        self.tables = dict(sorted(self.tables.items()))
        return table

    def _add(self, exact: ExactEntries) -> InstalledTable:
        table = self.tables[exact.port] = InstalledTable(exact, self.rule)
        self._followers[exact.port] = TableFollower(table)
        self._all.append(table.installed)
        return table

    def follow(self) -> bool:
        """Apply the changes of exact entries since the last call; return whether there were any."""
        trie = self._trie
        touched, in_touched = trie.plain_table.touched, trie.in_port_table.touched
        if not touched and not in_touched:
            return False
        if trie.plain_table.has_suppressed_outputs:
            self._followers[0].touch_suppressed(trie.plain_table.changes())
        trie.forget_changes()
        if in_touched or len(self.tables) > 1:
            self._follow_ports(touched, in_touched)
        self._followers[0].follow_all(touched)
        for follower in self._followers.values():
            if follower.stale:
                follower.refill()
        return True

    def load_exact_changes(self) -> None:
        """Copy the record of touched entries from the exact tables."""
        trie = self._trie
        self.tables[0].touched = {key: before or None for key, before, _ in trie.plain_table.changes()}
        for (port, key), masks in trie.in_port_table.touched.items():
            self.table(port).touched[key] = None if masks is None else masks[0] | masks[1]
        trie.forget_changes()

    def rows(self) -> Iterator[tuple[InstalledTable, dict[Key, PortMask]]]:
        """The installed entries, table by table; a mask of 0 drops."""
        return ((table, table.rows()) for table in self.tables.values())

    def load_changes(self, touched: InstalledBefore) -> None:
        """Set the record of touched entries to a value that `take_changes` returned."""
        for port, found in touched.items():
            self.table(port).touched = found

    def take_changes(self) -> InstalledBefore:
        """Return the record of touched entries, and clear it."""
        taken = {port: table.touched for port, table in self.tables.items()}
        for table in self.tables.values():
            table.touched = {}
            if table.port:
                table.exact.mates = self._trie.site.hosts_on(table.port)
        return taken

    @property
    def is_exact(self) -> bool:
        """Whether there is no cover."""
        return not any(table.nodes for table in self.tables.values())

    def _follow_ports(
        self, touched: dict[Key, PortMask], in_touched: dict[InPortKey, InPortMasks | None]
    ) -> None:
        trie, site = self._trie, self._trie.site
        in_entries = trie.in_port_table.entries
        for port, table in self.tables.items():
            if port:
                table.exact.mates |= site.hosts_on(port)
                if table.nodes:
                    self._followers[port].follow_plain(touched)
        for port, key in sorted(in_touched):
            masks, after = in_touched[port, key], in_entries.get((port, key))
            if masks == after:
                continue
            if port not in self.tables:
                self._add_port(port, {})
            self._followers[port].change_own(key, _one(masks), _one(after))


def overlay_at(site: SwitchPorts) -> Overlay | None:
    """Return the installed tables of a switch; None if its exact tables are installed."""
    return cast("Overlay | None", site.overlay)


def topic_overlay(trie: SwitchTrie) -> TopicOverlay | None:
    """Return the installed tables over the exact tables of a trie; None if these are installed."""
    return cast("TopicOverlay | None", trie.overlay)


class Overlay:
    """The installed tables of one switch."""

    __slots__ = ("_all", "site", "topics")

    def __init__(self, site: SwitchPorts) -> None:
        self.site = site
        self._all: list[list[Key]] = []
        self.topics: dict[SwitchTrie, TopicOverlay] = {}

    @property
    def count(self) -> int:
        """The number of installed entries."""
        return sum(map(len, self._all))

    @property
    def excess(self) -> int:
        """The number of entries over the budget; 0 or less if the budget is met."""
        budget = self.site.budget
        return 0 if budget is None else self.count - budget

    @property
    def is_exact(self) -> bool:
        """Whether there is no cover."""
        return all(topic.is_exact for topic in self.topics.values())

    def tables(self) -> Iterator[InstalledTable]:
        """Yield all tables: by topic code, then by port."""
        for topic in self.topics.values():
            yield from topic.tables.values()

    def topic(self, trie: SwitchTrie, plan: TopicRouting, network: LiveNetwork) -> TopicOverlay:
        """The tables of a topic, created at the first call."""
        topic = self.topics.get(trie)
        if topic is None:
            topic = self.topics[trie] = TopicOverlay(trie, plan, network, self._all)
            self.topics = dict(sorted(self.topics.items(), key=lambda item: item[0].code))
        return topic

    def remove_topic(self, trie: SwitchTrie) -> None:
        """Remove a topic that no longer exists at the switch."""
        if self.topics.pop(trie, None) is not None:
            self._all[:] = [table.installed for table in self.tables()]

    def add_topics(self, plans: Iterable[TopicRouting], network: LiveNetwork) -> None:
        """Add the topics that are new at the switch."""
        for plan in plans:
            trie = plan.tries.get(self.site.id)
            if trie is not None and trie not in self.topics:
                self.topic(trie, plan, network)


def _one(masks: InPortMasks | None) -> PortMask:
    return 0 if masks is None else masks[0] | masks[1]
