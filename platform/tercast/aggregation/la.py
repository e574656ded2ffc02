"""LA, the immediate aggregation of Bhowmik et al. (section 5.4): the pair lowest in the tree is merged.

Only the switch itself is looked at. A merge is a cover that keeps nothing below its point; where the point
lies within a cover, the cover keeps the point instead of what lies below it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from tercast.aggregation.node import Node, tally_of
from tercast.aggregation.partly import merge_partly
from tercast.aggregation.table import Members, Table, Undo
from tercast.keys import LENGTH_MASK, NONE, Key
from tercast.site import Mask


def shrink(tables: Sequence[Table], excess: int) -> list[Undo]:
    """Merge in the tables of one switch until they have `excess` entries fewer, or no merge is allowed.

    Of several lowest points the first table's comes first, in it the first in order.
    """
    undo: list[Undo] = []
    left = excess
    while left > 0:
        left = _merge_pairs(tables, left, undo)
        if left > 0:
            part = next(filter(None, map(merge_partly, tables)), None)
            if part is None:
                break
            undo.append(part[0])
            left -= part[1]
    return undo


def _merge_pairs(tables: Sequence[Table], left: int, undo: list[Undo]) -> int:
    """Merge lowest pairs, as many as are needed and allowed; how many entries are still too many."""
    if len(tables) == 1:
        return _merge_in(tables[0], 0, left, undo)
    depths = [_depth(table) for table in tables]
    while left > 0 and (lowest := max(depths)) >= 0:
        number = depths.index(lowest)
        down_to = max((depth + (n < number) for n, depth in enumerate(depths) if n != number), default=0)
        left = _merge_in(tables[number], max(down_to, 0), left, undo)
        depths[number] = _depth(tables[number])
    return left


def _depth(table: Table) -> int:
    """The length of a table's lowest merge point; -1 where it has none."""
    points, shifts, installed = table.start_points(), table.order.shifts, table.installed
    while (point := points.lowest()) != NONE:
        second = bisect_left(installed, point) + 1
        length = point & LENGTH_MASK
        if second < len(installed) and not (installed[second] ^ point) >> shifts[length]:
            return length
        points.drop()
    return -1


def _merge_in(table: Table, down_to: int, left: int, undo: list[Undo]) -> int:
    """Merge lowest pairs of one table, at points of so many bits or more; what is still too much.

    A merge makes no new points. So those to be merged are found first, and what then lies under several, in
    one another, is merged at once.
    """
    while left > 0:
        runs = _Runs(table)
        left = runs.choose(down_to, left)
        runs.merge(undo)
        if not runs.met_kept:
            break
        left -= _merge_anyhow(table, undo)
    return left


class _Runs:
    """Parts of what is installed that are to become one entry each.

    By the index where it begins: the one where it ends, its outputs, and the point at which it is merged.
    """

    __slots__ = ("_found", "_table", "met_kept")

    def __init__(self, table: Table) -> None:
        self._table = table
        self._found: dict[int, tuple[int, Mask, Key]] = {}
        self.met_kept = False

    def choose(self, down_to: int, left: int) -> int:
        """Find the lowest points that save `left` entries, as far as `down_to` allows; what is missing.

        It stops where covers that keep something, or plain entries besides those of a port, are to be merged.
        """
        table, found = self._table, self._found
        points, rule, installed = table.start_points(), table.rule, table.installed
        shifts, nodes, own = table.order.shifts, table.nodes, table.own
        count = len(installed)
        while left > 0 and (point := points.lowest()) != NONE:
            length = point & LENGTH_MASK
            if length < down_to:
                break
            shift = shifts[length]
            cell = point >> shift
            start = at = bisect_left(installed, point)
            members = mask = 0
            while at < count and (key := installed[at]) >> shift == cell:
                run = found.get(at)
                if run is not None:
                    at, more, _ = run
                    mask |= more
                else:
                    node = nodes.get(key)
                    if node is None:
                        mask |= own[key]
                    elif node.kids or node.up:
                        self.met_kept = True
                        return left
                    else:
                        mask |= node.mask
                    at += 1
                members += 1
            if members < 2:
                points.drop()
            elif table.port:
                self.met_kept = True
                return left
            elif rule.some_forbid(mask) and not rule.allows(point, mask, ()):
                points.put_aside()
            else:
                points.drop()
                found[start] = (at, mask, point)
                left -= members - 1
        return left

    def merge(self, undo: list[Undo]) -> None:
        """Merge them."""
        table = self._table
        tops: list[tuple[int, int, Key]] = []
        beyond = 0
        for start in sorted(self._found):
            stop, _, point = self._found[start]
            if start >= beyond:
                tops.append((start, stop, point))
                beyond = stop
        for start, stop, point in reversed(tops):
            members = [(key, table.nodes.get(key)) for key in table.installed[start:stop]]
            undo.append(table.merge(start, stop, point, members, _joined(table, members)))


def _joined(table: Table, members: Members) -> Node:
    """A node for what exact entries, and covers that keep nothing, stand for."""
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


def _merge_anyhow(table: Table, undo: list[Undo]) -> int:
    """Merge at the lowest point, whatever stands there; the entries that it saves."""
    points = table.start_points()
    point = points.lowest()
    members = table.within(point)
    first = members[0]
    top = table.top(first) if first in table.nodes else NONE
    inside = top != NONE and table.order.covers(top, point)
    at = top if inside else point
    if not inside and not any(key in table.nodes and table.nodes[key].kids for key in members):
        built: Members = [(point, _with_others(table, point, members))]
    else:
        built = table.build((at, _with_point(table, top, point) if inside and top != point else ()))
    node = next(node for key, node in built if key == point)
    if node is not None and not table.rule.holds(point, node):
        points.put_aside()
        return 0
    points.drop()
    before = len(table)
    undo.append(table.swap(at, built))
    return before - len(table)


def _with_others(table: Table, point: Key, members: list[Key]) -> Node:
    """A node for all of a cell in the table of a port, where no member keeps anything.

    Plain entries count that come there, but those that members count already.
    """
    found = [(key, table.nodes.get(key)) for key in members]
    merged = _joined(table, found)
    start = point
    for key, node in found:
        if node is not None:
            for mask in table.others_between(start, key):
                merged.count(mask)
            start = table.order.end(key)
    for mask in table.others_between(start, table.order.end(point)):
        merged.count(mask)
    return merged


def _with_point(table: Table, top: Key, point: Key) -> tuple[Key, ...]:
    covers = table.order.covers
    kept = (key for key in table.kept(top) if not covers(point, key))
    return tuple(sorted((*kept, point)))
