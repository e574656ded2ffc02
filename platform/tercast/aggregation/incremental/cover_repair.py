"""Repair of covers after exact entries or trees have changed."""

from __future__ import annotations

from tercast.aggregation.incremental.cover_node import CoverCells, Members, Node
from tercast.aggregation.incremental.installed_table import InstalledTable, Undo
from tercast.routing.cell_keys import LENGTH_BITS, LENGTH_MASK, Key, Order


def repair(table: InstalledTable) -> list[Undo]:
    """Remove covers that save nothing, cut those that violate the tree rule; return the undo."""
    checks, nodes, rule = table.checks, table.nodes, table.rule
    if not checks.thin and not checks.suspects:
        return []
    thin = {table.top(key) for key in checks.thin if key in nodes}
    thin = {top for top in thin if not saves(nodes[top])}
    wrong = {table.top(key) for key in checks.suspects if key in nodes and not rule.holds(key, nodes[key])}
    checks.thin.clear()
    checks.suspects.clear()
    undo = [table.clear_cover(top) for top in sorted(thin)]
    return undo + [cut(table, top) for top in sorted(wrong - thin)]


def mark_suspects(table: InstalledTable, cells: list[Key]) -> None:
    """Let `repair` check the covers with a part in cells whose trees have changed."""
    nodes = table.nodes
    for cell in cells:
        at = table.home(cell)
        while at:
            table.checks.suspects.add(at)
            at = nodes[at].up
        found = table.within(cell) if nodes else ()
        table.checks.suspects.update(key for key in found if key in nodes)


def saves(top: Node) -> bool:
    """Whether a cover has fewer entries than it replaces."""
    return top.size < top.entries


def cut(table: InstalledTable, top: Key) -> Undo:
    """Replace a cover by the parts of it that the tree rule allows."""
    return table.replace_cell(top, rebuild(table, (top, table.kept(top))))


def rebuild(table: InstalledTable, cover: CoverCells) -> Members:
    """Build the nodes of a cover, or of the parts that save entries and obey the tree rule."""
    order, rule = table.order, table.rule
    top, kept = cover
    if len(table.exact.range(top, order.end(top))) <= 1 + len(kept):
        return table.exact.members(top)
    built = table.exact.build(cover)
    wrong = {key for key, node in built if not rule.holds(key, node)}  # type: ignore[arg-type]
    if not wrong:
        return built
    if top not in wrong:
        finer = {half for key in wrong for half in halves(order, key)}
        return rebuild(table, (top, tuple(sorted((set(kept) - wrong) | finer))))
    members: Members = [(top, None)] if top in table.own else []
    for half in halves(order, top):
        inside = tuple(key for key in kept if order.covers(half, key) and key != half)
        members += rebuild(table, (half, inside))
    return members


def halves(order: Order, key: Key) -> tuple[Key, Key]:
    """The two halves of a cell."""
    length = key & LENGTH_MASK
    first = (key ^ length) | length + 1
    return first, first | 1 << order.depth - length - 1 + LENGTH_BITS
