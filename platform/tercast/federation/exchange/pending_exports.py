"""Sending of changed exported sets to the peers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tercast.eventspace.dz import canonical
from tercast.federation.exchange.border_peer import BorderPeer
from tercast.federation.exchange.exchanged_sets import coarsened
from tercast.federation.exchange.exported_cells import ExportedCells
from tercast.federation.messages.set_name import SetName
from tercast.planner.planner import Planner
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION
from tercast.tables.entries import Diff


@dataclass(slots=True)
class PendingExports:
    """Gives the newest state of changed sets to the peers.

    Added cells are sent when they are planned. A cell leaves a set only after the switches of this partition
    have confirmed its removal. With a limit, a set is replaced by a superset with fewer cells.
    """

    planner: Planner
    limit: int | None = None
    cells: ExportedCells = field(init=False)
    _changed: set[tuple[str, SetName]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.cells = ExportedCells(self.planner)

    def follow(self, diff: Diff) -> None:
        """Follow the changes of the stubs."""
        changed = self.cells.follow(diff)
        self._changed.update((border, SetName(topic, SUBSCRIPTION)) for border, topic in changed)

    def mark_border(self, border: str) -> None:
        """Export all sets of a border, because its topics are known now."""
        for kind in (ADVERTISEMENT, SUBSCRIPTION):
            self._changed.update((border, SetName(topic, kind)) for topic in self.planner.topics)

    def mark_advertised(self, borders: Iterable[str]) -> None:
        """Export all advertisement sets, because an advertisement or the network has changed."""
        self.cells.forget_advertised()
        topics = self.planner.topics
        self._changed.update(
            (border, SetName(topic, ADVERTISEMENT)) for border in borders for topic in topics
        )

    def mark_sent(self, peers: Mapping[str, BorderPeer]) -> None:
        """Export again what was held back until the switches confirmed."""
        self._changed.update((border, name) for border, peer in peers.items() for name in peer.outgoing)

    def give(self, peers: Mapping[str, BorderPeer], is_confirmed: bool) -> None:
        """Give all changed sets to the peers whose borders are open."""
        changed, self._changed = self._changed, set()
        for border, name in sorted(changed):
            peer = peers.get(border)
            if peer is None or peer.session is None:
                continue
            cells = self.cells.cells(border, name.topic, name.kind)
            if not is_confirmed:
                cells = canonical((*cells, *peer.exported(name)))
            peer.export(name, cells if self.limit is None else coarsened(cells, self.limit))
