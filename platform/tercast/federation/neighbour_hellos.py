"""Hellos of a partition at its borders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tercast.federation.messages.peer_messages import AddressTerms, Envelope, Hello
from tercast.federation.neighbour_liveness import HOLD
from tercast.federation.tree.tree_nodes import TreeNodes
from tercast.planner.planner import Planner


@dataclass(slots=True)
class NeighbourHellos:
    """Creates hellos: all of them after `repeat`, otherwise those that have changed."""

    planner: Planner
    _sent: dict[str, Hello] = field(default_factory=dict)

    @property
    def terms(self) -> AddressTerms:
        """The terms that both ends of a border must share."""
        address = self.planner.address
        return AddressTerms(address.family, address.prefix, address.topic_bits, address.dz_room)

    def repeat(self) -> None:
        """Send all hellos again at the next call."""
        self._sent.clear()

    def changed(self, borders: Iterable[str], nodes: TreeNodes) -> Iterator[tuple[str, Envelope]]:
        """Yield the hellos to send, each with its border."""
        for border in borders:
            node = nodes.at(border)
            if node is None:
                continue
            own = node.hello(border)
            state = Hello(own.instance, self.terms, own.border, "", own.offer, own.role, own.is_open, HOLD)
            if self._sent.get(border) != state:
                self._sent[border] = state
                yield border, Envelope(state)
