"""Changes of tables that compiled code reports, and the plain tables that are stored anyway."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tercast.routing.cell_keys import Key
from tercast.routing.kernels import port_semantics
from tercast.routing.kernels.node_keys import NodeKeys
from tercast.routing.kernels.propagation import SUPPRESSED_OUTPUTS
from tercast.routing.kernels.table_changes import AFTER, BEFORE, KEY, SWITCH, ChangeRows
from tercast.routing.switch_trie import SwitchTrie
from tercast.routing.trie_storage import EntryChange, EntryChanges
from tercast.runtime.growable_array import Ints


class CompiledTables:
    """The tables of `tries`, whose numbers are their positions.

    Changes of plain entries are rows until they are taken. The tries in `stored` have their entries and
    changes in their plain tables instead.
    """

    __slots__ = ("_changes", "_keys", "_shadowed", "stored", "tries")

    def __init__(self, keys: NodeKeys) -> None:
        self._keys = keys
        self._changes = ChangeRows()
        self._shadowed: set[tuple[int, int]] = set()
        self.tries: list[SwitchTrie] = []
        self.stored: dict[int, SwitchTrie] = {}

    def record(
        self, changes: Ints, in_ports: list[list[int]], touched: list[list[int]], judged: list[list[int]]
    ) -> None:
        """Record the results of `propagation.run`: changes of all tables.

        Args:
            changes: Changes of plain entries.
            in_ports: Changes of in-port entries, and of suppressed outputs of stored tables.
            touched: The switches with changes, each with the increase of its plain entries.
            judged: The entries that may become shadowed, or may no longer be shadowed.
        """
        self._record_touched(touched)
        self._record_in_ports(in_ports)
        if self.stored:
            changes = self._record_stored(changes)
        if self._shadowed or judged:
            changes = self._without_shadowed(changes, judged)
        self._changes.add(changes, len(self.tries))

    def take_changes(self) -> EntryChanges:
        """Return the changes of plain entries that are not stored, since the last call."""
        rows, groups = self._changes.take(len(self.tries))
        changes = self._read(rows)
        found: EntryChanges = {}
        start = 0
        for number, rows_here in groups.tolist():
            found[self.tries[number].plain_table] = changes[start : start + rows_here]
            start += rows_here
        return found

    def take_changes_of(self, number: int) -> list[EntryChange]:
        """Return the changes of plain entries of one trie, and forget them."""
        return self._read(self._changes.take_out(number, len(self.tries)))

    def load_changes(self, number: int, changes: Iterable[EntryChange]) -> None:
        """Set the changes of plain entries of a trie that has none."""
        narrow = self._keys.narrow
        rows = [(number, narrow(key), before, after) for key, before, after in changes]
        self._changes.add(np.array(rows, np.int64).reshape(-1, 4), len(self.tries))

    def load_shadowed(self, number: int, keys: Iterable[Key]) -> None:
        """Set the shadowed entries of a trie that has none."""
        self._shadowed.update((number, self._keys.narrow(key)) for key in keys)

    def forget_shadowed(self, number: int) -> None:
        """Forget which entries of a trie are shadowed."""
        self._shadowed = {at for at in self._shadowed if at[0] != number}

    def _record_touched(self, touched: list[list[int]]) -> None:
        tries, stored = self.tries, self.stored
        for number, more in touched:
            trie = tries[number]
            trie.record_change()
            if number not in stored:
                trie.site.count += more

    def _record_in_ports(self, in_ports: list[list[int]]) -> None:
        tries, keys, no_entry = self.tries, self._keys, port_semantics.NONE
        is_deep = bool(keys.shift)
        for number, short, place, outputs, back in in_ports:
            trie, key = tries[number], keys.widen(short) if is_deep else short
            if place == SUPPRESSED_OUTPUTS:
                trie.plain_table.set_suppressed_outputs(key, outputs)
                continue
            at = trie.site.socket(1 << place).port, key
            trie.in_port_table.set_entry(at, None if outputs == no_entry else (outputs, back))

    def _record_stored(self, changes: Ints) -> Ints:
        """Record changes of stored tables in these tables; return the other changes."""
        here = np.isin(changes[:, SWITCH], list(self.stored))
        for number, short, before, after in changes[here].tolist():
            self.stored[number].plain_table.set_entry(self._keys.widen(short), before, after)
        return changes[~here]

    def _without_shadowed(self, changes: Ints, judged: list[list[int]]) -> Ints:
        """Convert changes of entries, shadowed or not, to changes of installed entries.

        Args:
            changes: Changes of plain entries.
            judged: Entries that may become shadowed or may no longer be shadowed: switch, cell, whether both
                halves of the cell are full, current outputs.
        """
        shadowed, stored = self._shadowed, self.stored
        found = {(number, key): (full, now) for number, key, full, now in judged if number not in stored}
        rows: list[list[int]] = []
        places: dict[tuple[int, int], int] = {}
        for row in changes.tolist():
            at = row[SWITCH], row[KEY]
            if at not in shadowed and at not in found:
                rows.append(row)
            elif at in places:
                rows[places[at]][AFTER] = row[AFTER]
            else:
                places[at] = len(rows)
                rows.append(row)
        for at, (full, now) in found.items():
            if at not in places and bool(full) != (at in shadowed):
                places[at] = len(rows)
                rows.append([*at, now, now])
        for at, place in places.items():
            self._apply_shadowing(at, rows[place], bool(found.get(at, (at in shadowed, 0))[0]))
        return np.array(rows, np.int64).reshape(-1, 4)

    def _apply_shadowing(self, at: tuple[int, int], row: list[int], is_full: bool) -> None:
        """Convert the change of an entry to a change of the installed entry, by its new shadowing."""
        was, now = at in self._shadowed, is_full and bool(row[AFTER])
        site = self.tries[at[0]].site
        site.count += (was and bool(row[BEFORE])) - now
        row[BEFORE], row[AFTER] = 0 if was else row[BEFORE], 0 if now else row[AFTER]
        (self._shadowed.add if now else self._shadowed.discard)(at)

    def _read(self, rows: Ints) -> list[EntryChange]:
        changes: list[EntryChange] = rows[:, KEY:].tolist()
        if self._keys.shift:
            widen = self._keys.widen
            return [(widen(short), before, after) for short, before, after in changes]
        return changes
