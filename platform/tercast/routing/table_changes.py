"""Changes of tables: taking them, and setting them aside during a dry run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tercast.routing.cell_keys import Key
from tercast.routing.exact_tables import InPortKey, InPortMasks
from tercast.routing.port_semantics import PortMask
from tercast.routing.switch_trie import SwitchTrie, TrieTracker
from tercast.routing.table_overlay import InstalledBefore
from tercast.routing.trie_storage import EntryChanges


def take_compiled_changes(tries: Iterable[SwitchTrie]) -> EntryChanges:
    """Take the changes of plain entries that compiled code has for tries."""
    found: EntryChanges = {}
    for shared in dict.fromkeys(trie.storage.shared_changes for trie in tries):
        if shared is not None:
            found.update(shared.take_changes())
    return found


class _TrieChanges(NamedTuple):
    """Changes of one trie: in its plain table, its in-port table and its installed tables."""

    trie: SwitchTrie
    touched: dict[Key, PortMask]
    in_port_touched: dict[InPortKey, InPortMasks | None]
    installed: InstalledBefore | None


class DetachedChanges:
    """All changes of a tracker, set aside; the tracker starts again without changes."""

    def __init__(self, tracker: TrieTracker) -> None:
        self._tracker = tracker
        self._changes: list[_TrieChanges] = []
        tries = tracker.take_tries()
        compiled = take_compiled_changes(tries)
        for trie in tries:
            plain, in_port, overlay = trie.plain_table, trie.in_port_table, trie.overlay
            touched = {key: before for key, before, _ in compiled.get(plain) or plain.changes()}
            installed = None if overlay is None else overlay.take_changes()
            self._changes.append(_TrieChanges(trie, touched, in_port.touched, installed))
            trie.forget_changes()

    def reattach(self) -> None:
        """Return the changes to the tracker; tables must be as they were at the start."""
        self._tracker.take_tries()
        for trie, touched, in_port_touched, installed in self._changes:
            overlay = trie.overlay
            self._tracker.track(trie)
            if overlay is None or installed is None:
                trie.storage.load_changes(touched)
                trie.in_port_table.touched = in_port_touched
            if overlay is not None:
                if installed is None:  # aggregation started here since then
                    overlay.load_exact_changes()
                else:
                    overlay.load_changes(installed)
