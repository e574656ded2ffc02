"""From masks to entries: the tables of switches, and what has changed in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tercast.addressing import AddressPlan
from tercast.keys import LENGTH_MASK, Key
from tercast.queue import Queue
from tercast.site import Mask
from tercast.tables import (
    IN_PORT_RISE,
    LOWEST_PRIORITY,
    Diff,
    Entry,
    SwitchDiff,
    Table,
    ordered,
    switch_diff,
)
from tercast.trie import InPortMasks, Trie


def entries_of(tries: Iterable[Trie], address: AddressPlan) -> Table:
    """The table of a switch: the entries of all its topics, by priority and address."""
    found: list[Entry] = []
    for trie in tries:
        found += (_entry(trie, key, mask, address) for key, mask in trie.entries.items())
        found += (
            _in_entry(trie, port, key, masks, address) for (port, key), masks in trie.in_entries.items()
        )
    return ordered(found)


def take_changes(queue: Queue, address: AddressPlan) -> Diff:
    """The net change of all tables since the last call; switches in the order in which changes reached them.

    Changes spread from subscribers towards publishers, so that is the order of adding.
    """
    by_switch: dict[str, list[Trie]] = {}
    for trie in queue.tries:
        by_switch.setdefault(trie.site.id, []).append(trie)
    diffs = [_switch_changes(switch, tries, address) for switch, tries in by_switch.items()]
    for trie in queue.tries:
        trie.touched = {}
        trie.in_touched = {}
    queue.tries = []
    return Diff(tuple(diff for diff in diffs if len(diff)))


def _switch_changes(switch: str, tries: Iterable[Trie], address: AddressPlan) -> SwitchDiff:
    added: list[Entry] = []
    modified: list[Entry] = []
    removed: list[Entry] = []
    for trie in tries:
        for before, after in (*_plain_changes(trie, address), *_in_port_changes(trie, address)):
            if after is None:
                removed += () if before is None else (before,)
            else:
                (added if before is None else modified).append(after)
    return switch_diff(switch, added, modified, removed)


def _plain_changes(trie: Trie, address: AddressPlan) -> Iterator[tuple[Entry | None, Entry | None]]:
    for key, before in trie.touched.items():
        after = trie.entries.get(key, 0)
        if before != after:
            yield (
                _entry(trie, key, before, address) if before else None,
                _entry(trie, key, after, address) if after else None,
            )


def _in_port_changes(trie: Trie, address: AddressPlan) -> Iterator[tuple[Entry | None, Entry | None]]:
    for (port, key), before in trie.in_touched.items():
        after = trie.in_entries.get((port, key))
        if before != after:
            yield (
                None if before is None else _in_entry(trie, port, key, before, address),
                None if after is None else _in_entry(trie, port, key, after, address),
            )


def _entry(trie: Trie, key: Key, outputs: Mask, address: AddressPlan) -> Entry:
    dst = address.match(trie.code, trie.order.dz(key))
    return Entry(dst, None, _priority(key, address), trie.site.actions(outputs))


def _in_entry(trie: Trie, port: int, key: Key, masks: InPortMasks, address: AddressPlan) -> Entry:
    dst = address.match(trie.code, trie.order.dz(key))
    return Entry(dst, port, _priority(key, address) + IN_PORT_RISE, trie.site.actions(*masks))


def _priority(key: Key, address: AddressPlan) -> int:
    return address.topic_bits + (key & LENGTH_MASK) + LOWEST_PRIORITY
