"""Tables: content entries, their actions, and the differences between two tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, Literal, NamedTuple

IN_PORT: Final = "in_port"
"""The port that a packet came from."""

LOWEST_PRIORITY = 2
HIGHEST_PRIORITY = 60_000
"""Content entries are between the reserved ones (drop, punt) and those of the switches themselves."""

IN_PORT_RISE = 1_000
"""Added to the priority of an entry with `in_port`; it exceeds all priorities without `in_port`."""


@dataclass(frozen=True, slots=True)
class Output:
    """Send a copy out of a port; IN_PORT is the port that the packet came from."""

    port: int | Literal["in_port"]

    def to_json(self) -> dict[str, object]:
        """Return the action as in a plan."""
        return {"output": self.port}


@dataclass(frozen=True, slots=True)
class SetDst:
    """Rewrite the destination to a host's IP and MAC address."""

    host: str

    def to_json(self) -> dict[str, object]:
        """Return the action as in a plan."""
        return {"set_dst": self.host}


Action = Output | SetDst
MatchKey = tuple[str, int | None]


class Entry(NamedTuple):
    """One content filter, with the `actions` for events to `dst` (a CIDR prefix).

    If `in_port` is set, only events from that port match.
    """

    dst: str
    in_port: int | None
    priority: int
    actions: tuple[Action, ...]

    @property
    def key(self) -> MatchKey:
        """Key that distinguishes the entries of one switch."""
        return self.dst, self.in_port

    def to_json(self) -> dict[str, object]:
        """Return the entry as a flow of a plan."""
        match: dict[str, object] = {"dst": self.dst}
        if self.in_port is not None:
            match["in_port"] = self.in_port
        return {
            "match": match,
            "priority": self.priority,
            "actions": [action.to_json() for action in self.actions],
        }


Table = tuple[Entry, ...]

_dst = itemgetter(0)
_port_of = itemgetter(1)
_priority = itemgetter(2)


def _in_port(entry: Entry) -> int:
    return entry[1] or 0


@dataclass(frozen=True, slots=True)
class SwitchDiff:
    """Changes at one switch: longest prefixes first for additions, shortest first for removals.

    An entry is replaced in one step. In this order, every event matches either the old or the new entries at
    any time.
    """

    switch: str
    added: tuple[Entry, ...] = ()
    modified: tuple[Entry, ...] = ()
    removed: tuple[Entry, ...] = ()

    def __len__(self) -> int:
        return len(self.added) + len(self.modified) + len(self.removed)

    @property
    def installs(self) -> tuple[Entry, ...]:
        """Added and modified entries together, in the order of their installation."""
        return tuple(sorted(self.added + self.modified, key=_longest_first))


@dataclass(frozen=True, slots=True)
class Diff:
    """Changes in a network; the switches are in the order from subscribers to publishers.

    This is the order of additions. Removals follow after all additions, in the reverse order. `crossings` are
    changes of the stubs behind borders: they are verified, and no switch gets them.
    """

    switches: tuple[SwitchDiff, ...] = ()
    crossings: tuple[SwitchDiff, ...] = ()

    def __len__(self) -> int:
        return sum(map(len, self.switches))

    def __iter__(self) -> Iterator[SwitchDiff]:
        return iter(self.switches)

    def without(self, stubs: Collection[str]) -> Diff:
        """Return this diff with the changes of `stubs` among the crossings."""
        if not stubs:
            return self
        own = tuple(change for change in self.switches if change.switch not in stubs)
        return Diff(own, tuple(change for change in self.switches if change.switch in stubs))

    def apply(self, tables: Mapping[str, Iterable[Entry]]) -> dict[str, Table]:
        """Return the tables after all changes; `tables` stays unchanged."""
        after = {switch: tuple(entries) for switch, entries in tables.items()}
        for change in self.switches:
            gone = {entry.key for entry in change.removed + change.modified}
            kept = (entry for entry in after.get(change.switch, ()) if entry.key not in gone)
            after[change.switch] = ordered((*kept, *change.added, *change.modified))
        return {switch: table for switch, table in after.items() if table}


def difference(switch: str, before: Iterable[Entry], after: Iterable[Entry]) -> SwitchDiff:
    """Compute the smallest change from one table of `switch` to another."""
    old = {entry.key: entry for entry in before}
    new = {entry.key: entry for entry in after}
    added = (entry for key, entry in new.items() if key not in old)
    modified = (entry for key, entry in new.items() if key in old and old[key] != entry)
    removed = (entry for key, entry in old.items() if key not in new)
    return switch_diff(switch, added, modified, removed)


def switch_diff(
    switch: str, added: Iterable[Entry], modified: Iterable[Entry], removed: Iterable[Entry]
) -> SwitchDiff:
    """Return a change with its entries in the order in which they are applied."""
    return SwitchDiff(switch, _sorted(list(added)), _sorted(list(modified)), _sorted(list(removed))[::-1])


def plain_switch_diff(
    switch: str, added: list[Entry], modified: list[Entry], removed: list[Entry]
) -> SwitchDiff:
    """Sort entries without `in_port` like `switch_diff`; the lists are sorted in place."""
    for rows in (added, modified, removed):
        if len(rows) > 1:
            _sort_plain(rows)
    return SwitchDiff(switch, tuple(added), tuple(modified), tuple(removed[::-1]))


def _sorted(rows: list[Entry]) -> Table:
    """Sort by prefix length (longest first), then by address and port."""
    if len(rows) > 1:
        if any(map(_port_of, rows)):
            rows.sort(key=_in_port)
        _sort_plain(rows)
    return tuple(rows)


def _sort_plain(rows: list[Entry]) -> None:
    """Sort by prefix length (longest first), then by address; equal entries keep their order."""
    rows.sort(key=_dst)
    rows.sort(key=_priority, reverse=True)


def ordered(entries: Iterable[Entry]) -> Table:
    """Sort the entries of a table by priority, then address, for display and comparison."""
    return tuple(sorted(entries, key=lambda entry: (entry.priority, entry.dst, entry.in_port or 0)))


def _longest_first(entry: Entry) -> tuple[int, str, int]:
    return -entry.priority, entry.dst, entry.in_port or 0
