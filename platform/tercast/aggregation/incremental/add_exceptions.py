"""New entries under covers with exceptions become exceptions too, until LA merges them.

Such covers come from methods that know the traffic, and are as wide as the traffic allows. Without this step,
all events that resolve to such a cover would be sent to the outputs of a new entry in it.
"""

from __future__ import annotations

from tercast.aggregation.incremental.cover_node import Node, tiled
from tercast.aggregation.incremental.installed_table import InstalledTable, Undo
from tercast.routing.cell_keys import NONE, Key


def add_exceptions(table: InstalledTable) -> list[Undo]:
    """Make the fresh entries of a table exceptions if their covers already have exceptions."""
    by_top: dict[Key, list[Key]] = {}
    for key in sorted(table.checks.fresh):
        at = table.home(key)
        if at not in (NONE, key) and key in table.own:
            top = table.top(at)
            if table.nodes[top].kids:
                by_top.setdefault(top, []).append(key)
    table.checks.fresh.clear()
    return [_keep(table, top, keys) for top, keys in by_top.items()]


def _keep(table: InstalledTable, top: Key, keys: list[Key]) -> Undo:
    nodes = {key: table.nodes[key].under(table.nodes[key].up) for key in (top, *table.kept(top))}
    whole = not table.port
    for key in keys:
        whole = whole and _split(table, nodes, key)
    if not whole:
        built = table.exact.build((top, tuple(sorted({*nodes, *keys} - {top}))))
    else:
        nodes[top].size = len(nodes)
        built = sorted(nodes.items())
    table.checks.thin.add(top)
    return table.replace_cell(top, list(built))


def _split(table: InstalledTable, nodes: dict[Key, Node], key: Key) -> bool:
    """Create a node for an entry; False if the node above it is left without entries."""
    order, own = table.order, table.own
    dz = order.dz(key) >> 1
    while order.key(dz) not in nodes:
        dz >>= 1
    over = order.key(dz)
    above, node = nodes[over], Node(over)
    node.kids = [kid for kid in above.kids if order.covers(key, kid)]
    for kid in node.kids:
        nodes[kid].up = key
    for at in table.exact.range(key, order.end(key)):
        if not any(order.covers(kid, at) for kid in node.kids) and not tiled(order, at, node.kids):
            above.discount(own[at])
            node.count(own[at])
    above.kids = sorted({*above.kids, key} - {*node.kids})
    node.void, above.void = tiled(order, key, node.kids), tiled(order, over, above.kids)
    nodes[key] = node
    return bool(above.tally and node.tally)
