"""Lookup in one switch's table: the entry that an event matches, and all events of an entry."""

from __future__ import annotations

from collections.abc import Iterable

from tercast.errors import Refused
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import Dz, DzSet, canonical, covers, difference, overlaps
from tercast.tables.entries import Entry

Rank = tuple[int, int, int]
"""Rank of a matching entry; the largest wins: priority, shorter prefix, earlier entry."""


class TopicTable:
    """The entries of one topic at one switch."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Iterable[Entry], address: AddressPlan, code: int) -> None:
        found: list[tuple[Rank, Dz, Entry]] = []
        for number, entry in enumerate(entries):
            try:
                own, dz = address.parse_match(entry.dst)
            except Refused:
                continue  # no event has such an address
            if own == code:
                found.append(((entry.priority, -dz.bit_length(), -number), dz, entry))
        self._entries = found

    def hit(self, full: Dz, in_port: int) -> Entry | None:
        """The entry that an event from a port matches; None if there is none."""
        matching = [
            (rank, entry)
            for rank, dz, entry in self._entries
            if entry.in_port in (None, in_port) and covers(dz, full)
        ]
        return max(matching, key=lambda item: item[0])[1] if matching else None

    def find(self, entry: Entry) -> Entry | None:
        """The entry with the same key and priority; None if there is none."""
        for _, _, other in self._entries:
            if other.key == entry.key and other.priority == entry.priority:
                return other
        return None

    def region(self, entry: Entry, in_port: int) -> DzSet:
        """The events from a port that an entry of this table wins: its dz without stronger entries."""
        for rank, dz, other in self._entries:
            if other == entry:
                stronger = canonical(
                    cell
                    for above, cell, each in self._entries
                    if above > rank and each.in_port in (None, in_port) and overlaps(cell, dz)
                )
                return difference((dz,), stronger)
        return ()
