"""Keeps the tables of a network within their budgets, request by request.

What is asked for is planned exactly, as if there were no budgets; where tables are too large, overlays
install less. An overlay comes to a switch when its budget is first exceeded, or when covers are given to it,
and goes when it is exact again, so a network without covers does nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tercast.aggregation.incremental.add_exceptions import set_apart
from tercast.aggregation.incremental.cover_keys import spreads, table_covers
from tercast.aggregation.incremental.cover_repair import lay, mend, suspect
from tercast.aggregation.incremental.exhaustive_merge import squeeze
from tercast.aggregation.incremental.installed_table import InstalledTable, Undo
from tercast.aggregation.incremental.la import shrink
from tercast.aggregation.incremental.overlay import Overlay, overlay_at
from tercast.requests.outcome import Least
from tercast.routing.cell_keys import Key
from tercast.routing.switch_ports import SwitchPorts
from tercast.tables.covers import NetworkCovers, TableCovers

if TYPE_CHECKING:
    from tercast.aggregation.incremental.planned_tables import PlannedTables
    from tercast.routing.topic_routing import TopicRouting

NONE_METHOD = "none"

Marked = Iterable[tuple[SwitchPorts, int]]


class BudgetChange:
    """What one request has done to covers, and how many entries switches had before it.

    `least` has the fewest entries of the switches whose budgets no covers can hold.
    """

    __slots__ = ("before", "least", "undo")

    def __init__(self) -> None:
        self.before: dict[SwitchPorts, int] = {}
        self.undo: list[Undo] = []
        self.least: dict[str, Least] = {}

    def note(self, overlay: Overlay) -> None:
        """The entries that a switch has are those that it had before, if nothing was noted yet."""
        if overlay.site not in self.before:
            self.before[overlay.site] = overlay.count


class BudgetEnforcer:
    """The overlays of a planner's network, and the policy: whether LA may make room (`none`: it may not).

    It may in any case while topics are `passing` from one code to the other through full tables.
    """

    __slots__ = ("_changed", "_gone", "_planner", "_seen", "_touched", "method", "overlays", "passing")

    def __init__(self, planner: PlannedTables) -> None:
        self._planner = planner
        self.method = NONE_METHOD
        self.passing = False
        self.overlays: dict[str, Overlay] = {}
        self._touched: set[str] = set()
        self._changed: set[str] = set()
        self._gone: list[TopicRouting] = []
        self._seen: list[tuple[TopicRouting, int]] = []

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do here, whatever happens."""
        return not self.overlays and not self.lays

    @property
    def lays(self) -> bool:
        """Whether LA may make room."""
        return self.passing or self.method != NONE_METHOD

    def settle(self, marked: Marked, topic: str | None = None, cells: Iterable[Key] = ()) -> BudgetChange:
        """Let installed tables follow a request; in `cells` of `topic` trees may have changed."""
        step = BudgetChange()
        involved = self._follow(marked, step)
        if topic is not None:
            involved |= self._suspect(topic, list(cells))
        self._mend(involved, step)
        self._make_room(involved, step)
        return step

    def settle_all(self, marked: Marked) -> BudgetChange:
        """The same after a change of the network: all trees may have changed."""
        step = BudgetChange()
        self._follow(marked, step)
        for overlay in self._in_order():
            for table in overlay.tables():
                self._look_again(table)
                table.suspects.update(table.nodes)
        involved = dict.fromkeys(self._in_order())
        self._mend(involved, step)
        self._make_room(self._everywhere(step), step)
        return step

    def exceeded(self, step: BudgetChange) -> tuple[str, ...]:
        """The switches that are over their budget after a step, with more entries than before it."""
        return tuple(
            sorted(
                site.id
                for site, before in step.before.items()
                if site.budget is not None and site.installed > site.budget and site.installed > before
            )
        )

    def take_back(self, step: BudgetChange) -> None:
        """Put covers back as they were before a step; exact entries are as they were right after it."""
        for table, at, members in reversed(step.undo):
            table.swap(at, members)

    def follow_back(self, marked: Marked, topic: str | None = None) -> None:
        """Follow exact entries that went back to where they were before the step that was taken back.

        The trees of `topic` went back as well.
        """
        self._look()
        for site, _ in marked:
            overlay = overlay_at(site)
            if overlay is not None:
                self._follow_site(overlay)
                for table in overlay.tables():
                    table.thin.clear()
                    table.suspects.clear()
                    table.fresh.clear()
        if topic is not None:
            self._suspect(topic, [])

    def make_room(self, sites: Iterable[SwitchPorts] | None = None) -> BudgetChange:
        """Let LA work at some switches (None: all) where a budget is exceeded, if the policy allows it."""
        step = BudgetChange()
        wanted = None if sites is None else set(sites)
        involved = [one for one in self._everywhere(step) if wanted is None or one.site in wanted]
        self._make_room(involved, step)
        return step

    def restore(self, method: str, covers: NetworkCovers, passing: bool = False) -> None:
        """Be as a snapshot says."""
        self.method = method
        self.passing = passing
        for switch, topics in covers.items():
            overlay = self._overlay(self._planner.network.sites[switch], BudgetChange())
            for found in overlay.topics.values():
                of_topic = topics.get(found.plan.topic.name, TableCovers())
                for port, spread in spreads(found.plan.order, of_topic):
                    table = found.tables[port]
                    table.swap(spread[0], table.build(spread))

    def replace(self, wanted: NetworkCovers) -> BudgetChange:
        """Give switches other covers, as far as those save and obey; then make room, where LA may."""
        step = BudgetChange()
        involved: dict[Overlay, None] = {}
        for switch, topics in wanted.items():
            overlay = self._overlay(self._planner.network.sites[switch], step)
            involved[overlay] = None
            for found in overlay.topics.values():
                covers = topics.get(found.plan.topic.name, TableCovers())
                for table in found.tables.values():
                    self._clear(table, step)
                for port, spread in spreads(found.plan.order, covers):
                    if port in found.tables:
                        table = found.tables[port]
                        step.undo.append(table.swap(spread[0], lay(table, spread)))
        self._make_room(involved, step)
        return step

    def end_passing(self) -> None:
        """All topics have passed: where nothing is merged otherwise tables are exact again, if they fit."""
        if not self.passing:
            return
        self.passing = False
        if self.method == NONE_METHOD:
            for switch in sorted(self.overlays):
                step = self.replace({switch: {}})
                if self.exceeded(step):
                    self.take_back(step)

    def forget_topic(self, topic: str) -> None:
        """The covers of a topic mean nothing any more."""
        for overlay in self._in_order():
            for found in overlay.topics.values():
                if found.plan.topic.name == topic:
                    for table in found.tables.values():
                        self._clear(table, BudgetChange())

    def forget_plan(self, plan: TopicRouting) -> None:
        """A plan is gone for good; its tables are once their changes have been taken."""
        self._gone.append(plan)

    def covers(self) -> NetworkCovers:
        """All covers by switch and topic."""
        found: NetworkCovers = {}
        for switch in sorted(self.overlays):
            topics = {
                topic.plan.topic.name: table_covers(topic.plan.order, topic.tables)
                for topic in self.overlays[switch].topics.values()
            }
            topics = {name: covers for name, covers in sorted(topics.items()) if covers}
            if topics:
                found[switch] = topics
        return found

    def take_changed(self) -> set[str]:
        """The switches whose merged entries may have changed since the last call."""
        changed, self._changed = self._changed, set()
        return changed

    def prune(self) -> None:
        """Let overlays go that have become exact; their changes have been taken."""
        for plan in self._gone:
            for trie in plan.tries.values():
                overlay = overlay_at(trie.site)
                if overlay is not None:
                    overlay.forget(trie)
        self._gone.clear()
        for switch in self._touched:
            overlay = self.overlays.get(switch)
            if overlay is not None and overlay.is_exact:
                overlay.site.overlay = None
                del self.overlays[switch]
        self._touched.clear()

    def _touch(self, switch: str) -> None:
        self._touched.add(switch)
        self._changed.add(switch)

    def _follow(self, marked: Marked, step: BudgetChange) -> dict[Overlay, None]:
        """Overlays of the switches whose exact tables changed; new ones where there is too much now."""
        involved: dict[Overlay, None] = {}
        marked = list(marked)
        for site, before in marked:
            step.before[site] = before if site.overlay is None else site.overlay.count
        self._look()
        for site, _ in marked:
            overlay = overlay_at(site)
            if overlay is not None:
                self._follow_site(overlay)
            elif self.lays and site.budget is not None and site.count > site.budget:
                overlay = self._overlay(site, step)
            else:
                continue
            involved[overlay] = None
        return involved

    def _in_order(self) -> list[Overlay]:
        """The overlays in an order that does not depend on when they came."""
        return [self.overlays[switch] for switch in sorted(self.overlays)]

    def _look(self) -> None:
        """Let overlays know the topics that have come to their switches."""
        planner = self._planner
        plans = planner.all_plans
        seen = [(plan, len(plan.tries)) for plan in plans]
        if seen != self._seen:
            self._seen = seen
            for overlay in self.overlays.values():
                overlay.look(plans, planner.network)

    def _follow_site(self, overlay: Overlay) -> None:
        self._touch(overlay.site.id)
        for topic in overlay.topics.values():
            topic.follow()

    def _overlay(self, site: SwitchPorts, step: BudgetChange) -> Overlay:
        self._touch(site.id)
        overlay = overlay_at(site)
        if overlay is None:
            step.before.setdefault(site, site.count)
            overlay = site.overlay = self.overlays[site.id] = Overlay(site)
            overlay.look(self._planner.all_plans, self._planner.network)
        else:
            step.note(overlay)
        return overlay

    def _suspect(self, topic: str, cells: list[Key]) -> dict[Overlay, None]:
        involved: dict[Overlay, None] = {}
        for overlay in self._in_order():
            for found in overlay.topics.values():
                if found.plan.topic.name == topic:
                    for table in found.tables.values():
                        self._look_again(table)
                        suspect(table, cells)
                        if table.suspects:
                            involved[overlay] = None
        return involved

    @staticmethod
    def _look_again(table: InstalledTable) -> None:
        table.rule.forget()
        if table.points is not None:
            table.points.reconsider_all()

    def _mend(self, involved: Iterable[Overlay], step: BudgetChange) -> None:
        for overlay in involved:
            self._touch(overlay.site.id)
            step.note(overlay)
            for found in overlay.topics.values():
                for table in found.tables.values():
                    if table.fresh:
                        if self.lays:
                            step.undo += set_apart(table)
                        table.fresh.clear()
                    if table.thin or table.suspects:
                        step.undo += mend(table)

    def _make_room(self, involved: Iterable[Overlay], step: BudgetChange) -> None:
        if not self.lays:
            return
        for overlay in involved:
            excess = overlay.excess
            if excess > 0:
                step.note(overlay)
                tables = list(overlay.tables())
                step.undo += shrink(tables, excess)
                if overlay.excess > 0:
                    found, least = squeeze(tables, overlay.excess)
                    step.undo += found
                    if not found:
                        step.least[overlay.site.id] = least

    def _everywhere(self, step: BudgetChange) -> list[Overlay]:
        """The overlays of all switches over their budget, where the policy lets LA work."""
        if not self.lays:
            return []
        return [
            self._overlay(site, step)
            for site in self._planner.network.sites.values()
            if site.budget is not None and site.installed > site.budget
        ]

    def _clear(self, table: InstalledTable, step: BudgetChange) -> None:
        for top, _ in table.covers():
            step.undo.append(table.swap(top, table.bare(top)))
