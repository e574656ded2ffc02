"""LA, the immediate aggregation of Bhowmik et al. (section 5.4): merge the lowest pair.

Only the switch itself is considered. A merge is a cover without exceptions below its point. The paper has no
covers with exceptions; these come from other methods, which know the traffic. When such a cover is merged
with its neighbours, its exceptions stay. Within a cover, the lowest pair is merged when it is the lowest of
all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from tercast.aggregation.incremental.cover_node import Members, Node, tally_of
from tercast.aggregation.incremental.installed_table import InstalledTable, Undo
from tercast.aggregation.incremental.merge_exceptions import merge_exceptions
from tercast.aggregation.incremental.merge_points import MergePoints
from tercast.aggregation.incremental.partial_merge import merge_partially
from tercast.routing.cell_keys import LENGTH_MASK, NONE, Key
from tercast.routing.switch_ports import PortMask


def shrink(tables: Sequence[InstalledTable], excess: int) -> list[Undo]:
    """Merge in the tables of one switch until `excess` entries are saved, if that is allowed.

    Of several lowest points, the first table's comes first, and in it the first in order.
    """
    undo: list[Undo] = []
    left = excess
    while left > 0:
        left = _merge_pairs(tables, left, undo)
        if left > 0:
            saved = merge_exceptions(tables, undo)
            if saved is None:
                saved = _merge_first_partially(tables, undo)
                if not saved:
                    break
            left -= saved
    return undo


def _merge_first_partially(tables: Sequence[InstalledTable], undo: list[Undo]) -> int:
    part = next(filter(None, map(merge_partially, tables)), None)
    if part is None:
        return 0
    undo.append(part[0])
    return part[1]


def _merge_pairs(tables: Sequence[InstalledTable], left: int, undo: list[Undo]) -> int:
    """Merge lowest pairs, as many as are needed and allowed; return the remaining excess.

    Stop when a pair within a cover is the lowest.
    """
    points = [table.start_points() for table in tables]
    if len(tables) == 1:
        return _merge_in(tables[0], points[0], max(_lowest_postponed(points), 0), left, undo)
    while left > 0:
        depths = [_length(one.lowest()) for one in points]
        lowest, postponed = max(depths), max(_lowest_postponed(points), 0)
        if lowest < postponed:
            break
        number = depths.index(lowest)
        others = max(depth + (n < number) for n, depth in enumerate(depths) if n != number)
        left = _merge_in(tables[number], points[number], max(postponed, others), left, undo)
    return left


def _lowest_postponed(points: Sequence[MergePoints]) -> int:
    """The length of the lowest point within a cover; -1 if there is none."""
    return max(_length(one.lowest_postponed()) for one in points)


def _length(point: Key) -> int:
    """The length of a merge point; -1 if there is none."""
    return point & LENGTH_MASK if point else -1


def _is_within(node: Node | None, first: Key, point: Key) -> bool:
    """Whether a point is within a cover, given the first entry at or below it."""
    return node is not None and (node.up != NONE or (first == point and bool(node.kids)))


def _merge_in(table: InstalledTable, points: MergePoints, down_to: int, left: int, undo: list[Undo]) -> int:
    """Merge lowest pairs of one table; return the remaining excess.

    Points have at least `down_to` bits. A merge creates no new points, so the points are selected first. Of
    nested points, only the highest one is merged.
    """
    while left > 0:
        runs = _Runs(table)
        down_to = max(down_to, _length(points.lowest_postponed()))
        left = runs.choose(points, down_to, left)
        runs.merge(undo)
        if not runs.met_kept:
            break
        left -= _merge_anyhow(table, undo)
    return left


class _Runs:
    """Runs of installed entries that will become one entry each.

    By the index of its start, a run has the index of its end, its outputs, and its merge point.
    """

    __slots__ = ("_found", "_table", "met_kept")

    def __init__(self, table: InstalledTable) -> None:
        self._table = table
        self._found: dict[int, tuple[int, PortMask, Key]] = {}
        self.met_kept = False

    def choose(self, points: MergePoints, down_to: int, left: int) -> int:
        """Select the lowest points that save `left` entries; return the remaining excess.

        Points have at least `down_to` bits. Stops at a merge of covers with exceptions, or of plain entries
        in addition to those of a port.
        """
        table, found, rule, installed = self._table, self._found, self._table.rule, self._table.installed
        shifts, forbidden, members_at = table.order.shifts, rule.forbidden, self._members
        while left > 0 and (point := points.pop(down_to)):
            start = bisect_left(installed, point)
            shift = shifts[point & LENGTH_MASK]
            stop, members, mask = members_at(start, point >> shift, shift)
            if stop < 0 and _is_within(table.nodes.get(installed[start]), installed[start], point):
                points.postpone(point)
                down_to = max(down_to, point & LENGTH_MASK)
            elif stop < 0 or (members > 1 and table.port):
                points.push_back(point)
                self.met_kept = True
                break
            elif members > 1:
                if mask & forbidden and not rule.allows(point, mask, ()):
                    points.forbid(point)
                else:
                    found[start] = (stop, mask, point)
                    left -= members - 1
        return left

    def _members(self, start: int, cell: int, shift: int) -> tuple[int, int, PortMask]:
        """The end (-1: a cover has exceptions), number and outputs of a cell's installed entries."""
        table, found = self._table, self._found
        installed, nodes, own = table.installed, table.nodes, table.own
        at, members, mask, end = start, 0, 0, len(installed)
        while at < end and (key := installed[at]) >> shift == cell:
            if at in found:
                at, more, _ = found[at]
                mask |= more
            else:
                if key not in nodes:
                    mask |= own[key]
                elif (node := nodes[key]).kids or node.up:
                    return -1, 0, 0
                else:
                    mask |= node.mask
                at += 1
            members += 1
        return at, members, mask

    def merge(self, undo: list[Undo]) -> None:
        """Merge the selected runs."""
        merge, found = self._table.merge, self._found
        tops: list[tuple[int, int, Key]] = []
        beyond = 0
        for start in sorted(found):
            if start >= beyond:
                beyond, _, point = found[start]
                tops.append((start, beyond, point))
        for start, stop, point in reversed(tops):
            undo.append(merge(start, stop, point))


def _joined(table: InstalledTable, members: Members) -> Node:
    """Create a node for exact entries and covers without exceptions."""
    own, merged = table.own, Node()
    entries = tally = mask = 0
    for key, node in members:
        if node is None:
            mine = own[key]
            entries += 1
            tally += tally_of(mine)
            mask |= mine
        else:
            entries += node.entries
            tally += node.tally
            mask |= node.mask
    merged.entries, merged.tally, merged.mask = entries, tally, mask
    return merged


def _merge_anyhow(table: InstalledTable, undo: list[Undo]) -> int:
    """Merge at the lowest point outside of covers; keep exceptions; return the saved entries."""
    points = table.start_points()
    point = points.pop(0)
    members = [(key, table.nodes.get(key)) for key in table.within(point)]
    roots = [(key, node) for key, node in members if node is None or node.up == NONE]
    if len(roots) < 2:
        return 0
    merged = _joined(table, roots)
    if table.port:
        _add_others(table, point, roots, merged)
    merged.kids = [kid for _, node in roots if node is not None for kid in node.kids]
    merged.size = 1 + len(members) - len(roots)
    kept = [(key, node) for key, node in members if node is not None and node.up != NONE]
    tops = {key for key, _ in roots}
    built: Members = [(point, merged)]
    built += [(key, node.under(point) if node.up in tops else node) for key, node in kept]
    if not merged.tally:
        built = table.exact.build((point, tuple(key for key, _ in kept)))
    if not table.rule.allows(point, merged.mask, merged.kids):
        points.forbid(point)
        return 0
    undo.append(table.replace_cell(point, built))
    return len(members) - len(built)


def _add_others(table: InstalledTable, point: Key, roots: Members, merged: Node) -> None:
    """Count the plain entries that add to a port's table there, except those that `roots` count."""
    start = point
    for key, node in roots:
        if node is not None:
            for mask in table.exact.plain_between(start, key):
                merged.count(mask)
            start = table.order.end(key)
    for mask in table.exact.plain_between(start, table.order.end(point)):
        merged.count(mask)
