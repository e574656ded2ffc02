"""One topic at all switches, in arrays over which compiled code propagates updates.

It is equivalent to `tercast.routing.propagation` and `tercast.routing.update_queue`, for switches of at most
60 bits and cells of at most 55. Updates are collected, and processed together when the queue propagates.
Plain entries are derived from the nodes on demand. Their changes are rows until they are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

import numpy as np

from tercast.routing.cell_keys import LENGTH_MASK, Key, Order
from tercast.routing.kernels import port_semantics
from tercast.routing.kernels.compiled_storage import CompiledStorage
from tercast.routing.kernels.compiled_tables import CompiledTables
from tercast.routing.kernels.network_rows import MAX_TREE_CELLS, NetworkRows
from tercast.routing.kernels.node_keys import NodeKeys
from tercast.routing.kernels.patricia import MAX_DEPTH, RIGHT, new_nodes
from tercast.routing.kernels.propagation import (
    CHANGE_LINKS,
    OWN_ADS,
    OWN_SUBS,
    WORDS,
    owned_between,
    owners,
    root_for_one_more,
    run,
)
from tercast.routing.kernels.table_changes import entries_of
from tercast.routing.port_semantics import PortBit, PortMask
from tercast.routing.spanning_tree import Tree
from tercast.routing.switch_trie import SwitchTrie
from tercast.routing.update_queue import UpdateQueue
from tercast.runtime.growable_array import GrowableRows, Ints
from tercast.topology.elements import Link, sorted_links

_CHUNK = 1 << 16


class CompiledTopic:
    """The tries and trees of one topic, moved here from their layers, which become empty.

    `on_leave` is called after everything is back in the layers, because compiled code cannot store it.
    """

    __slots__ = (
        "_dissolved",
        "_keys",
        "_nodes",
        "_on_leave",
        "_operations",
        "_queue",
        "_rows",
        "_space",
        "tables",
    )

    def __init__(
        self,
        order: Order,
        queue: UpdateQueue,
        tries: Iterable[SwitchTrie],
        trees: Iterable[Tree],
        on_leave: Callable[[], None],
    ) -> None:
        self._queue = queue
        self._on_leave = on_leave
        self._keys = NodeKeys(order)
        self._nodes = new_nodes(1024)
        self._space = GrowableRows()
        self._rows = NetworkRows()
        self._dissolved: list[Tree] = []
        self._operations: list[int] = []
        self.tables = CompiledTables(self._keys)
        for trie in tries:
            self.add_trie(trie)
        for tree in trees:
            self.lay_out(tree, tree.links)
            self._rows.load_crossings(tree, tree.take_crossings())
        for number, trie in enumerate(self.tables.tries):
            self._load(number, trie)

    @staticmethod
    def can_hold(tries: Collection[SwitchTrie], trees: Collection[Tree]) -> bool:
        """Return whether the arrays can store the content of all layers."""
        if any(trie.site.width > port_semantics.MAX_BITS for trie in tries):
            return False
        if 4 * len(tries) * len(trees) > MAX_TREE_CELLS:
            return False
        layers = ((trie.propagator.subscriptions, trie.propagator.advertisements) for trie in tries)
        return all(key & LENGTH_MASK <= MAX_DEPTH for both in layers for layer in both for key in layer.own)

    def add_trie(self, trie: SwitchTrie) -> None:
        """Add a switch without subscriptions and advertisements."""
        self._nodes, root = root_for_one_more(self._nodes, self._keys.depth)
        number = self._rows.add_switch(trie.site, root)
        self.tables.tries.append(trie)
        trie.storage = CompiledStorage(self, trie, number)

    def lay_out(self, tree: Tree, links: Iterable[Link]) -> None:
        """Read the masks of a tree, and the peers at both ends of its `links`."""
        self.run()
        for link in sorted_links(links):
            for switch, port in ((link.a, link.a_port), (link.b, link.b_port)):
                trie = self.tables.tries[self._rows.number_of(switch)]
                if not self._rows.update_ports(trie.site):
                    self.leave()
                    return
                bit = trie.site.link_bits[port]
                self._rows.connect(switch, bit, trie.neighbours.peers[bit])
        if not self._rows.update_tree(tree):
            self.leave()

    def remove_tree(self, tree: Tree) -> None:
        """Free the row of a dissolved tree after its last updates are processed."""
        if self._rows.has_row(tree):
            self._dissolved.append(tree)

    def prepare(self, trie: SwitchTrie, keys: Iterable[Key]) -> None:
        """Prepare for updates of cells at a switch; leave if they cannot be stored in arrays."""
        keys_fit = not self._keys.shift or self._keys.fit(keys)
        if not self._rows.update_ports(trie.site) or not keys_fit:
            self.leave()

    def add_updates(
        self, kind: int, number: int, keys: Iterable[Key], bit: PortBit, tree: Tree | None
    ) -> None:
        """Collect updates for the next `run`; `kind` is one of `tercast.routing.kernels.operations`."""
        if not self._operations:
            self._queue.add_batch(self)
        row = -1 if tree is None else self._rows.row_of(tree)
        narrow = self._keys.narrow if self._keys.shift else None
        for key in keys:
            self._operations += (kind, number, narrow(key) if narrow else key, bit, row)

    def change_links(self, number: int, tree: Tree, before: PortMask) -> None:
        """Collect a change of a tree's link ports at a switch, from `before` to its current mask."""
        if not self._operations:
            self._queue.add_batch(self)
        self._operations += (CHANGE_LINKS, number, 0, before, self._rows.row_of(tree))

    def run(self) -> None:
        """Process the collected updates; tries get the changes of their tables."""
        if not self._operations:
            return
        operations = np.array(self._operations, np.int64)
        self._operations.clear()
        self._reserve_nodes()
        rows = self._rows
        self._nodes, changes, in_ports, touched, judged = run(
            self._nodes, rows.switches, rows.trees, operations, self._keys.depth
        )
        if len(touched):
            self.tables.record(changes, in_ports.tolist(), touched.tolist(), judged.tolist())
        for tree in self._dissolved:
            if not tree.ads:
                rows.remove_tree(tree)
        self._dissolved.clear()

    def entry_rows(self, number: int) -> Ints:
        """Return the plain entries of a trie: cell, outputs, suppressed outputs, whether shadowed."""
        switch = self._rows.switches[number]
        found: Ints = entries_of(self._nodes, switch[port_semantics.ROOT], switch)
        return found

    def entries(self, number: int, installed: bool = False) -> dict[Key, PortMask]:
        """Return the plain entries of a trie; if `installed`, without their suppressed outputs."""
        rows = self.entry_rows(number)
        rows = rows[(rows[:, 1] > 0) & (rows[:, 3] == 0)]
        if installed:
            rows[:, 1] &= ~rows[:, 2]
        found = rows[:, :2].tolist()
        if not self._keys.shift:
            return dict(found)
        return {self._keys.widen(short): outputs for short, outputs in found}

    def materialise(self, number: int) -> None:
        """Store the plain entries and changes of a trie in its plain table from now on."""
        if number in self.tables.stored:
            return
        touched = {key: before for key, before, _ in self.tables.take_changes_of(number)}
        widen = self._keys.widen
        rows = self.entry_rows(number)[:, :3].tolist()
        entries = [(widen(short), outputs, suppressed) for short, outputs, suppressed in rows]
        self._store_table(number)
        self.tables.forget_shadowed(number)
        self.tables.tries[number].plain_table.load_entries(entries, touched)

    def owned_keys(self, number: int, low: Key, high: Key) -> list[Key]:
        """Return the cells with owners at a switch, from `low` up to but not including `high`."""
        keys, root = self._keys, self._rows.switches[number, port_semantics.ROOT]
        found = owned_between(
            self._nodes, keys.depth, root, keys.narrow_bound(low), keys.narrow_bound(high)
        ).tolist()
        return list(map(keys.widen, found)) if keys.shift else found

    def leave(self) -> None:
        """Put everything back into the layers of the tries, which continue without compiled code."""
        self.run()
        trees = self._rows.trees_by_row
        for number, trie in enumerate(self.tables.tries):
            self.materialise(number)
            trie.propagator.load_layers(*self._owners(number, trees))
            trie.store_in_layers()
        for tree in trees.values():
            tree.load_crossings(self._rows.crossings(tree))
        self._on_leave()

    def _owners(
        self, number: int, trees: Mapping[int, Tree]
    ) -> tuple[dict[Key, PortMask], dict[Key, PortMask], dict[Key, Tree]]:
        """Return the masks of subscribed and of advertised cells of a trie, and trees of the latter."""
        subscribed, advertised, tree_of = {}, {}, {}
        for short, s_mask, a_mask, row in owners(
            self._nodes, self._rows.switches[number, port_semantics.ROOT]
        ).tolist():
            key = self._keys.widen(short)
            if s_mask:
                subscribed[key] = s_mask
            if a_mask:
                advertised[key] = a_mask
                tree_of[key] = trees[row]
        return subscribed, advertised, tree_of

    def _load(self, number: int, trie: SwitchTrie) -> None:
        """Move the content of the layers of a trie to its nodes."""
        narrow = self._keys.narrow
        packed: list[int] = []
        for key, mask in trie.propagator.subscriptions.own.items():
            packed += (OWN_SUBS, number, narrow(key), mask, -1)
        ads = trie.propagator.advertisements
        for key, mask in ads.own.items():
            packed += (OWN_ADS, number, narrow(key), mask, self._rows.row_of(ads.tree[key]))
        operations = np.array(packed, np.int64)
        for start in range(0, operations.size, _CHUNK * WORDS):
            part = operations[start : start + _CHUNK * WORDS]
            self._reserve_nodes()
            self._nodes, *_ = run(self._nodes, self._rows.switches, self._rows.trees, part, self._keys.depth)
        trie.propagator.load_layers()
        if trie.overlay is not None:
            self._store_table(number)
            return
        table = trie.plain_table
        touched = {key: before for key, before, _ in table.changes()}
        self.tables.load_shadowed(number, table.shadowed)
        table.load_entries((), {})
        trie.storage.load_changes(touched)

    def _store_table(self, number: int) -> None:
        self.tables.stored[number] = self.tables.tries[number]
        self._rows.switches[number, port_semantics.KEPT] = 1

    def _reserve_nodes(self) -> None:
        """Reserve memory for nodes before the kernel needs it, because the kernel would copy them."""
        used = int(self._nodes[0, RIGHT])
        if self._space.wanted(self._nodes, used):
            holder = [self._nodes]
            del self._nodes
            self._nodes = self._space.larger(holder, used)
