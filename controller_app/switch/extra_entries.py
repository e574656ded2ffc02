"""Reserved entries that a switch has in addition to those of every switch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from controller_app.openflow.messages import OpenFlowMessage

ExtraEntry = tuple[str, OpenFlowMessage, Any]
"""Name of an entry, the message that adds it, and its identity (`flow_stats.Identity`)."""


@dataclass(frozen=True, slots=True)
class EntrySource:
    """A part of the controller that has reserved entries at a switch.

    Attributes:
        entries: Returns the entries that should exist now.
        count: Returns their number.
        restore: Called with the table if entries are missing; restores what they depend on.
    """

    entries: Callable[[], list[ExtraEntry]]
    count: Callable[[], int]
    restore: Callable[[Any], None]


class ExtraEntries:
    """The reserved entries of all sources, in the order in which the sources were added."""

    def __init__(self) -> None:
        self._sources: list[EntrySource] = []

    def add(self, source: EntrySource) -> None:
        """Add a source that has prepared the switch."""
        self._sources.append(source)

    def entries(self) -> list[ExtraEntry]:
        """Return the entries that should exist now."""
        return [entry for source in self._sources for entry in source.entries()]

    def count(self) -> int:
        """Return the number of entries."""
        return sum(source.count() for source in self._sources)

    def restore(self, table: Any) -> None:
        """Restore what the entries depend on; some entries are missing in the table."""
        for source in self._sources:
            source.restore(table)
