"""Rule that keeps trees apart, for one topic at one switch: the links that an entry may use.

An entry may send more events than were subscribed. Such an event is still on its own tree if every tree that
owns a part of the entry's space has the link. So no event loops or is duplicated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tercast.aggregation.incremental.cover_node import Node, tiled
from tercast.eventspace.topic import FORMER
from tercast.routing.cell_keys import LENGTH_MASK, Key
from tercast.routing.switch_ports import PortMask, SwitchPorts

if TYPE_CHECKING:
    from tercast.routing.forest import Forest
    from tercast.routing.live_network import LiveNetwork
    from tercast.routing.topic_routing import TopicRouting

_UNKNOWN: PortMask = -2


class TreeRule:
    """The rule for one topic at one switch, based on the trees in the switch's component."""

    __slots__ = ("_common", "_network", "_plan", "_site")

    def __init__(self, plan: TopicRouting, network: LiveNetwork, site: SwitchPorts) -> None:
        self._plan = plan
        self._network = network
        self._site = site
        self._common = _UNKNOWN

    def forget(self) -> None:
        """Discard cached links, because trees have changed."""
        self._common = _UNKNOWN

    @property
    def forbidden(self) -> PortMask:
        """The links that at least one tree does not have."""
        return self._site.links & ~self._everywhere()

    def allows(self, key: Key, outputs: PortMask, kids: Sequence[Key]) -> bool:
        """Whether an entry at `key`, without the parts in `kids`, may have these outputs."""
        links = outputs & self._site.links
        if not links & ~self._everywhere():
            return True
        forest = self._forest()
        if forest is None:
            return True
        order, site = self._plan.order, self._site
        for top, tree in forest.pieces(key):
            if links & ~tree.masks.get(site, 0):
                part = max(top, key, key=lambda cell: cell & LENGTH_MASK)
                if not (kids and tiled(order, part, kids)):
                    return False
        return True

    def edges(self, key: Key) -> dict[Key, PortMask]:
        """The largest parts of a cell that trees own, with the links that each tree has here."""
        forest = self._forest()
        pieces = () if forest is None else forest.pieces(key)
        return {max(cell, key): tree.masks.get(self._site, 0) for cell, tree in pieces}

    @property
    def links(self) -> PortMask:
        """The bits that the rule restricts."""
        return self._site.links

    def ports(self, mask: PortMask) -> tuple[int, ...]:
        """The link ports among some bits, in order."""
        return tuple(sorted(port for port, bit in self._site.link_bits.items() if bit & mask))

    def holds(self, key: Key, node: Node) -> bool:
        """Whether a node obeys the rule."""
        return self.allows(key, node.mask, node.kids)

    def _everywhere(self) -> PortMask:
        """The links that all trees have here; they are always allowed."""
        if self._common == _UNKNOWN:
            forest = self._forest()
            found = -1
            if forest is not None:
                for tree in forest.trees.values():
                    found &= tree.masks.get(self._site, 0)
            self._common = found
        return self._common

    def _forest(self) -> Forest | None:
        """The trees that reach the switch.

        A topic under its former code has the trees of an earlier network, whose components have other
        numbers.
        """
        plan = self._plan
        if plan.topic.name.endswith(FORMER):
            site = self._site
            found = (
                forest
                for forest in plan.forests.values()
                if any(site in tree.masks or tree.root == site.id for tree in forest.trees.values())
            )
            return next(found, None)
        component = self._network.component_of(self._site.id)
        return None if component is None else plan.forests.get(component)
