"""Enforcement of the budgets of a network's tables, request by request.

Requests are planned exactly, as if there were no budgets. If tables are too large, overlays install fewer
entries. A switch gets an overlay when it first exceeds its budget, or when it gets covers. It loses the
overlay when it is exact again. So a network without covers causes no work here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tercast.aggregation.incremental.add_exceptions import add_exceptions
from tercast.aggregation.incremental.cover_keys import cover_cells
from tercast.aggregation.incremental.cover_repair import mark_suspects, rebuild, repair
from tercast.aggregation.incremental.exhaustive_merge import merge_exhaustively
from tercast.aggregation.incremental.installed_table import InstalledTable, Undo
from tercast.aggregation.incremental.la import shrink
from tercast.aggregation.incremental.network_overlays import NetworkOverlays
from tercast.aggregation.incremental.overlay import Overlay, overlay_at
from tercast.requests.outcome import FewestEntries
from tercast.routing.cell_keys import Key
from tercast.routing.switch_ports import SwitchPorts
from tercast.tables.covers import NetworkCovers, TableCovers

if TYPE_CHECKING:
    from tercast.aggregation.incremental.planned_tables import PlannedTables
    from tercast.routing.topic_routing import TopicRouting

NONE_METHOD = "none"

Marked = Iterable[tuple[SwitchPorts, int]]


class BudgetChange:
    """Changes of covers by one request, and the number of entries of switches before it.

    `least` has the fewest possible entries of the switches whose budgets no covers can meet.
    """

    __slots__ = ("before", "least", "undo")

    def __init__(self) -> None:
        self.before: dict[SwitchPorts, int] = {}
        self.undo: list[Undo] = []
        self.least: dict[str, FewestEntries] = {}

    def record_count(self, overlay: Overlay) -> None:
        """Record the number of entries of a switch before the change, unless it is recorded already."""
        if overlay.site not in self.before:
            self.before[overlay.site] = overlay.count


class BudgetEnforcer:
    """Merges entries of a planner's network if budgets are exceeded, and keeps covers valid.

    `method` is the policy: with `none`, LA may not merge entries. While topics are `passing` from one code to
    another through full tables, LA may merge entries in any case.
    """

    __slots__ = ("_overlays", "_planner", "method", "passing")

    def __init__(self, planner: PlannedTables) -> None:
        self._planner = planner
        self._overlays = NetworkOverlays(planner)
        self.method = NONE_METHOD
        self.passing = False

    @property
    def overlays(self) -> Mapping[str, Overlay]:
        """The overlays by switch."""
        return self._overlays.by_switch

    @property
    def idle(self) -> bool:
        """Whether no request can cause work here."""
        return not (self._overlays.by_switch or self.passing or self.method != NONE_METHOD)

    @property
    def lays(self) -> bool:
        """Whether LA may merge entries."""
        return self.passing or self.method != NONE_METHOD

    def settle(self, marked: Marked, topic: str | None = None, cells: Iterable[Key] = ()) -> BudgetChange:
        """Update installed tables after a request; trees may have changed in `cells` of `topic`."""
        step = BudgetChange()
        involved = self._follow(marked, step)
        if topic is not None:
            involved |= self._mark_suspects(topic, list(cells))
        self._repair(involved, step)
        self._make_room(involved, step)
        return step

    def settle_all(self, marked: Marked) -> BudgetChange:
        """Update installed tables after a change of the network, when all trees may have changed."""
        step = BudgetChange()
        self._follow(marked, step)
        overlays = self._overlays.in_order()
        for overlay in overlays:
            for table in overlay.tables():
                _forget_trees(table)
                table.checks.suspects.update(table.nodes)
        self._repair(overlays, step)
        self._make_room(self._over_budget(step), step)
        return step

    def exceeded(self, step: BudgetChange) -> tuple[str, ...]:
        """The switches over their budget after a step, with more entries than before it."""
        return tuple(
            sorted(
                site.id
                for site, before in step.before.items()
                if site.budget is not None and site.installed > site.budget and site.installed > before
            )
        )

    def take_back(self, step: BudgetChange) -> None:
        """Restore the covers before a step; exact entries are as they were right after it."""
        for table, at, members in reversed(step.undo):
            table.replace_cell(at, members)

    def follow_back(self, marked: Marked, topic: str | None = None) -> None:
        """Update covers after exact entries have been restored to those before a step.

        The covers and the trees of `topic` have been restored before.
        """
        self._overlays.add_topics()
        for site, _ in marked:
            overlay = overlay_at(site)
            if overlay is not None:
                self._overlays.follow(overlay)
                for table in overlay.tables():
                    table.checks.clear()
        if topic is not None:
            self._mark_suspects(topic, [])

    def make_room(self, sites: Iterable[SwitchPorts] | None = None) -> BudgetChange:
        """Let LA merge at some switches (None: all) over their budget, if the policy allows it."""
        step = BudgetChange()
        wanted = None if sites is None else set(sites)
        involved = [one for one in self._over_budget(step) if wanted is None or one.site in wanted]
        self._make_room(involved, step)
        return step

    def restore(self, method: str, covers: NetworkCovers, passing: bool = False) -> None:
        """Restore the policy and the covers of a snapshot."""
        self.method = method
        self.passing = passing
        for switch, topics in covers.items():
            overlay = self._overlays.obtain(self._planner.network.sites[switch])
            for found in overlay.topics.values():
                of_topic = topics.get(found.plan.topic.name, TableCovers())
                for port, cover in cover_cells(found.plan.order, of_topic):
                    table = found.tables[port]
                    table.replace_cell(cover[0], table.exact.build(cover))

    def replace(self, wanted: NetworkCovers) -> BudgetChange:
        """Replace the covers of switches by those that save entries and obey the rule; then run LA."""
        step = BudgetChange()
        involved: dict[Overlay, None] = {}
        for switch, topics in wanted.items():
            overlay = self._overlay(self._planner.network.sites[switch], step)
            involved[overlay] = None
            for found in overlay.topics.values():
                covers = topics.get(found.plan.topic.name, TableCovers())
                for table in found.tables.values():
                    step.undo += [table.clear_cover(top) for top, _ in table.covers()]
                for port, cover in cover_cells(found.plan.order, covers):
                    if port in found.tables:
                        table = found.tables[port]
                        step.undo.append(table.replace_cell(cover[0], rebuild(table, cover)))
        self._make_room(involved, step)
        return step

    def end_passing(self) -> None:
        """End the passing of topics; without a policy, tables become exact again if they fit."""
        if not self.passing:
            return
        self.passing = False
        if self.method == NONE_METHOD:
            for switch in sorted(self.overlays):
                step = self.replace({switch: {}})
                if self.exceeded(step):
                    self.take_back(step)

    def forget_topic(self, topic: str) -> None:
        """Remove the covers of a topic."""
        for _, table in self._overlays.tables_of(topic):
            for top, _ in table.covers():
                table.clear_cover(top)

    def forget_plan(self, plan: TopicRouting) -> None:
        """Let `prune` remove the tables of a plan that no longer exists."""
        self._overlays.remove_plan(plan)

    def covers(self) -> NetworkCovers:
        """All covers by switch and topic."""
        return self._overlays.covers()

    def take_changed(self) -> set[str]:
        """Return the switches whose merged entries may have changed since the last call."""
        return self._overlays.take_changed()

    def prune(self) -> None:
        """Remove overlays that are exact again, after their changes have been taken."""
        self._overlays.prune()

    def _follow(self, marked: Marked, step: BudgetChange) -> dict[Overlay, None]:
        """The overlays of switches whose exact tables changed; create one if a budget is exceeded."""
        involved: dict[Overlay, None] = {}
        marked = list(marked)
        for site, before in marked:
            step.before[site] = before if site.overlay is None else site.overlay.count
        self._overlays.add_topics()
        for site, _ in marked:
            overlay = overlay_at(site)
            if overlay is not None:
                self._overlays.follow(overlay)
            elif self.lays and site.budget is not None and site.count > site.budget:
                overlay = self._overlay(site, step)
            else:
                continue
            involved[overlay] = None
        return involved

    def _overlay(self, site: SwitchPorts, step: BudgetChange) -> Overlay:
        """The overlay of a switch that a step may change."""
        step.before.setdefault(site, site.installed)
        return self._overlays.obtain(site)

    def _mark_suspects(self, topic: str, cells: list[Key]) -> dict[Overlay, None]:
        """Mark the nodes of a topic whose trees changed in some cells; return their overlays."""
        involved: dict[Overlay, None] = {}
        for overlay, table in self._overlays.tables_of(topic):
            _forget_trees(table)
            mark_suspects(table, cells)
            if table.checks.suspects:
                involved[overlay] = None
        return involved

    def _repair(self, involved: Iterable[Overlay], step: BudgetChange) -> None:
        """Repair the covers that changes may have made invalid."""
        for overlay in involved:
            self._overlays.touch(overlay.site.id)
            step.record_count(overlay)
            for table in overlay.tables():
                checks = table.checks
                if checks.fresh:
                    if self.lays:
                        step.undo += add_exceptions(table)
                    checks.fresh.clear()
                if checks.thin or checks.suspects:
                    step.undo += repair(table)

    def _make_room(self, involved: Iterable[Overlay], step: BudgetChange) -> None:
        """Run LA at switches over their budget; if it is not enough, search all possible covers."""
        if not self.lays:
            return
        for overlay in involved:
            excess = overlay.excess
            if excess > 0:
                step.record_count(overlay)
                tables = list(overlay.tables())
                step.undo += shrink(tables, excess)
                if overlay.excess > 0:
                    found, least = merge_exhaustively(tables, overlay.excess)
                    step.undo += found
                    if not found:
                        step.least[overlay.site.id] = least

    def _over_budget(self, step: BudgetChange) -> list[Overlay]:
        """The overlays of all switches over their budget, if the policy allows LA."""
        if not self.lays:
            return []
        return [
            self._overlay(site, step)
            for site in self._planner.network.sites.values()
            if site.budget is not None and site.installed > site.budget
        ]


def _forget_trees(table: InstalledTable) -> None:
    """Discard what a table knows about trees, because they have changed."""
    table.rule.forget()
    if table.points is not None:
        table.points.reconsider_all()
