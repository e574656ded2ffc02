"""Comparison with the definition: installed tables must follow from exact tables and covers."""

from __future__ import annotations

from tercast.aggregation.definition import apply_covers, exact_table_of, satisfies_tree_rule
from tercast.aggregation.incremental.overlay import overlay_at
from tercast.planner.planner import Planner
from tercast.tables.covers import TableCovers


def installed_as_defined(planner: Planner) -> list[str]:
    """Return all differences between overlays and the definition."""
    found: list[str] = []
    covers = planner.budget_enforcer.covers()
    for switch, site in planner.network.sites.items():
        overlay = overlay_at(site)
        if overlay is None:
            continue
        total = 0
        component = planner.network.component_of(switch)
        for trie, topic in overlay.topics.items():
            if topic.plan.tries.get(switch) is not trie:
                found += (
                    [f"{switch}: entries of a trie that is gone"]
                    if any(map(len, topic.tables.values()))
                    else []
                )
                continue
            forest = None if component is None else topic.plan.forests.get(component)
            ground = exact_table_of(topic.plan, switch, forest)
            mine = covers.get(switch, {}).get(topic.plan.topic.name, TableCovers())
            defined = apply_covers(ground, mine)
            rows = {table.port: table.rows() for table in topic.tables.values()}
            plain = rows.pop(0)
            inner = {
                (port, key): (mask & ~site.hosts_on(port), mask & site.hosts_on(port))
                for port, table in rows.items()
                for key, mask in table.items()
            }
            where = f"{switch} {topic.plan.topic.name}"
            if plain != defined.plain:
                found.append(f"{where}: plain {plain} is not {defined.plain} under {mine}")
            if inner != defined.in_port:
                found.append(f"{where}: in_port {inner} is not {defined.in_port} under {mine}")
            for port, some in ((None, mine.plain), *mine.in_port.items()):
                for cover in some:
                    if not satisfies_tree_rule(ground, cover, port):
                        found.append(f"{where}: {cover} breaks the rule")
                    if len(ground.under(cover, port)) <= len(cover):
                        found.append(f"{where}: {cover} saves nothing")
            total += len(defined)
        if total != site.installed:
            found.append(f"{switch}: {site.installed} entries counted, {total} there")
    return found
