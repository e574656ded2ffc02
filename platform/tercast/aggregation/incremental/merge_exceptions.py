"""What covers keep, where nothing else is left for LA to merge: it becomes less, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tercast.aggregation.incremental.installed_table import InstalledTable, Undo
from tercast.aggregation.incremental.merge_points import MergePoints, common
from tercast.routing.cell_keys import LENGTH_MASK, NONE, Key


def merge_exceptions(tables: Sequence[InstalledTable], undo: list[Undo]) -> int | None:
    """Merge what some cover keeps at the lowest point; the entries saved, None where there is no point.

    0 where that is none any more, or the rule forbids it; then it is not postponed any more.
    """
    found = [(points.lowest_postponed() & LENGTH_MASK, -n) for n, points in _waiting(tables)]
    if not found:
        return None
    table = tables[-max(found)[1]]
    return _merge(table, table.start_points(), undo)


def _waiting(tables: Sequence[InstalledTable]) -> list[tuple[int, MergePoints]]:
    known = [(n, table.start_points()) for n, table in enumerate(tables)]
    return [(n, points) for n, points in known if points.lowest_postponed() != NONE]


def _merge(table: InstalledTable, points: MergePoints, undo: list[Undo]) -> int:
    """Merge at the lowest point that was postponed; 0 where it is none any more, or the rule forbids it."""
    point = points.lowest_postponed()
    members = table.within(point)
    no_point = all(common(table.order, a, b) != point for a, b in pairwise(members))
    if no_point or members[0] not in table.nodes:
        points.drop_postponed()
        return 0
    top = table.top(members[0])
    if not table.order.covers(top, point):
        points.drop_postponed()
        return 0
    goes = _going(table, point, members)
    kept = {*table.kept(top), point} - {top} - goes
    built = table.exact.build((top, tuple(sorted(kept))))
    node = next(node for key, node in built if key == point)
    if node is not None and not table.rule.holds(point, node):
        points.drop_postponed(forbidden=True)
        return 0
    points.drop_postponed()
    before = len(table)
    undo.append(table.replace_cell(top, built))
    return before - len(table)


def _going(table: InstalledTable, point: Key, members: list[Key]) -> set[Key]:
    """The entries that the one at a point takes in; what they keep stays."""
    nodes = table.nodes
    if members[0] == point:  # it stands: the lowest right below it goes
        return {min(nodes[point].kids, key=lambda kid: (-(kid & LENGTH_MASK), kid))}
    inside = {*members}
    return {key for key in members if nodes[key].up not in inside}
