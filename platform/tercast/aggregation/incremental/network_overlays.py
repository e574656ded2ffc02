"""The overlays of a network: switches whose installed tables may differ from the exact ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tercast.aggregation.incremental.cover_keys import table_covers
from tercast.aggregation.incremental.installed_table import InstalledTable
from tercast.aggregation.incremental.overlay import Overlay, overlay_at
from tercast.routing.switch_ports import SwitchPorts
from tercast.tables.covers import NetworkCovers

if TYPE_CHECKING:
    from tercast.aggregation.incremental.planned_tables import PlannedTables
    from tercast.routing.topic_routing import TopicRouting


class NetworkOverlays:
    """Creates overlays, adds topics to them, and removes overlays that are exact again.

    `by_switch` are the overlays by the name of their switch.
    """

    __slots__ = ("_changed", "_known_plans", "_planner", "_removed_plans", "_touched", "by_switch")

    def __init__(self, planner: PlannedTables) -> None:
        self._planner = planner
        self.by_switch: dict[str, Overlay] = {}
        self._touched: set[str] = set()
        self._changed: set[str] = set()
        self._removed_plans: list[TopicRouting] = []
        self._known_plans: list[tuple[TopicRouting, int]] = []

    def in_order(self) -> list[Overlay]:
        """The overlays in an order that does not depend on their creation."""
        return [self.by_switch[switch] for switch in sorted(self.by_switch)]

    def tables_of(self, topic: str) -> Iterator[tuple[Overlay, InstalledTable]]:
        """Yield the installed tables of a topic, each with the overlay of its switch."""
        for overlay in self.in_order():
            for found in overlay.topics.values():
                if found.plan.topic.name == topic:
                    for table in found.tables.values():
                        yield overlay, table

    def obtain(self, site: SwitchPorts) -> Overlay:
        """Return the overlay of a switch; create it if necessary."""
        self.touch(site.id)
        overlay = overlay_at(site)
        if overlay is None:
            overlay = site.overlay = self.by_switch[site.id] = Overlay(site)
            overlay.add_topics(self._planner.all_plans, self._planner.network)
        return overlay

    def add_topics(self) -> None:
        """Add new topics to the overlays of their switches."""
        planner = self._planner
        plans = planner.all_plans
        known = [(plan, len(plan.tries)) for plan in plans]
        if known != self._known_plans:
            self._known_plans = known
            for overlay in self.by_switch.values():
                overlay.add_topics(plans, planner.network)

    def follow(self, overlay: Overlay) -> None:
        """Update the installed tables of a switch after changes of its exact ones."""
        self.touch(overlay.site.id)
        for topic in overlay.topics.values():
            topic.follow()

    def covers(self) -> NetworkCovers:
        """All covers by switch and topic."""
        found: NetworkCovers = {}
        for overlay in self.in_order():
            topics = {
                topic.plan.topic.name: table_covers(topic.plan.order, topic.tables)
                for topic in overlay.topics.values()
            }
            topics = {name: covers for name, covers in sorted(topics.items()) if covers}
            if topics:
                found[overlay.site.id] = topics
        return found

    def touch(self, switch: str) -> None:
        """Record that the tables of a switch may change."""
        self._touched.add(switch)
        self._changed.add(switch)

    def take_changed(self) -> set[str]:
        """Return the switches whose installed tables may have changed since the last call."""
        changed, self._changed = self._changed, set()
        return changed

    def remove_plan(self, plan: TopicRouting) -> None:
        """Let `prune` remove the tables of a plan, whose changes must be taken first."""
        self._removed_plans.append(plan)

    def prune(self) -> None:
        """Remove tables of removed plans, and overlays that are exact, after changes were taken."""
        if not self._removed_plans and not self._touched:
            return
        for plan in self._removed_plans:
            for trie in plan.tries.values():
                overlay = overlay_at(trie.site)
                if overlay is not None:
                    overlay.remove_topic(trie)
        self._removed_plans.clear()
        for switch in self._touched:
            overlay = self.by_switch.get(switch)
            if overlay is not None and overlay.is_exact:
                overlay.site.overlay = None
                del self.by_switch[switch]
        self._touched.clear()
