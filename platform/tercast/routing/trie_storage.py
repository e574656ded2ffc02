"""Storage of the subscriptions, advertisements and plain entries of one topic at one switch.

There are two implementations: `LayerStorage` in dictionaries, and `CompiledStorage` in the arrays of compiled
code, which derives plain entries on demand. If aggregation needs a dictionary of the entries,
`CompiledStorage` keeps one (`materialise`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from tercast.routing.cell_keys import Key
from tercast.routing.exact_tables import PlainTable
from tercast.routing.port_semantics import PortBit, PortMask
from tercast.routing.propagation import Propagator
from tercast.routing.spanning_tree import Tree

EntryChange = tuple[Key, PortMask, PortMask]
"""A plain entry: its cell, outputs before and after (0: no entry)."""

EntryChanges = dict[PlainTable, list[EntryChange]]
"""The changes of plain entries by their table."""


class SharedChanges(Protocol):
    """Changes of plain entries of many tries that are not stored in their tables."""

    def take_changes(self) -> EntryChanges:
        """Return the changes since the last call."""


class TrieStorage(Protocol):
    """The layers and the plain table of one topic at one switch."""

    @property
    def shared_changes(self) -> SharedChanges | None:
        """The object that has the changes of plain entries; None if that is always the plain table."""

    def prepare(self, keys: Iterable[Key]) -> None:
        """Prepare for updates of cells; a storage that cannot hold them is replaced in its trie."""

    def update_subscriptions(self, added: Sequence[Key], removed: Sequence[Key], bit: PortBit) -> None:
        """Let `bit` subscribe to the `added` cells, and no longer to the `removed` ones."""

    def update_advertisements(
        self, added: Sequence[Key], removed: Sequence[Key], bit: PortBit, tree: Tree | None
    ) -> None:
        """Let `bit` advertise the `added` cells in `tree`, and no longer the `removed` ones."""

    def change_links(self, tree: Tree, before: PortMask, after: PortMask) -> None:
        """Change the link ports that `tree` uses here from one mask to another."""

    def owned_keys(self, low: Key, high: Key) -> list[Key]:
        """Return the cells that have owners, depth first, from `low` up to but not including `high`."""

    def entries(self) -> dict[Key, PortMask]:
        """Return the plain entries; a new dictionary unless they are stored."""

    def installed(self) -> Mapping[Key, PortMask]:
        """Return the plain entries without their suppressed outputs."""

    def load_changes(self, touched: dict[Key, PortMask]) -> None:
        """Set the outputs that were installed at touched cells when changes were last taken."""

    def materialise(self) -> None:
        """Store the entries and changes in the plain table from now on."""


class LayerStorage:
    """Storage in the dictionaries of a propagator and a plain table."""

    __slots__ = ("_propagator", "_table", "shared_changes")

    def __init__(self, propagator: Propagator, table: PlainTable) -> None:
        self.shared_changes = None
        self._propagator = propagator
        self._table = table

    def prepare(self, keys: Iterable[Key]) -> None:
        """Accept all cells."""

    def update_subscriptions(self, added: Sequence[Key], removed: Sequence[Key], bit: PortBit) -> None:
        """Let `bit` subscribe to the `added` cells, and no longer to the `removed` ones."""
        for key in added:
            self._propagator.add_subscriber(key, bit)
        for key in removed:
            self._propagator.remove_subscriber(key, bit)

    def update_advertisements(
        self, added: Sequence[Key], removed: Sequence[Key], bit: PortBit, tree: Tree | None
    ) -> None:
        """Let `bit` advertise the `added` cells in `tree`, and no longer the `removed` ones."""
        for key in added:
            assert tree is not None
            self._propagator.add_advertiser(key, bit, tree)
        for key in removed:
            self._propagator.remove_advertiser(key, bit)

    def change_links(self, tree: Tree, before: PortMask, after: PortMask) -> None:
        """Change the link ports that `tree` uses here from one mask to another."""
        self._propagator.change_links(tree, before, after)

    def owned_keys(self, low: Key, high: Key) -> list[Key]:
        """Return the cells that have owners, depth first, from `low` up to but not including `high`."""
        return self._propagator.owned_keys(low, high)

    def entries(self) -> dict[Key, PortMask]:
        """Return the plain entries: the dictionary itself, which follows every change."""
        return self._table.entries

    def installed(self) -> Mapping[Key, PortMask]:
        """Return the plain entries without their suppressed outputs."""
        return self._table.installed()

    def load_changes(self, touched: dict[Key, PortMask]) -> None:
        """Set the outputs that were installed at touched cells when changes were last taken."""
        self._table.load_changes(touched)

    def materialise(self) -> None:
        """Do nothing: the plain table has all entries."""
