"""The exact entries of one installed table, and those that packets match without them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tercast.aggregation.incremental.cover_node import CoverCells, Members, Node, grow
from tercast.routing.cell_keys import Key, Order
from tercast.routing.switch_ports import PortMask

if TYPE_CHECKING:
    from tercast.routing.switch_trie import SwitchTrie

_NO_ENTRIES: Mapping[Key, PortMask] = {}


class ExactEntries:
    """The exact entries of a topic at a switch, for all packets or for one ingress port.

    `own` are the masks of the table by key; for an ingress port, a mask has outputs to other ports and back.
    Where there is no cover, entries are installed without their outputs in `suppressed`.

    If the table of an ingress port has no entry, its packets match the `plain` entries, without the bits
    `mates` of the hosts on the port.
    """

    __slots__ = ("_plain", "mates", "order", "own", "port", "suppressed", "trie")

    def __init__(
        self,
        trie: SwitchTrie,
        own: Mapping[Key, PortMask],
        suppressed: Mapping[Key, PortMask] = _NO_ENTRIES,
        *,
        port: int = 0,
        plain: ExactEntries | None = None,
        mates: PortMask = 0,
    ) -> None:
        self.trie = trie
        self.order: Order = trie.order
        self.own = own
        self.port = port
        self.mates = mates
        self.suppressed = suppressed
        self._plain = plain

    @property
    def plain(self) -> Mapping[Key, PortMask]:
        """The plain entries; empty for the plain table."""
        return _NO_ENTRIES if self._plain is None else self._plain.own

    def installed_mask(self, key: Key) -> PortMask:
        """The installed mask of an entry without a cover; 0: there is none."""
        return self.own.get(key, 0) & ~self.suppressed.get(key, 0)

    def range(self, low: Key, high: Key) -> list[Key]:
        """The keys of entries from `low` (above NONE) up to but not including `high`.

        Entries exist only at cells where subscriptions or advertisements begin. The trie has these in order.
        """
        own = self.own
        return [key for key in self.trie.storage.owned_keys(low, high) if key in own]

    def members(self, cell: Key) -> Members:
        """The entries within a cell, as members of a table."""
        return [(key, None) for key in self.range(cell, self.order.end(cell))]

    def plain_in(self, cell: Key) -> dict[Key, PortMask]:
        """The plain entries within a cell that match packets from the port, if there is a port."""
        if self._plain is None:
            return {}
        keys = self._plain.range(cell, self.order.end(cell))
        return {key: mask for key in keys if (mask := self._plain.own[key] & ~self.mates)}

    def plain_between(self, low: Key, high: Key) -> list[PortMask]:
        """The masks of the plain entries from `low` up to but not including `high`, for this port."""
        if self._plain is None:
            return []
        plain, others = self._plain.own, ~self.mates
        return [plain[key] & others for key in self._plain.range(low, high)]

    def plain_over(self, cell: Key) -> PortMask:
        """The outputs of plain entries for a whole cell and this port; 0 if there are none."""
        order, plain, dz = self.order, self.plain, self.order.dz(cell)
        found = (plain.get(order.key(dz >> n), 0) & ~self.mates for n in range(dz.bit_length()))
        return next(filter(None, found), 0)

    def build(self, cover: CoverCells) -> Members:
        """Build the nodes of a cover from the entries below it."""
        top, kept = cover
        within = self.range(top, self.order.end(top))
        plain = self.plain_in(top)
        within += plain
        nodes = grow(self.order, (top, *kept), self.own, plain, within)
        for key, node in nodes.items():
            if not node.tally:
                node.mask = self.mask_of_hollow(key, node)
            elif self.port:
                node.mask |= self.own_above(key, node)
        return list(nodes.items())

    def own_above(self, key: Key, node: Node) -> PortMask:
        """The mask of the nearest entry of the table above a node, ignoring plain entries in it."""
        if node.void:
            return 0
        order, own, dz = self.order, self.own, self.order.dz(key) >> 1
        while dz:
            mine = own.get(order.key(dz))
            if mine:
                return mine
            dz >>= 1
        return 0

    def mask_of_hollow(self, key: Key, node: Node) -> PortMask:
        """The outputs of exact entries in the space of a node in which none begins."""
        if node.void:
            return 0
        order, own, plain = self.order, self.own, self.plain
        mine = other = 0
        dz = order.dz(key)
        while dz and not (mine and other):
            at = order.key(dz)
            mine = mine or own.get(at, 0)
            other = other or plain.get(at, 0) & ~self.mates
            dz >>= 1
        return mine | other
