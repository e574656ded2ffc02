"""LA, the immediate aggregation of Bhowmik et al. (section 5.4): the pair lowest in the tree is merged.

Only the switch itself is looked at. A merge is a cover that keeps nothing below its point; where the point
lies within a cover, the cover keeps the point instead of what lies below it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from tercast.aggregation.node import Node
from tercast.aggregation.partly import merge_partly
from tercast.aggregation.table import Members, Table, Undo
from tercast.keys import LENGTH_MASK, NONE, Key


def shrink(tables: Sequence[Table], excess: int) -> list[Undo]:
    """Merge in the tables of one switch until they have `excess` entries fewer, or no merge is allowed.

    Of several lowest points the first table's comes first, in it the first in order.
    """
    undo: list[Undo] = []
    for table in tables:
        table.start_points()
    left = excess
    while left > 0:
        table = tables[0] if len(tables) == 1 else max(tables, key=_depth)
        before = len(table)
        found = _merge(table)
        if found is not None:
            undo.append(found)
            left -= before - len(table)
        elif all(_depth(other) < 0 for other in tables):
            part = next(filter(None, map(merge_partly, tables)), None)
            if part is None:
                break
            undo.append(part[0])
            left -= part[1]
    return undo


def _depth(table: Table) -> int:
    """The length of a table's lowest merge point; -1 where it has none."""
    points, order, installed = table.start_points(), table.order, table.installed
    while (point := points.lowest()) != NONE:
        second = bisect_left(installed, point) + 1
        if second < len(installed) and installed[second] < order.end(point):
            return point & LENGTH_MASK
        points.drop()
    return -1


def _merge(table: Table) -> Undo | None:
    """Merge at the lowest point; None where it is none any more, or the rule forbids it."""
    points, installed, nodes = table.start_points(), table.installed, table.nodes
    point = points.lowest()
    if point == NONE:
        return None
    start = bisect_left(installed, point)
    stop = bisect_left(installed, table.order.end(point), start)
    if stop - start < 2:
        points.drop()
        return None
    members = [(key, nodes.get(key)) for key in installed[start:stop]]
    if table.port or any(node is not None and (node.kids or node.up) for _, node in members):
        return _merge_anyhow(table, point, members[0])
    merged = _joined(table, members)
    if not table.rule.allows(point, merged.mask, merged.kids):
        points.put_aside()
        return None
    points.drop()
    return table.merge(start, stop, point, members, merged)


def _joined(table: Table, members: Members) -> Node:
    """A node for what exact entries, and covers that keep nothing, stand for."""
    merged, own = Node(), table.own
    for key, node in members:
        if node is None:
            merged.entries += 1
            merged.count(own[key])
        else:
            merged.absorb(node)
    return merged


def _merge_anyhow(table: Table, point: Key, first: tuple[Key, Node | None]) -> Undo | None:
    """Merge where covers keep something, or plain entries count besides those of a port."""
    points = table.start_points()
    top = table.top(first[0]) if first[1] is not None else NONE
    inside = top != NONE and table.order.covers(top, point)
    at = top if inside else point
    built = table.build((at, _with_point(table, top, point) if inside and top != point else ()))
    node = next(node for key, node in built if key == point)
    if node is not None and not table.rule.holds(point, node):
        points.put_aside()
        return None
    points.drop()
    return table.swap(at, built)


def _with_point(table: Table, top: Key, point: Key) -> tuple[Key, ...]:
    covers = table.order.covers
    kept = (key for key in table.kept(top) if not covers(point, key))
    return tuple(sorted((*kept, point)))
