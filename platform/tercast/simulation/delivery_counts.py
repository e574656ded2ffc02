"""Counts of the simulator, and its report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tercast.topology.topology import Port

FORMAT = "report/1"


@dataclass(slots=True)
class DeliveryCounts:
    """Counts of events and deliveries; `loops` counts events that circulate.

    `copies` and `needless` count copies by the port that sends them to another switch. A redundant
    (`needless`) copy is one that reaches no host with a matching subscription.
    """

    events: int = 0
    wanted: int = 0
    delivered: int = 0
    lost: int = 0
    doubled: int = 0
    unwanted: int = 0
    loops: int = 0
    copies: Counter[Port] = field(default_factory=Counter)
    needless: Counter[Port] = field(default_factory=Counter)
    wanted_by: Counter[str] = field(default_factory=Counter)
    unwanted_by: Counter[str] = field(default_factory=Counter)

    @property
    def holds(self) -> bool:
        """Whether no event was lost, duplicated or caught in a loop."""
        return not (self.lost or self.doubled or self.loops)

    @property
    def network_fpr(self) -> float:
        """Redundant copies as a percentage of all copies over links."""
        copies = self.copies.total()
        return 100 * self.needless.total() / copies if copies else 0.0

    def report(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {
            "format": FORMAT,
            "events": self.events,
            "wanted": self.wanted,
            "delivered": self.delivered,
            "lost": self.lost,
            "doubled": self.doubled,
            "unwanted": self.unwanted,
            "link_copies": self.copies.total(),
            "needless_link_copies": self.needless.total(),
            "network_fpr": round(self.network_fpr, 3),
            "by_host": {
                host: {"wanted": self.wanted_by[host], "unwanted": self.unwanted_by[host]}
                for host in sorted({*self.wanted_by, *self.unwanted_by})
            },
            "by_link": {
                f"{switch}:{port}": {"copies": count, "needless": self.needless[switch, port]}
                for (switch, port), count in sorted(self.copies.items())
            },
        }
