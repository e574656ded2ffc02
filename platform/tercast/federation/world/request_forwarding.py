"""Federation as published: each request is forwarded to neighbours (PLEROMA, section 4.2).

It exists for comparison only. On a graph with a cycle it duplicates events and keeps what was withdrawn, so
partitions are joined by a tree here too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tercast.eventspace.dz import EMPTY, DzSet, set_covers, set_overlaps, union
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION

Hop = tuple[str, str]
"""A neighbouring pair: the sender, and the receiver."""


@dataclass(slots=True)
class RequestForwarding:
    """Partitions on a tree that forward requests, unless earlier ones cover them.

    `received` counts the requests that each controller processes: those of its hosts, and external ones.
    """

    partitions: list[str]
    edges: Iterable[Hop]
    received: Counter[str] = field(default_factory=Counter)
    forwarded: Counter[Hop] = field(default_factory=Counter)
    sent: dict[tuple[str, Hop], DzSet] = field(default_factory=dict)
    _neighbours: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._neighbours = {name: [] for name in self.partitions}
        for a, b in self.edges:
            self._neighbours[a].append(b)
            self._neighbours[b].append(a)

    def advertise(self, partition: str, cells: DzSet) -> None:
        """Take an advertisement of a host, and flood it over the tree."""
        self._spread(ADVERTISEMENT, partition, cells)

    def subscribe(self, partition: str, cells: DzSet) -> None:
        """Take a subscription of a host, and forward it towards overlapping advertisements."""
        self._spread(SUBSCRIPTION, partition, cells)

    def _spread(self, kind: str, partition: str, cells: DzSet) -> None:
        waiting: list[tuple[str, str | None]] = [(partition, None)]
        while waiting:
            here, origin = waiting.pop()
            self.received[here] += 1
            for far in self._neighbours[here]:
                if far != origin and self._is_needed(kind, (here, far), cells):
                    self.sent[kind, (here, far)] = union(self.sent.get((kind, (here, far)), EMPTY), cells)
                    self.forwarded[here, far] += 1
                    waiting.append((far, here))

    def _is_needed(self, kind: str, hop: Hop, cells: DzSet) -> bool:
        if kind == SUBSCRIPTION:
            advertised = self.sent.get((ADVERTISEMENT, (hop[1], hop[0])), EMPTY)
            if not set_overlaps(advertised, cells):
                return False
        return not set_covers(self.sent.get((kind, hop), EMPTY), cells)
