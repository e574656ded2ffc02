"""Covers after exact entries or trees have changed: pointless ones go, forbidden ones are cut."""

from __future__ import annotations

from tercast.aggregation.incremental.cover_node import Node
from tercast.aggregation.incremental.installed_table import InstalledTable, Members, Spread, Undo
from tercast.routing.cell_keys import LENGTH_BITS, LENGTH_MASK, Key, Order


def mend(table: InstalledTable) -> list[Undo]:
    """See after the covers to which something has happened since the last call."""
    if not table.thin and not table.suspects:
        return []
    nodes, rule = table.nodes, table.rule
    thin = {table.top(key) for key in table.thin if key in nodes}
    thin = {top for top in thin if not saves(nodes[top])}
    wrong = {table.top(key) for key in table.suspects if key in nodes and not rule.holds(key, nodes[key])}
    table.thin.clear()
    table.suspects.clear()
    undo = [table.swap(top, table.bare(top)) for top in sorted(thin)]
    return undo + [cut(table, top) for top in sorted(wrong - thin)]


def suspect(table: InstalledTable, cells: list[Key]) -> None:
    """Trees have changed within some cells: covers that have a part in them are looked at by `mend`."""
    nodes = table.nodes
    for cell in cells:
        at = table.home(cell)
        while at:
            table.suspects.add(at)
            at = nodes[at].up
        found = table.within(cell) if nodes else ()
        table.suspects.update(key for key in found if key in nodes)


def saves(top: Node) -> bool:
    """Whether a cover has fewer entries than it stands for."""
    return top.size < top.entries


def cut(table: InstalledTable, top: Key) -> Undo:
    """Put in the place of a cover what the rule allows of it."""
    return table.swap(top, lay(table, (top, table.kept(top))))


def lay(table: InstalledTable, spread: Spread) -> Members:
    """What is to be installed where a cover is wanted: it, or as much of it as saves and is allowed."""
    order, rule = table.order, table.rule
    top, kept = spread
    if len(table.exact.range(top, order.end(top))) <= 1 + len(kept):
        return table.bare(top)
    built = table.build(spread)
    wrong = {key for key, node in built if not rule.holds(key, node)}  # type: ignore[arg-type]
    if not wrong:
        return built
    if top not in wrong:
        finer = {half for key in wrong for half in halves(order, key)}
        return lay(table, (top, tuple(sorted((set(kept) - wrong) | finer))))
    members: Members = [(top, None)] if top in table.own else []
    for half in halves(order, top):
        inside = tuple(key for key in kept if order.covers(half, key) and key != half)
        members += lay(table, (half, inside))
    return members


def halves(order: Order, key: Key) -> tuple[Key, Key]:
    """The two halves of a cell."""
    length = key & LENGTH_MASK
    first = (key ^ length) | length + 1
    return first, first | 1 << order.depth - length - 1 + LENGTH_BITS
