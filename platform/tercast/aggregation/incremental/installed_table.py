"""One installed table: exact entries outside of covers, and the nodes of covers.

The table contains the plain entries of a topic at a switch, or the entries for one ingress port.
`TableFollower` applies changes of exact entries. `replace_cell` changes covers and can be undone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from tercast.aggregation.incremental.cover_node import CoverCells, Members, Node, tally_of
from tercast.aggregation.incremental.merge_points import MergePoints
from tercast.aggregation.incremental.tree_rule import TreeRule
from tercast.routing.cell_keys import LENGTH_MASK, NONE, Key, SortedKeys
from tercast.routing.switch_ports import PortMask

if TYPE_CHECKING:
    from tercast.aggregation.incremental.exact_entries import ExactEntries

Undo = tuple["InstalledTable", Key, Members]
"""Content of a cell before a replacement."""


class PendingChecks:
    """The nodes of a table that changes of exact entries or trees may have made invalid.

    `thin` nodes lost an exact entry, so their cover may save nothing. `suspects` got outputs, or their trees
    changed, so they may violate the tree rule. `fresh` are exact entries that added outputs to the node to
    which they resolve.
    """

    __slots__ = ("fresh", "suspects", "thin")

    def __init__(self) -> None:
        self.thin: set[Key] = set()
        self.suspects: set[Key] = set()
        self.fresh: set[Key] = set()

    def clear(self) -> None:
        """Remove all marks."""
        self.thin.clear()
        self.suspects.clear()
        self.fresh.clear()


class InstalledTable:
    """The keys `installed` in order, and the nodes at those that belong to covers.

    `touched` has the masks when changes were last taken (None: no entry), for keys that may have changed
    since. `hollow` are the nodes in whose space no exact entry begins.
    """

    __slots__ = (
        "checks",
        "exact",
        "hollow",
        "installed",
        "nodes",
        "order",
        "own",
        "points",
        "port",
        "rule",
        "touched",
        "trie",
    )

    def __init__(self, exact: ExactEntries, rule: TreeRule) -> None:
        self.exact = exact
        self.trie, self.order, self.own, self.port = exact.trie, exact.order, exact.own, exact.port
        self.rule = rule
        self.installed: list[Key] = sorted(exact.own)
        self.nodes: dict[Key, Node] = {}
        self.points: MergePoints | None = None
        self.touched: dict[Key, PortMask | None] = {}
        self.checks = PendingChecks()
        self.hollow = SortedKeys()

    def __len__(self) -> int:
        return len(self.installed)

    def rows(self) -> dict[Key, PortMask]:
        """The installed masks by key; a mask of 0 drops."""
        nodes, exact = self.nodes, self.exact.installed_mask
        return {key: nodes[key].mask if key in nodes else exact(key) for key in self.installed}

    def value(self, key: Key) -> PortMask | None:
        """The installed mask of a key; None: nothing is installed there."""
        node = self.nodes.get(key)
        if node is not None:
            return node.mask
        return None if self.home(key) else self.exact.installed_mask(key) or None

    def covers(self) -> list[CoverCells]:
        """All covers, in order."""
        return [(key, self.kept(key)) for key, node in sorted(self.nodes.items()) if not node.up]

    def kept(self, top: Key) -> tuple[Key, ...]:
        """The cells of the exceptions of the cover at `top`."""
        return tuple(self.within(top)[1:]) if self.nodes[top].kids else ()

    def within(self, cell: Key) -> list[Key]:
        """The keys installed in a cell, in order."""
        installed = self.installed
        start = bisect_left(installed, cell)
        return installed[start : bisect_left(installed, self.order.end(cell), start)]

    def home(self, key: Key) -> Key:
        """The nearest node at or above `key`; NONE if there is no cover."""
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
        """The top of the cover to which the node at `key` belongs."""
        while (up := self.nodes[key].up) != NONE:
            key = up
        return key

    def change_bare(self, index: int, key: Key, before: PortMask, after: PortMask) -> None:
        """Follow an exact entry outside of covers; `index`: the first installed key above it."""
        installed, points = self.installed, self.points
        self.touched.setdefault(key, before or None)
        if not before:
            if points is not None:
                points.add_key(
                    installed[index - 1] if index else NONE,
                    key,
                    installed[index] if index < len(installed) else NONE,
                )
            installed.insert(index, key)
        elif not after:
            del installed[index - 1]

    def replace_cell(self, cell: Key, members: Members) -> Undo:
        """Replace everything installed within a cell by `members`, in order; return the undo."""
        installed, nodes, touched = self.installed, self.nodes, self.touched
        if not touched:
            self.trie.tracker.track(self.trie)
        start = bisect_left(installed, cell)
        stop = bisect_left(installed, self.order.end(cell), start)
        replaced: Members = []
        for key in installed[start:stop]:
            node = nodes.pop(key, None)
            replaced.append((key, node))
            if node is None:
                touched.setdefault(key, self.exact.installed_mask(key))
            else:
                touched.setdefault(key, node.mask)
                if not node.tally:
                    self.hollow.remove(key)
        keys = [key for key, _ in members]
        installed[start:stop] = keys
        for key, node in members:
            touched.setdefault(key, None)
            if node is not None:
                nodes[key] = node
                if not node.tally:
                    self.hollow.add(key)
        if self.points is not None:
            self.points.reconsider_around(cell)
            around = installed[max(start - 1, 0) : start + len(keys) + 1]
            for a, b in pairwise(around):
                self.points.add_between(a, b)
        return self, cell, replaced

    def merge(self, start: int, stop: int, point: Key) -> Undo:
        """Merge exact entries and covers without exceptions into one node at `point`.

        They are the installed keys with indexes from `start` up to but not including `stop`. The common
        prefixes of the node with its neighbours are those of the replaced entries, so no new merge point
        arises. Returns the undo.
        """
        nodes, own, touched, installed = self.nodes, self.own, self.touched, self.installed
        suppressed = self.exact.suppressed
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
                touched[key] = mine & ~suppressed.get(key, 0) if suppressed and node is None else mine
        if point not in touched:
            touched[point] = None
        merged = nodes[point] = Node()
        merged.entries, merged.tally, merged.mask = entries, tally, mask
        installed[start:stop] = (point,)
        return self, point, members

    def clear_cover(self, top: Key) -> Undo:
        """Replace the cover at `top` by the exact entries; return the undo."""
        return self.replace_cell(top, self.exact.members(top))

    def start_points(self) -> MergePoints:
        """The merge points, which are computed at the first call."""
        if self.points is None:
            self.points = MergePoints(self.order, self.installed)
        elif self.points.is_oversized(len(self.installed)):
            self.points.refill(self.installed)
        return self.points
