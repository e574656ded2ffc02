"""Merge of exceptions of covers, one entry at a time, if LA can merge nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tercast.aggregation.incremental.installed_table import InstalledTable, Undo
from tercast.aggregation.incremental.merge_points import MergePoints, common
from tercast.routing.cell_keys import LENGTH_MASK, NONE, Key


def merge_exceptions(tables: Sequence[InstalledTable], undo: list[Undo]) -> int | None:
    """Merge exceptions of a cover at the lowest point; return the saved entries.

    None if there is no point. 0 if the point is outdated, or if the rule forbids the merge; the point is then
    no longer postponed.
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
    """Merge at the lowest postponed point; 0 if it is outdated or the rule forbids it."""
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
    """The entries that the entry at a point replaces; their exceptions stay."""
    nodes = table.nodes
    if members[0] == point:  # it is an entry already: remove the lowest one directly below it
        return {min(nodes[point].kids, key=lambda kid: (-(kid & LENGTH_MASK), kid))}
    inside = {*members}
    return {key for key in members if nodes[key].up not in inside}
