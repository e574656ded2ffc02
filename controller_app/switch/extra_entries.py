"""Reserved entries of one switch, in addition to those of every switch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from controller_app.openflow.messages import OpenFlowMessage

ExtraEntry = tuple[str, OpenFlowMessage, Any]
"""The name of an entry, the message that adds it, and its place in the table (`flow_stats.Identity`)."""


@dataclass(frozen=True, slots=True)
class EntrySource:
    """A part of the controller that has reserved entries at a switch.

    `entries` returns them as they should be now, and `count` their number. `restore` is called with the table
    when some of them are missing, and restores what they depend on.
    """

    entries: Callable[[], list[ExtraEntry]]
    count: Callable[[], int]
    restore: Callable[[Any], None]


class ExtraEntries:
    """The reserved entries of all sources; they are restored in the order in which the sources were added."""

    def __init__(self) -> None:
        self._sources: list[EntrySource] = []

    def add(self, source: EntrySource) -> None:
        """Add a source, when it has prepared the switch."""
        self._sources.append(source)

    def entries(self) -> list[ExtraEntry]:
        """Return the entries as they should be now."""
        return [entry for source in self._sources for entry in source.entries()]

    def count(self) -> int:
        """Return the number of entries."""
        return sum(source.count() for source in self._sources)

    def restore(self, table: Any) -> None:
        """Restore what the entries depend on, given the table, of which some are missing."""
        for source in self._sources:
            source.restore(table)
