"""Conversion of masks to entries: the tables of switches, and their changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tercast.aggregation.incremental.installed_table import InstalledTable as Installed
from tercast.aggregation.incremental.overlay import TopicOverlay, topic_overlay
from tercast.eventspace.address_plan import AddressPlan
from tercast.routing.cell_keys import LENGTH_MASK, Key
from tercast.routing.exact_tables import InPortKey, InPortMasks
from tercast.routing.switch_ports import PortMask
from tercast.routing.switch_trie import SwitchTrie, TrieTracker
from tercast.routing.table_changes import take_compiled_changes
from tercast.routing.trie_storage import EntryChange, EntryChanges
from tercast.tables.entries import (
    IN_PORT_RISE,
    LOWEST_PRIORITY,
    Diff,
    Entry,
    SwitchDiff,
    Table,
    ordered,
    plain_switch_diff,
    switch_diff,
)

TableRow = tuple[str, int]
TableRows = dict[Key, TableRow]

_KEPT_ROWS = 50_000


class TableWriter:
    """Writes entries, with a bounded cache of prefixes, which many switches share."""

    __slots__ = ("_address", "_kept", "_rows")

    def __init__(self, address: AddressPlan) -> None:
        self._address = address
        self._rows: dict[int, TableRows] = {}
        self._kept = 0

    def rows(self, code: int) -> TableRows:
        """Return the cached prefixes and priorities of a topic's cells."""
        rows = self._rows.get(code)
        if rows is None:
            rows = self._rows[code] = {}
        return rows

    def plain(self, trie: SwitchTrie, key: Key, outputs: PortMask) -> Entry:
        """Return the entry of a cell with these outputs."""
        dst, priority = self.rows(trie.code).get(key) or self.row(trie, key)
        return Entry(dst, None, priority, trie.site.actions(outputs))

    def in_port(self, trie: SwitchTrie, at: InPortKey, masks: InPortMasks) -> Entry:
        """Return the entry of a port and cell with outputs to other ports and back."""
        port, key = at
        dst, priority = self.rows(trie.code).get(key) or self.row(trie, key)
        return Entry(dst, port, priority + IN_PORT_RISE, trie.site.actions(*masks))

    def installed(self, table: Installed, key: Key, mask: PortMask) -> Entry:
        """Return the entry of a cell in a table that aggregation maintains."""
        if not table.port:
            return self.plain(table.trie, key, mask)
        return self.in_port(
            table.trie, (table.port, key), (mask & ~table.exact.mates, mask & table.exact.mates)
        )

    def table(self, tries: Iterable[SwitchTrie], exact: bool = False) -> Table:
        """Return the table of a switch: the entries of all its topics, by priority and address.

        `exact` selects the exact entries, even if others are installed.
        """
        found: list[Entry] = []
        for trie in tries:
            overlay = None if exact or trie.site.overlay is None else topic_overlay(trie)
            if overlay is not None:
                for table, rows in overlay.rows():
                    found += [self.installed(table, key, mask) for key, mask in rows.items()]
                continue
            found += [self.plain(trie, key, mask) for key, mask in trie.installed_entries.items()]
            found += [self.in_port(trie, at, masks) for at, masks in trie.in_port_table.entries.items()]
        return ordered(found)

    def row(self, trie: SwitchTrie, key: Key) -> TableRow:
        """Compute the prefix and priority of a cell, and cache them."""
        if self._kept >= _KEPT_ROWS:
            self._kept = 0
            for rows in self._rows.values():
                rows.clear()
        self._kept += 1
        dst = self._address.match(trie.code, trie.order.dz(key))
        priority = self._address.topic_bits + (key & LENGTH_MASK) + LOWEST_PRIORITY
        row = self.rows(trie.code)[key] = (dst, priority)
        return row


def take_changes(tracker: TrieTracker, writer: TableWriter) -> Diff:
    """Return the net change of all tables since the last call.

    Changes propagate from subscribers to publishers. The switches are in the order in which changes reached
    them, which is also the order of additions.
    """
    if not tracker.tries:
        return _NOTHING
    by_switch: dict[str, list[SwitchTrie]] = {}
    tries = tracker.take_tries()
    compiled = take_compiled_changes(tries)
    for trie in tries:
        by_switch.setdefault(trie.site.id, []).append(trie)
    diffs = [_switch_changes(switch, some, compiled, writer) for switch, some in by_switch.items()]
    for trie in tries:
        if trie.plain_table not in compiled:
            trie.plain_table.forget_changes()
        if trie.in_port_table.touched:
            trie.in_port_table.forget_changes()
    return Diff(tuple([diff for diff in diffs if diff.added or diff.modified or diff.removed]))


_NOTHING = Diff()
_make = tuple.__new__  # the constructor of a named tuple without its overhead


def _switch_changes(
    switch: str,
    tries: Sequence[SwitchTrie],
    compiled: EntryChanges,
    writer: TableWriter,
) -> SwitchDiff:
    added: list[Entry] = []
    modified: list[Entry] = []
    removed: list[Entry] = []
    only = compiled.get(tries[0].plain_table) if len(tries) == 1 else None
    if only is not None and not tries[0].in_port_table.touched:
        _plain_changes(tries[0], only, writer, (added, modified, removed))
        return plain_switch_diff(switch, added, modified, removed)
    for trie in tries:
        overlay = None if trie.site.overlay is None else topic_overlay(trie)
        if overlay is not None:
            _installed_changes(overlay, writer, added, modified, removed)
            continue
        changes: Iterable[EntryChange] | None = compiled.get(trie.plain_table)
        if changes is None and trie.plain_table.touched:
            changes = trie.plain_table.changes()
        if changes:
            _plain_changes(trie, changes, writer, (added, modified, removed))
        if trie.in_port_table.touched:
            _in_port_changes(trie, writer, added, modified, removed)
    return switch_diff(switch, added, modified, removed)


def _plain_changes(
    trie: SwitchTrie, changes: Iterable[EntryChange], writer: TableWriter, lists: tuple[list[Entry], ...]
) -> None:
    """Add changes of plain entries to the lists of added, modified and removed entries.

    This is equivalent to `TableWriter.plain`, without a call for each entry.
    """
    added, modified, removed = lists
    rows, actions = writer.rows(trie.code), trie.site.actions
    renamed = trie.site.has_retired  # then different masks may have the same meaning
    for key, before, after in changes:
        if before == after:
            continue
        dst, priority = rows.get(key) or writer.row(trie, key)
        entry = _make(Entry, (dst, None, priority, actions(after or before)))
        if not after:
            removed.append(entry)
        elif before:
            if not renamed or actions(before) != entry.actions:
                modified.append(entry)
        else:
            added.append(entry)


def _in_port_changes(
    trie: SwitchTrie,
    writer: TableWriter,
    added: list[Entry],
    modified: list[Entry],
    removed: list[Entry],
) -> None:
    """Add changes of in-port entries to the lists of added, modified and removed entries."""
    for at, masks in trie.in_port_table.touched.items():
        now = trie.in_port_table.entries.get(at)
        if masks == now:
            continue
        if now is not None:
            entry = writer.in_port(trie, at, now)
            if masks is None:
                added.append(entry)
            elif not trie.site.has_retired or writer.in_port(trie, at, masks) != entry:
                modified.append(entry)
        elif masks is not None:
            removed.append(writer.in_port(trie, at, masks))


def _installed_changes(
    overlay: TopicOverlay,
    writer: TableWriter,
    added: list[Entry],
    modified: list[Entry],
    removed: list[Entry],
) -> None:
    """Add changes of tables that aggregation maintains, and mark them as taken."""
    for table in overlay.tables.values():
        for key, before in table.touched.items():
            after = table.value(key)
            if before == after:
                continue
            if after is not None:
                (added if before is None else modified).append(writer.installed(table, key, after))
            elif before is not None:
                removed.append(writer.installed(table, key, before))
    overlay.take_changes()
