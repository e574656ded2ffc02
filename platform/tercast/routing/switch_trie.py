"""One topic at one switch: subscriptions, advertisements and the resulting exact tables.

The propagator converts updates to entries of the two tables and to updates of the neighbours. The storage
decides whether the propagator or compiled code does this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tercast.routing.cell_keys import Key, Order
from tercast.routing.change_tracker import ChangeTracker
from tercast.routing.exact_tables import InPortTable, PlainTable
from tercast.routing.port_semantics import PortBit, PortMask
from tercast.routing.propagation import Propagator
from tercast.routing.spanning_tree import Tree
from tercast.routing.switch_ports import SwitchPorts
from tercast.routing.table_overlay import TopicTables
from tercast.routing.trie_storage import LayerStorage, TrieStorage
from tercast.routing.update_queue import NeighbourExports, Peer, UpdateQueue
from tercast.topology.topology import Port

TrieTracker = ChangeTracker["SwitchTrie"]


class SwitchTrie:
    """The layers and tables of one topic at one switch."""

    __slots__ = (
        "_layer_storage",
        "code",
        "in_port_table",
        "is_tracked",
        "neighbours",
        "order",
        "plain_table",
        "propagator",
        "site",
        "storage",
        "tracker",
    )

    def __init__(
        self, site: SwitchPorts, code: int, order: Order, queue: UpdateQueue, tracker: TrieTracker
    ) -> None:
        self.site = site
        self.code = code
        self.order = order
        self.tracker = tracker
        self.is_tracked = False
        self.plain_table = PlainTable(site, order, self.record_change)
        self.in_port_table = InPortTable(site, order, self.record_change)
        self.neighbours = NeighbourExports(queue)
        self.propagator = Propagator(site, order, self.plain_table, self.in_port_table, self.neighbours)
        self._layer_storage = LayerStorage(self.propagator, self.plain_table)
        self.storage: TrieStorage = self._layer_storage

    @property
    def entries(self) -> dict[Key, PortMask]:
        """The plain entries: the stored dictionary, which follows changes, or a new one."""
        return self.storage.entries()

    @property
    def installed_entries(self) -> Mapping[Key, PortMask]:
        """The plain entries without their suppressed outputs."""
        return self.storage.installed()

    @property
    def overlay(self) -> TopicTables | None:
        """The tables that are installed instead of the exact ones; None if the exact ones are."""
        overlay = self.site.overlay
        return None if overlay is None else overlay.topics.get(self)

    def record_change(self) -> None:
        """Record that the tables change next."""
        if not self.site.marked:
            self.tracker.mark_changed(self.site)
        if not self.is_tracked:
            self.tracker.track(self)

    def forget_changes(self) -> None:
        """Forget the changes of the stored tables after they were taken."""
        self.plain_table.forget_changes()
        self.in_port_table.forget_changes()

    def update_subscriptions(self, added: Sequence[Key], removed: Sequence[Key], bit: PortBit) -> None:
        """Let `bit`, a host, subscribe to the `added` cells, and no longer to the `removed` ones."""
        self.storage.prepare((*added, *removed))
        self.storage.update_subscriptions(added, removed, bit)

    def update_advertisements(
        self, added: Sequence[Key], removed: Sequence[Key], bit: PortBit, tree: Tree | None = None
    ) -> None:
        """Let the host `bit` advertise the `added` cells in `tree`, and not the `removed` ones."""
        self.storage.prepare((*added, *removed))
        self.storage.update_advertisements(added, removed, bit, tree)

    def change_links(self, tree: Tree, before: PortMask, after: PortMask) -> None:
        """Change the link ports that `tree` uses here from one mask to another."""
        self.storage.change_links(tree, before, after)

    def connect(self, bit: PortBit, far: SwitchTrie, far_bit: PortBit, link: Port) -> None:
        """Set the trie `far` as the other end of the link port `bit`; `link` is end `a` of the link."""
        self.neighbours.peers[bit] = Peer(far.site.id, far.propagator, far_bit, link)

    def store_in_layers(self) -> None:
        """Store everything in dictionaries from now on; the layers must be loaded."""
        self.storage = self._layer_storage

    def clear(self) -> None:
        """Remove all subscriptions, advertisements and entries; neighbours get no updates."""
        self.storage.materialise()
        self.plain_table.clear()
        self.in_port_table.clear()
        self.propagator.load_layers()
        self.store_in_layers()
