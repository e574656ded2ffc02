"""Storage of one trie in the arrays of its topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from tercast.routing.cell_keys import Key
from tercast.routing.kernels.compiled_tables import CompiledTables
from tercast.routing.kernels.operations import ADVERTISE, SUBSCRIBE, UNADVERTISE, UNSUBSCRIBE
from tercast.routing.port_semantics import PortBit, PortMask
from tercast.routing.spanning_tree import Tree
from tercast.routing.switch_trie import SwitchTrie


class CompiledArrays(Protocol):
    """The arrays of one topic, as the storage of a trie uses them. Tries have numbers."""

    tables: CompiledTables

    def prepare(self, trie: SwitchTrie, keys: Iterable[Key]) -> None:
        """Prepare for updates of cells; the topic leaves the arrays if they cannot hold these."""

    def add_updates(
        self, operation: int, number: int, keys: Sequence[Key], bit: PortBit, tree: Tree | None
    ) -> None:
        """Collect updates of cells."""

    def change_links(self, number: int, tree: Tree, before: PortMask) -> None:
        """Collect a change of the link ports of a tree."""

    def owned_keys(self, number: int, low: Key, high: Key) -> list[Key]:
        """Return the cells that have owners."""

    def entries(self, number: int, installed: bool = False) -> dict[Key, PortMask]:
        """Return the plain entries; with `installed`, without their suppressed outputs."""

    def materialise(self, number: int) -> None:
        """Store the entries and changes in the plain table from now on."""


class CompiledStorage:
    """An implementation of `tercast.routing.trie_storage.TrieStorage`."""

    __slots__ = ("_number", "_topic", "_trie")

    def __init__(self, topic: CompiledArrays, trie: SwitchTrie, number: int) -> None:
        self._topic = topic
        self._trie = trie
        self._number = number

    @property
    def shared_changes(self) -> CompiledTables:
        """The changes of all tries of the topic whose tables are not stored."""
        return self._topic.tables

    def prepare(self, keys: Iterable[Key]) -> None:
        """Prepare for updates of cells; the topic leaves the arrays if they cannot hold these."""
        self._topic.prepare(self._trie, keys)

    def update_subscriptions(self, added: Sequence[Key], removed: Sequence[Key], bit: PortBit) -> None:
        """Let `bit` subscribe to the `added` cells, and no longer to the `removed` ones."""
        if added:
            self._topic.add_updates(SUBSCRIBE, self._number, added, bit, None)
        if removed:
            self._topic.add_updates(UNSUBSCRIBE, self._number, removed, bit, None)

    def update_advertisements(
        self, added: Sequence[Key], removed: Sequence[Key], bit: PortBit, tree: Tree | None
    ) -> None:
        """Let `bit` advertise the `added` cells in `tree`, and no longer the `removed` ones."""
        if added:
            self._topic.add_updates(ADVERTISE, self._number, added, bit, tree)
        if removed:
            self._topic.add_updates(UNADVERTISE, self._number, removed, bit, None)

    def change_links(self, tree: Tree, before: PortMask, after: PortMask) -> None:
        """Change the link ports that `tree` uses here from `before` to its current mask."""
        self._topic.change_links(self._number, tree, before)

    def owned_keys(self, low: Key, high: Key) -> list[Key]:
        """Return the cells that have owners, depth first, from `low` up to but not including `high`."""
        return self._topic.owned_keys(self._number, low, high)

    def entries(self) -> dict[Key, PortMask]:
        """Return the plain entries; a new dictionary unless they are stored."""
        if self._is_table_stored:
            return self._trie.plain_table.entries
        return self._topic.entries(self._number)

    def installed(self) -> Mapping[Key, PortMask]:
        """Return the plain entries without their suppressed outputs."""
        if self._is_table_stored:
            return self._trie.plain_table.installed()
        return self._topic.entries(self._number, installed=True)

    def load_changes(self, touched: dict[Key, PortMask]) -> None:
        """Set the outputs that were installed at touched cells when changes were last taken."""
        if self._is_table_stored:
            self._trie.plain_table.load_changes(touched)
        elif touched:
            now = self.installed()
            changes = [(key, before, now.get(key, 0)) for key, before in touched.items()]
            self._topic.tables.load_changes(self._number, changes)

    def materialise(self) -> None:
        """Store the entries and changes in the plain table from now on."""
        self._topic.materialise(self._number)

    @property
    def _is_table_stored(self) -> bool:
        return self._number in self._topic.tables.stored
