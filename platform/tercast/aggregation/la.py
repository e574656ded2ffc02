"""LA, the immediate aggregation of Bhowmik et al. (section 5.4): the pair lowest in the tree is merged.

Only the switch itself is looked at. A merge is a cover that keeps nothing below its point; where the point
lies within a cover, the cover keeps the point instead of what lies below it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tercast.aggregation.node import Node
from tercast.aggregation.table import Table, Undo
from tercast.keys import LENGTH_MASK, NONE, Key


def shrink(tables: Sequence[Table], excess: int) -> list[Undo]:
    """Merge in the tables of one switch until they have `excess` entries fewer, or no merge is allowed.

    Of several lowest points the first table's comes first, in it the first in order.
    """
    undo: list[Undo] = []
    for table in tables:
        table.start_points()
    wanted = sum(map(len, tables)) - excess
    count = wanted + excess
    while count > wanted:
        table = max(tables, key=_depth)
        if _depth(table) < 0:
            break
        before = len(table)
        found = _merge(table)
        if found is not None:
            undo.append(found)
            count += len(table) - before
    return undo


def _depth(table: Table) -> int:
    """The length of a table's lowest merge point; -1 where it has none."""
    points, order, installed = table.points, table.order, table.installed
    assert points is not None
    while (point := points.lowest()) != NONE:
        first = installed.ceil(point)
        if installed.ceil(first + 1) < order.end(point):
            return point & LENGTH_MASK
        points.drop()
    return -1


def _merge(table: Table) -> Undo | None:
    """Merge at the lowest point; None where the rule forbids it."""
    points = table.points
    assert points is not None
    point = points.lowest()
    members = table.installed.range(point, table.order.end(point))
    top = _cover_around(table, point, members)
    if top == NONE and not table.port:
        nodes = [table.nodes.get(key) for key in members]
        if all(node is None or not (node.kids or node.up) for node in nodes):
            return _merge_plain(table, point, members, nodes)
    kept = () if top in (NONE, point) else _with_point(table, top, point)
    at = point if top == NONE else top
    built = table.build((at, kept))
    node = next(node for key, node in built if key == point)
    if node is not None and not table.rule.holds(point, node):
        points.put_aside()
        return None
    points.drop()
    return table.swap(at, built)


def _merge_plain(table: Table, point: Key, members: list[Key], nodes: list[Node | None]) -> Undo | None:
    """The same for exact entries and covers that keep nothing."""
    points, own = table.points, table.own
    assert points is not None
    merged = Node()
    for key, node in zip(members, nodes, strict=True):
        if node is None:
            merged.entries += 1
            merged.count(own[key])
        else:
            merged.absorb(node)
    if not table.rule.allows(point, merged.mask, merged.kids):
        points.put_aside()
        return None
    points.drop()
    return table.swap(point, [(point, merged)])


def _cover_around(table: Table, point: Key, members: list[Key]) -> Key:
    """The top of the cover that holds a point; NONE where there is none."""
    if members[0] not in table.nodes:
        return NONE
    top = table.top(members[0])
    return top if table.order.covers(top, point) else NONE


def _with_point(table: Table, top: Key, point: Key) -> tuple[Key, ...]:
    covers = table.order.covers
    kept = (key for key in table.kept(top) if not covers(point, key))
    return tuple(sorted((*kept, point)))
