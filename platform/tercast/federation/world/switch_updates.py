"""Switches that carry out the pushes of their partitions after a delay, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tercast.federation.partition import Partition
from tercast.federation.table_push import TablePush
from tercast.federation.world.packet_walk import InstalledTables
from tercast.federation.world.virtual_time import VirtualTime


@dataclass(slots=True)
class SwitchUpdates:
    """Pushes that switches have not confirmed, and what is installed.

    Attributes:
        parts: The node of each border, according to the entries that the switches have. Where two parts of
            a partition are joined again, events cross between them only with the new entries.
    """

    tables: InstalledTables
    time: VirtualTime
    parts: dict[str, str] = field(default_factory=dict)
    _ready: dict[str, float] = field(default_factory=dict)
    _unconfirmed: Counter[str] = field(default_factory=Counter)

    def are_in_transit(self, name: str) -> bool:
        """Return whether switches of a partition have not confirmed a push."""
        return self._unconfirmed[name] > 0

    def push(self, partition: Partition, push: TablePush, delay: float, confirm: Callable[[], None]) -> None:
        """Close borders halfway through the delay; then change tables, open borders, confirm."""
        name, borders = partition.name, partition.planner.topology.borders
        closed = {borders[border] for border in push.closed if border in borders}
        parts = {border: node.node.uuid for border in borders if (node := partition.nodes.at(border))}
        start = max(self._ready.get(name, 0.0), self.time.now)
        ready = self._ready[name] = max(start, self.time.now + delay)
        self._unconfirmed[name] += 1

        def change() -> None:
            self.tables.apply(push.diff)
            self.parts |= parts
            self.tables.closed -= set(borders.values()) - closed
            self._unconfirmed[name] -= 1
            confirm()

        self.time.at((start + ready) / 2, lambda: self.tables.closed.update(closed))
        self.time.at(ready, change)
