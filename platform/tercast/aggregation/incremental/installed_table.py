"""One table as it is installed: exact entries where no cover is, and the nodes of covers.

A table is that of the plain entries of a topic at a switch, or that of the entries for one ingress port. It
follows changes of the exact entries one by one; covers change by `swap`, which can be taken back.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from tercast.aggregation.incremental.cover_node import Node, grow, mask_of, tally_of, tiled
from tercast.aggregation.incremental.exact_keys import ExactKeys
from tercast.aggregation.incremental.merge_points import MergePoints
from tercast.aggregation.tree_rule import TreeRule
from tercast.routing.cell_keys import LENGTH_MASK, NONE, Key, Order, SortedKeys
from tercast.routing.switch_ports import PortMask

if TYPE_CHECKING:
    from tercast.routing.switch_trie import SwitchTrie

Members = list[tuple[Key, Node | None]]
"""Installed keys, each with its node; None: an exact entry."""

Undo = tuple["InstalledTable", Key, Members]
"""What stood within a cell before a swap."""

Spread = tuple[Key, tuple[Key, ...]]
"""A cover by keys: its top, and what it keeps."""


class InstalledTable:
    """`own` are the exact entries: masks by key, for an ingress port outputs elsewhere and back in one mask.

    Where they are installed themselves it is without what `spare` has for their cells.

    `others`, at `other_keys`, are what packets meet where the table of an ingress port says nothing: the
    plain entries, without the bits `mates` of the hosts on the port. `touched` holds what was installed when
    changes were last taken (None: nothing). `fresh` are exact entries that brought outputs to what resolves
    them.
    """

    __slots__ = (
        "_hollow",
        "_other_keys",
        "_others",
        "exact",
        "fresh",
        "installed",
        "mates",
        "nodes",
        "order",
        "own",
        "points",
        "port",
        "rule",
        "spare",
        "stale",
        "suspects",
        "thin",
        "touched",
        "trie",
    )

    def __init__(
        self,
        trie: SwitchTrie,
        rule: TreeRule,
        own: Mapping[Key, PortMask],
        *,
        port: int = 0,
        others: Mapping[Key, PortMask] | None = None,
        other_keys: ExactKeys | None = None,
        mates: PortMask = 0,
        spare: Mapping[Key, PortMask] | None = None,
    ) -> None:
        self.trie = trie
        self.order: Order = trie.order
        self.rule = rule
        self.own = own
        self.spare = spare if spare is not None else {}
        self.port = port
        self.mates = mates
        self._others = others if others is not None else {}
        self._other_keys = other_keys
        self.exact = ExactKeys(trie, own)
        self.installed: list[Key] = sorted(own)
        self.nodes: dict[Key, Node] = {}
        self.points: MergePoints | None = None
        self.touched: dict[Key, PortMask | None] = {}
        self.suspects: set[Key] = set()
        self.thin: set[Key] = set()
        self.fresh: set[Key] = set()
        self._hollow = SortedKeys()
        self.stale: set[Key] = set()

    def __len__(self) -> int:
        return len(self.installed)

    def rows(self) -> dict[Key, PortMask]:
        """What is installed; a mask of 0 drops."""
        nodes = self.nodes
        return {key: nodes[key].mask if key in nodes else self.exactly(key) for key in self.installed}

    def exactly(self, key: Key) -> PortMask:
        """An exact entry as it is installed where no cover is; 0: there is none."""
        return self.own.get(key, 0) & ~self.spare.get(key, 0)

    def value(self, key: Key) -> PortMask | None:
        """What is installed at a key; None: nothing."""
        node = self.nodes.get(key)
        if node is not None:
            return node.mask
        return None if self.home(key) else self.exactly(key) or None

    def covers(self) -> list[Spread]:
        """All covers, in order."""
        return [(key, self.kept(key)) for key, node in sorted(self.nodes.items()) if not node.up]

    def kept(self, top: Key) -> tuple[Key, ...]:
        """What the cover at `top` keeps."""
        return tuple(self.within(top)[1:]) if self.nodes[top].kids else ()

    def within(self, key: Key) -> list[Key]:
        """What is installed in a cell, in order."""
        installed = self.installed
        start = bisect_left(installed, key)
        return installed[start : bisect_left(installed, self.order.end(key), start)]

    def home(self, key: Key) -> Key:
        """The nearest node over or at `key`; NONE where no cover is."""
        nodes, shifts = self.nodes, self.order.shifts
        if not nodes:
            return NONE
        installed = self.installed
        index = bisect_right(installed, key)
        at = installed[index - 1] if index else NONE
        node = nodes.get(at)
        while node is not None and (key ^ at) >> shifts[at & LENGTH_MASK]:
            at = node.up
            node = nodes.get(at)
        return NONE if node is None else at

    def top(self, key: Key) -> Key:
        """The top of the cover that the node at `key` is in."""
        while (up := self.nodes[key].up) != NONE:
            key = up
        return key

    def touch_spare(self, changed: Iterable[tuple[Key, PortMask, PortMask]]) -> None:
        """Exact entries as they are installed, some without what is spare, have changed: before, and now."""
        for key, before, _ in changed:
            if self.home(key) == NONE:
                self.touched.setdefault(key, before or None)

    def follow_all(self, changed: Mapping[Key, PortMask]) -> None:
        """Exact entries have changed from these masks (0: none); `own` says so already.

        Does what `follow` does for each in order, with less work where entries come that no cover with
        exceptions holds. The order tells which of several that bring an output is `fresh`.
        """
        own, nodes, installed, shifts = self.own, self.nodes, self.installed, self.order.shifts
        points, touched = self.points, self.touched
        low = high = NONE  # the cell of the last node that was met
        last, hollow = Node(), len(self._hollow)
        for key in sorted(changed):
            before, after = changed[key], own.get(key, 0)
            if before == after:
                continue
            if before & ~after or hollow:
                self.follow(key, before, after)
                hollow = len(self._hollow)
                continue
            if not low <= key < high:
                index = bisect_right(installed, key)
                at = installed[index - 1] if index else NONE
                node = nodes.get(at)
                if node is None or (not node.up and (key ^ at) >> shifts[at & LENGTH_MASK]):
                    if before:
                        touched.setdefault(key, before)
                        continue
                    touched.setdefault(key, None)
                    if points is not None:
                        points.come(at, key, installed[index] if index < len(installed) else NONE)
                    installed.insert(index, key)
                    continue
                if node.up or node.kids:
                    self.follow(key, before, after)
                    continue
                low, last = at, node
                shift = shifts[at & LENGTH_MASK]
                high = (at >> shift) + 1 << shift
            came = before ^ after
            if not before:
                last.entries += 1
            last.tally += tally_of(came)
            if came & ~last.mask:
                self._show(low, last, last.mask, last.mask | came)

    def follow(self, key: Key, before: PortMask, after: PortMask) -> None:
        """An exact entry has changed from one mask to another (0: none); `own` says so already."""
        at = self.home(key)
        if at == NONE:
            self._follow_bare(key, before, after)
        else:
            node = self.nodes[at]
            if not before or not after:
                top = self.nodes[self.top(at)]
                top.entries += 1 if after else -1
                if not after:
                    self.thin.add(at)
            if not node.kids or not self._tiled(key, node):
                if after & ~node.mask and key != at:
                    self.fresh.add(key)
                self._recount(at, node, before, after)
        if before & ~after and self.points is not None:
            self.points.reconsider(key)
        if len(self._hollow):
            self.stale.update(self._hollow.range(key, self.order.end(key)))

    def change_own(self, key: Key, before: PortMask, after: PortMask) -> None:
        """Change an exact entry of a table that has them for itself, and follow."""
        own = self.own
        assert isinstance(own, dict)
        if after:
            own[key] = after
        else:
            del own[key]
        self.follow(key, before, after)
        self.stale.update(filter(self.nodes.__contains__, self.within(key)))

    def follow_others(self, changed: Mapping[Key, PortMask]) -> None:
        """Plain entries, which packets meet where this table says nothing, have changed from these masks."""
        others, nodes, installed, shifts = self._others, self.nodes, self.installed, self.order.shifts
        apart, hollow = ~self.mates, len(self._hollow)
        low = high = NONE  # the cell of the last node that was met
        last = Node()
        for key in sorted(changed):
            before, after = changed[key] & apart, others.get(key, 0) & apart
            if before == after:
                continue
            if before & ~after or hollow:
                self.follow_other(key, before, after)
                hollow = len(self._hollow)
                continue
            if not low <= key < high:
                index = bisect_right(installed, key)
                at = installed[index - 1] if index else NONE
                node = nodes.get(at)
                if node is None or (not node.up and (key ^ at) >> shifts[at & LENGTH_MASK]):
                    continue
                if node.up or node.kids:
                    self.follow_other(key, before, after)
                    continue
                low, high, last = at, self.order.end(at), node
            came = before ^ after
            last.tally += tally_of(came)
            if came & ~last.mask:
                self._show(low, last, last.mask, last.mask | came)

    def follow_other(self, key: Key, before: PortMask, after: PortMask) -> None:
        """One has changed; without the bits of hosts on the port."""
        at = self.home(key)
        if at != NONE:
            node = self.nodes[at]
            if not node.kids or not self._tiled(key, node):
                self._recount(at, node, before, after)
        if before & ~after and self.points is not None:
            self.points.reconsider(key)
        if len(self._hollow):
            self.stale.update(self._hollow.range(key, self.order.end(key)))

    def refill(self) -> None:
        """Work out anew the nodes in whose space no exact entry begins, and those for an ingress port."""
        for key in self.stale:
            node = self.nodes.get(key)
            if node is not None and not node.tally:
                self._show(key, node, node.mask, self._above(key, node))
            elif node is not None and self.port:
                self._show(key, node, node.mask, mask_of(node.tally) | self._own_above(key, node))
        self.stale.clear()

    def swap(self, at: Key, members: Members) -> Undo:
        """Let `members`, in order, be all that is installed within a cell; what undoes it."""
        installed, nodes, touched = self.installed, self.nodes, self.touched
        if not touched:
            self.trie.tracker.track(self.trie)
        start = bisect_left(installed, at)
        stop = bisect_left(installed, self.order.end(at), start)
        gone: Members = []
        for key in installed[start:stop]:
            node = nodes.pop(key, None)
            gone.append((key, node))
            if node is None:
                touched.setdefault(key, self.exactly(key))
            else:
                touched.setdefault(key, node.mask)
                if not node.tally:
                    self._hollow.remove(key)
        keys = [key for key, _ in members]
        installed[start:stop] = keys
        for key, node in members:
            touched.setdefault(key, None)
            if node is not None:
                nodes[key] = node
                if not node.tally:
                    self._hollow.add(key)
        if self.points is not None:
            self.points.reconsider_around(at)
            around = installed[max(start - 1, 0) : start + len(keys) + 1]
            for a, b in pairwise(around):
                self.points.meet(a, b)
        return self, at, gone

    def merge(self, start: int, stop: int, point: Key) -> Undo:
        """`swap`, where a node takes in entries and covers that keep nothing, at these indexes.

        Its common prefixes with its neighbours are those of what it takes in, so no merge point comes.
        """
        nodes, own, touched, installed = self.nodes, self.own, self.touched, self.installed
        spare = self.spare
        if not touched:
            self.trie.tracker.track(self.trie)
        members: Members = []
        entries = tally = mask = 0
        for key in installed[start:stop]:
            node = nodes.pop(key, None)
            members.append((key, node))
            if node is None:
                mine = own[key]
                entries += 1
                tally += tally_of(mine)
            else:
                mine = node.mask
                entries += node.entries
                tally += node.tally
            mask |= mine
            if key not in touched:
                touched[key] = mine & ~spare.get(key, 0) if spare and node is None else mine
        if point not in touched:
            touched[point] = None
        merged = nodes[point] = Node()
        merged.entries, merged.tally, merged.mask = entries, tally, mask
        installed[start:stop] = (point,)
        return self, point, members

    def build(self, spread: Spread) -> Members:
        """The nodes of a cover, from the exact entries below it; it is not put in place."""
        top, kept = spread
        end = self.order.end(top)
        within = self.exact.range(top, end)
        others = self.others_in(top)
        within += others
        nodes = grow(self.order, (top, *kept), self.own, others, within)
        for key, node in nodes.items():
            if not node.tally:
                node.mask = self._above(key, node)
            elif self.port:
                node.mask |= self._own_above(key, node)
        return list(nodes.items())

    def others_in(self, cell: Key) -> dict[Key, PortMask]:
        """The plain entries in a cell of the table of an ingress port, as packets from there meet them."""
        if self._other_keys is None:
            return {}
        keys = self._other_keys.range(cell, self.order.end(cell))
        return {key: mask for key in keys if (mask := self._others[key] & ~self.mates)}

    def others_between(self, low: Key, high: Key) -> list[PortMask]:
        """The masks of those from `low` up to but not including `high`, as packets from there meet them."""
        if self._other_keys is None:
            return []
        others, apart = self._others, ~self.mates
        return [others[key] & apart for key in self._other_keys.range(low, high)]

    def others_over(self, cell: Key) -> PortMask:
        """What plain entries say in all of a cell to packets from there; 0 in the plain table."""
        order, dz = self.order, self.order.dz(cell)
        found = (self._others.get(order.key(dz >> n), 0) & ~self.mates for n in range(dz.bit_length()))
        return next(filter(None, found), 0)

    def bare(self, at: Key) -> Members:
        """The exact entries within a cell."""
        return [(key, None) for key in self.exact.range(at, self.order.end(at))]

    def start_points(self) -> MergePoints:
        """The merge points, found at the first call."""
        if self.points is None:
            self.points = MergePoints(self.order, self.installed)
        elif self.points.overgrown(len(self.installed)):
            self.points.refill(self.installed)
        return self.points

    def _follow_bare(self, key: Key, before: PortMask, after: PortMask) -> None:
        self.touched.setdefault(key, before or None)
        installed = self.installed
        if not before:
            index = bisect_right(installed, key)
            if self.points is not None:
                before_it = installed[index - 1] if index else NONE
                behind_it = installed[index] if index < len(installed) else NONE
                self.points.come(before_it, key, behind_it)
            installed.insert(index, key)
        elif not after:
            del installed[bisect_left(installed, key)]

    def _recount(self, at: Key, node: Node, before: PortMask, after: PortMask) -> None:
        old = node.mask
        hollow = not node.tally
        if hollow:
            node.mask = 0
        if came := after & ~before:
            node.count(came)
        if gone := before & ~after:
            node.discount(gone)
        if hollow != (not node.tally):
            (self._hollow.remove if hollow else self._hollow.add)(at)
        if not node.tally or self.port:
            self.stale.add(at)
        self._show(at, node, old, node.mask)

    def _show(self, at: Key, node: Node, old: PortMask, new: PortMask) -> None:
        """The outputs of a node change."""
        node.mask = new
        if old == new:
            return
        self.touched.setdefault(at, old)
        if new & ~old:
            self.suspects.add(at)

    def _tiled(self, key: Key, node: Node) -> bool:
        return tiled(self.order, key, node.kids)

    def _own_above(self, key: Key, node: Node) -> PortMask:
        """What the nearest entry of the port above a node says in it, though plain ones may begin there."""
        if node.void:
            return 0
        order, own, dz = self.order, self.own, self.order.dz(key) >> 1
        while dz:
            mine = own.get(order.key(dz))
            if mine:
                return mine
            dz >>= 1
        return 0

    def _above(self, key: Key, node: Node) -> PortMask:
        """What the exact tables do in a node in whose space nothing begins."""
        if node.void:
            return 0
        order, own, others = self.order, self.own, self._others
        mine = other = 0
        dz = order.dz(key)
        while dz and not (mine and other):
            at = order.key(dz)
            mine = mine or own.get(at, 0)
            other = other or others.get(at, 0) & ~self.mates
            dz >>= 1
        return mine | other
