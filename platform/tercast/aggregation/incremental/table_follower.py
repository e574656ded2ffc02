"""Update of an installed table after changes of exact entries."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping

from tercast.aggregation.incremental.cover_node import Node, mask_of, tally_of, tiled
from tercast.aggregation.incremental.installed_table import InstalledTable
from tercast.routing.cell_keys import LENGTH_MASK, NONE, Key
from tercast.routing.switch_ports import PortMask

OutputChange = tuple[Key, PortMask, PortMask]
"""A key, its mask before (0: no entry) and its mask now."""


class TableFollower:
    """Keeps the installed keys, and the masks of nodes, consistent with the exact entries.

    Nodes that need a check are added to `table.checks`. `refill` computes the masks of `stale` nodes, which
    depend on entries above them.
    """

    __slots__ = ("_exact", "_table", "stale")

    def __init__(self, table: InstalledTable) -> None:
        self._table = table
        self._exact = table.exact
        self.stale: set[Key] = set()

    def touch_suppressed(self, changed: Iterable[OutputChange]) -> None:
        """Record changes of exact entries in their installed form, without suppressed outputs."""
        table = self._table
        for key, before, _ in changed:
            if table.home(key) == NONE:
                table.touched.setdefault(key, before or None)

    def follow_all(self, changed: Mapping[Key, PortMask]) -> None:
        """Follow changes of exact entries from these masks (0: none); `own` is already up to date."""
        own = self._table.own
        self._follow_in_order([(key, changed[key], own.get(key, 0)) for key in sorted(changed)], True)

    def follow_plain(self, changed: Mapping[Key, PortMask]) -> None:
        """Follow changes of plain entries, which packets match if this table has no entry."""
        plain, others = self._exact.plain, ~self._exact.mates
        self._follow_in_order(
            [(key, changed[key] & others, plain.get(key, 0) & others) for key in sorted(changed)], False
        )

    def change_own(self, key: Key, before: PortMask, after: PortMask) -> None:
        """Change an exact entry in a table that has a copy of its entries, and follow the change."""
        table, own = self._table, self._table.own
        assert isinstance(own, dict)
        if after:
            own[key] = after
        else:
            del own[key]
        self._follow(key, before, after)
        self.stale.update(filter(table.nodes.__contains__, table.within(key)))

    def refill(self) -> None:
        """Compute the masks of stale nodes again."""
        nodes, exact = self._table.nodes, self._exact
        for key in self.stale:
            node = nodes.get(key)
            if node is not None and not node.tally:
                self._show(key, node, node.mask, exact.mask_of_hollow(key, node))
            elif node is not None and exact.port:
                self._show(key, node, node.mask, mask_of(node.tally) | exact.own_above(key, node))
        self.stale.clear()

    def _follow_in_order(self, changes: Iterable[OutputChange], is_own: bool) -> None:
        """Follow changes of own or plain entries in order.

        This is faster than `_follow` for each one if entries are new or get outputs, outside of covers with
        exceptions. The order determines which one of several entries with a new output is `fresh`.
        """
        table = self._table
        nodes, installed, shifts = table.nodes, table.installed, table.order.shifts
        follow = self._follow if is_own else self._follow_other
        low = high = NONE  # the cell of the last node found
        last, hollow = Node(), len(table.hollow)
        for key, before, after in changes:
            if before == after:
                continue
            if before & ~after or hollow:
                follow(key, before, after)
                hollow = len(table.hollow)
                continue
            if not low <= key < high:
                index = bisect_right(installed, key)
                at = installed[index - 1] if index else NONE
                node = nodes.get(at)
                if node is None or (not node.up and (key ^ at) >> shifts[at & LENGTH_MASK]):
                    if is_own:
                        table.change_bare(index, key, before, after)
                    continue
                if node.up or node.kids:
                    follow(key, before, after)
                    continue
                shift = shifts[at & LENGTH_MASK]
                low, high, last = at, (at >> shift) + 1 << shift, node
            added = before ^ after
            if is_own and not before:
                last.entries += 1
            last.tally += tally_of(added)
            if added & ~last.mask:
                self._show(low, last, last.mask, last.mask | added)

    def _follow(self, key: Key, before: PortMask, after: PortMask) -> None:
        """Follow a change of an exact entry of the table."""
        table, checks = self._table, self._table.checks
        at = table.home(key)
        if at == NONE:
            table.change_bare(bisect_right(table.installed, key), key, before, after)
        else:
            node = table.nodes[at]
            if not before or not after:
                table.nodes[table.top(at)].entries += 1 if after else -1
                if not after:
                    checks.thin.add(at)
            if not node.kids or not tiled(table.order, key, node.kids):
                if after & ~node.mask and key != at:
                    checks.fresh.add(key)
                self._recount(at, node, before, after)
        self._follow_loss(key, before, after)

    def _follow_other(self, key: Key, before: PortMask, after: PortMask) -> None:
        """Follow a change of a plain entry, without the bits of the hosts on the port."""
        table = self._table
        at = table.home(key)
        if at != NONE:
            node = table.nodes[at]
            if not node.kids or not tiled(table.order, key, node.kids):
                self._recount(at, node, before, after)
        self._follow_loss(key, before, after)

    def _follow_loss(self, key: Key, before: PortMask, after: PortMask) -> None:
        """Reconsider merges above an entry that lost outputs; mark the hollow nodes below it stale."""
        table = self._table
        if before & ~after and table.points is not None:
            table.points.reconsider(key)
        if len(table.hollow):
            self.stale.update(table.hollow.range(key, table.order.end(key)))

    def _recount(self, at: Key, node: Node, before: PortMask, after: PortMask) -> None:
        """Update the counts of the node to which an entry resolves."""
        old = node.mask
        was_hollow = not node.tally
        if was_hollow:
            node.mask = 0
        if added := after & ~before:
            node.count(added)
        if removed := before & ~after:
            node.discount(removed)
        if was_hollow != (not node.tally):
            hollow = self._table.hollow
            (hollow.remove if was_hollow else hollow.add)(at)
        if not node.tally or self._table.port:
            self.stale.add(at)
        self._show(at, node, old, node.mask)

    def _show(self, at: Key, node: Node, old: PortMask, new: PortMask) -> None:
        """Set the outputs of a node and record the change."""
        node.mask = new
        if old == new:
            return
        self._table.touched.setdefault(at, old)
        if new & ~old:
            self._table.checks.suspects.add(at)
