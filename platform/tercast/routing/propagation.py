"""Effects of a changed subscription or advertisement at a switch on table and neighbours.

Cells are in two layers, subscriptions (S) and advertisements (A). The owners of a cell are bits of the
switch. A change at a cell affects it and the cells below, down to cells that the bit owns itself. The state
of a cell follows from the masks there and just above (`PortSemantics.state`). A change that affects a
neighbour is queued as an update of the neighbour, for the bit of the port between them.
"""

from __future__ import annotations

from typing import NamedTuple

from tercast.routing.cell_keys import LENGTH_MASK, Key, Order
from tercast.routing.cell_layers import AdLayer, Layer
from tercast.routing.exact_tables import InPortTable, PlainTable
from tercast.routing.port_semantics import NOTHING, CellState, PortBit, PortMask, advertisement_exports
from tercast.routing.spanning_tree import Tree
from tercast.routing.switch_ports import SwitchPorts
from tercast.routing.update_queue import NeighbourExports


class SubtreeFrame(NamedTuple):
    """The masks over the cells up to `end` during a walk, before and after the change."""

    end: Key
    s0: PortMask
    s1: PortMask
    a0: PortMask
    a1: PortMask
    tree: Tree | None


class Propagator:
    """The layers of one topic at one switch; changes reach the tables and the neighbours."""

    __slots__ = (
        "_in_port_table",
        "_neighbours",
        "_order",
        "_site",
        "_table",
        "advertisements",
        "subscriptions",
    )

    def __init__(
        self,
        site: SwitchPorts,
        order: Order,
        table: PlainTable,
        in_port_table: InPortTable,
        neighbours: NeighbourExports,
    ) -> None:
        self._site = site
        self._order = order
        self._table = table
        self._in_port_table = in_port_table
        self._neighbours = neighbours
        self.subscriptions = Layer(order)
        self.advertisements = AdLayer(order)

    def load_layers(
        self,
        subscribed: dict[Key, PortMask] | None = None,
        advertised: dict[Key, PortMask] | None = None,
        trees: dict[Key, Tree] | None = None,
    ) -> None:
        """Replace the owners of all cells; tables and neighbours do not change."""
        self.subscriptions = Layer(self._order, subscribed)
        self.advertisements = AdLayer(self._order, advertised)
        self.advertisements.tree = trees or {}

    def add_subscriber(self, key: Key, bit: PortBit) -> None:
        """Let `bit` subscribe to `key`."""
        subs = self.subscriptions
        own = subs.own.get(key)
        if own is None:
            over, below = subs.insert(key, bit)
            own = 0
        elif own & bit:
            return
        else:
            subs.own[key] = own | bit
            subs.seen |= bit
            over, below = subs.above[key], True
        if not over & bit:
            self._spread_s(key, bit, over, own, below)

    def remove_subscriber(self, key: Key, bit: PortBit) -> None:
        """Let `bit`, which owns `key`, no longer subscribe to it."""
        subs = self.subscriptions
        own = subs.own[key]
        over = subs.above[key]
        if own == bit:
            subs.remove(key)
        else:
            subs.own[key] = own ^ bit
        if not over & bit:
            self._spread_s(key, bit, over, own, True)

    def add_advertiser(self, key: Key, bit: PortBit, tree: Tree) -> None:
        """Let `bit` advertise `key`, which is in `tree`."""
        ads = self.advertisements
        own = ads.own.get(key)
        if own is None:
            over, _ = ads.insert(key, bit)
            ads.tree[key] = tree
            own = 0
        elif own & bit:
            return
        else:
            ads.own[key] = own | bit
            over = ads.above[key]
        if not over & bit:
            self._spread_a(key, bit, over, own, tree)

    def remove_advertiser(self, key: Key, bit: PortBit) -> None:
        """Let `bit`, which owns `key`, no longer advertise it."""
        ads = self.advertisements
        own = ads.own[key]
        over = ads.above[key]
        tree = ads.tree[key]
        if own == bit:
            ads.remove(key)
        else:
            ads.own[key] = own ^ bit
        if not over & bit:
            self._spread_a(key, bit, over, own, tree)

    def change_links(self, tree: Tree, before: PortMask, after: PortMask) -> None:
        """Change the link ports that `tree` uses here from one mask to another."""
        ads, exports = self.advertisements, advertisement_exports
        for key in [key for key, owner in ads.tree.items() if owner is tree]:
            over = ads.above[key]
            here = over | ads.own[key]
            was = exports(here, before) & ~exports(over, before)
            now = exports(here, after) & ~exports(over, after)
            if was != now:
                self._neighbours.export_advertisements(key, was, now, tree)

    def owned_keys(self, low: Key, high: Key) -> list[Key]:
        """Return the cells that have owners, depth first, from `low` up to but not including `high`."""
        s_keys = self.subscriptions.keys.range(low, high)
        a_keys = self.advertisements.keys.range(low, high)
        return sorted({*s_keys, *a_keys}) if a_keys else s_keys

    def _spread_s(self, key: Key, bit: PortBit, over: PortMask, own: PortMask, below: bool) -> None:
        """Change S at `key` by `bit`; before, its owners were `own`, and `over` the mask above."""
        s0 = over | own
        s1 = s0 ^ bit
        a_over, a_at, tree, a_below = self.advertisements.masks_at(key)
        state = self._site.semantics.state
        before = NOTHING if s0 == over and a_over == a_at else state(over, a_over, s0, a_at)
        after = NOTHING if s1 == over and a_over == a_at else state(over, a_over, s1, a_at)
        if before != after:
            self._change(key, before, after, tree)
        if a_below:
            frame = SubtreeFrame(self._order.end(key), s0, s1, a_at, a_at, tree)
            self._walk(key, frame, s_bit=bit, a_bit=0)
        elif below:
            self._walk_s(key, bit, a_at, tree)

    def _walk_s(self, key: Key, bit: PortBit, brought: PortMask, tree: Tree | None) -> None:
        """Change S by `bit` at the cells below `key`, none of which is advertised."""
        own, above = self.subscriptions.own, self.subscriptions.above
        state, shifts = self._site.semantics.state, self._order.shifts
        scan = self.subscriptions.keys.scan(key + 1, self._order.end(key))
        cell = next(scan, None)
        while cell is not None:
            over = above[cell]
            now = above[cell] = over ^ bit
            mine = own[cell]
            before = state(over, brought, over | mine, brought)
            after = state(now, brought, now | mine, brought)
            if before != after:
                self._change(cell, before, after, tree)
            if mine & bit:
                shift = shifts[cell & LENGTH_MASK]
                cell = _resume(scan, (cell >> shift) + 1 << shift)
            else:
                cell = next(scan, None)

    def _spread_a(self, key: Key, bit: PortBit, over: PortMask, own: PortMask, tree: Tree) -> None:
        """Change A at `key` by `bit`; before, its owners were `own`, and `over` the mask above."""
        a0 = over | own
        a1 = a0 ^ bit
        subs, semantics = self.subscriptions, self._site.semantics
        s_over = subs.over(key)
        s_at = s_over | subs.own.get(key, 0)
        before = semantics.state(s_over, over, s_at, a0)
        after = semantics.state(s_over, over, s_at, a1)
        if before != after:
            self._change(key, before, after, tree)
        self._compare_exports(key, (over, a0), (over, a1), tree)
        if semantics.same_below(a0, a1, subs.seen):
            self._walk_a(key, bit, tree)
        else:
            self._walk(key, SubtreeFrame(self._order.end(key), s_at, s_at, a0, a1, tree), s_bit=0, a_bit=bit)

    def _walk_a(self, key: Key, bit: PortBit, tree: Tree) -> None:
        """Change A by `bit` at the cells below `key`, where no subscription is affected."""
        own, above = self.advertisements.own, self.advertisements.above
        scan = self.advertisements.keys.scan(key + 1, self._order.end(key))
        cell = next(scan, None)
        while cell is not None:
            over = above[cell]
            now = above[cell] = over ^ bit
            mine = own[cell]
            self._compare_exports(cell, (over, over | mine), (now, now | mine), tree)
            cell = _resume(scan, self._order.end(cell)) if mine & bit else next(scan, None)

    def _walk(self, key: Key, frame: SubtreeFrame, s_bit: PortBit, a_bit: PortBit) -> None:
        """Change S or A, whichever has a bit here, at the cells of both layers below `key`."""
        subs, ads, state = self.subscriptions, self.advertisements, self._site.semantics.state
        stack = [frame]
        skip = key
        for cell in self.owned_keys(key + 1, frame.end):
            if cell < skip:
                continue
            while stack[-1].end <= cell:
                stack.pop()
            _, s0, s1, a0, a1, tree = stack[-1]
            s_own, a_own = subs.own.get(cell, 0), ads.own.get(cell, 0)
            if s_bit and s_own:
                subs.above[cell] = s1
            if a_own:
                ads.above[cell] = a1
                tree = ads.tree[cell]
            s0_at, s1_at, a0_at, a1_at = s0 | s_own, s1 | s_own, a0 | a_own, a1 | a_own
            before, after = state(s0, a0, s0_at, a0_at), state(s1, a1, s1_at, a1_at)
            if before != after:
                self._change(cell, before, after, tree)
            end = self._order.end(cell)
            if a_bit and a_own and tree is not None:
                self._compare_exports(cell, (a0, a0_at), (a1, a1_at), tree)
            if s0_at == s1_at and a0_at == a1_at:
                skip = end
            else:
                stack.append(SubtreeFrame(end, s0_at, s1_at, a0_at, a1_at, tree))

    def _compare_exports(
        self, key: Key, before: tuple[PortMask, PortMask], after: tuple[PortMask, PortMask], tree: Tree
    ) -> None:
        """Export to neighbours the effect of a change of A over and at `key`."""
        exports, links = advertisement_exports, tree.masks.get(self._site, 0)
        was = exports(before[1], links) & ~exports(before[0], links)
        now = exports(after[1], links) & ~exports(after[0], links)
        if was != now:
            self._neighbours.export_advertisements(key, was, now, tree)

    def _change(self, key: Key, before: CellState, after: CellState, tree: Tree | None) -> None:
        """Change the state at `key`: its entry, its exports, its entries with an ingress port."""
        old_outputs, old_exports, old_in_ports, old_suppressed = before
        outputs, exports, in_ports, suppressed = after
        if old_outputs != outputs:
            self._table.set_entry(key, old_outputs, outputs)
        if old_exports != exports:
            self._neighbours.export_subscriptions(key, old_exports, exports, tree)
        if old_suppressed != suppressed:
            self._table.set_suppressed_outputs(key, suppressed)
        if old_in_ports != in_ports:
            gone = {port for port, _, _ in old_in_ports} - {port for port, _, _ in in_ports}
            for port in gone:
                self._in_port_table.set_entry((port, key), None)
            for port, elsewhere, back in in_ports:
                self._in_port_table.set_entry((port, key), (elsewhere, back))


def _resume(scan: object, jump: Key) -> Key | None:
    """Continue a scan at `jump`; None at its end."""
    try:
        return scan.send(jump)  # type: ignore[attr-defined, no-any-return]
    except StopIteration:
        return None
