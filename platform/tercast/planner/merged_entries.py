"""The merged entries of a planner's tables, and the number of entries that they replace.

An entry is merged if it is at the top of a cover or among the entries that the cover keeps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from tercast.aggregation.incremental.overlay import Overlay
from tercast.eventspace.dz import Dz
from tercast.planner.state import PlannerState
from tercast.routing.switch_ports import PortMask
from tercast.tables.covers import Cover, NetworkCovers, TableCovers

EntryPlace = tuple[str, int | None, Dz]
"""Topic, ingress port (None: any) and dz of an entry."""

MergeMark = tuple[int, PortMask]
"""Values that show a change of a merged entry: the exact entries of its cover, and its outputs."""

MergedTable = Mapping[EntryPlace, MergeMark]


def merged_tables(planner: PlannerState) -> dict[str, MergedTable]:
    """Return the merged entries of every switch that has any, under the current codes of topics."""
    tables = {name: merged_table(planner, name) for name in planner.budget_enforcer.overlays}
    return {name: table for name, table in tables.items() if table}


def merged_table(planner: PlannerState, switch: str) -> MergedTable:
    """Return the merged entries of one switch."""
    overlay = planner.budget_enforcer.overlays.get(switch)
    return {} if overlay is None else _marks(planner, overlay)


def _marks(planner: PlannerState, overlay: Overlay) -> MergedTable:
    found: dict[EntryPlace, MergeMark] = {}
    plans = set(map(id, planner.plans))
    for topic in overlay.topics.values():
        if id(topic.plan) not in plans:
            continue
        name, order = topic.plan.topic.name, topic.plan.order
        for port, table in topic.tables.items():
            for top, kept in table.covers():
                entries = table.nodes[top].entries
                for key in (top, *kept):
                    found[name, port or None, order.dz(key)] = (entries, table.nodes[key].mask)
    return found


@dataclass(frozen=True, slots=True)
class Merges:
    """Numbers of exact entries that are merged, and that are installed as exact entries again."""

    merged: int = 0
    unmerged: int = 0
    switches: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.switches)


class Savings:
    """The number of entries that merging saves, by switch, updated after each request."""

    def __init__(self, planner: PlannerState) -> None:
        self._planner = planner
        self._saved = _all_saved(planner)

    def step(self, switches: Iterable[str]) -> Merges:
        """Return the changes at `switches` since the last step."""
        before = {name: self._saved.get(name, 0) for name in switches}
        now = {name: _saved(self._planner, name) for name in before}
        self._saved |= now
        return _merges(before, now)


@dataclass(frozen=True, slots=True)
class MergedEntriesSnapshot:
    """The merged entries of all switches at one moment, and the number of entries they save."""

    tables: Mapping[str, MergedTable]
    saved: Mapping[str, int]

    @classmethod
    def of(cls, planner: PlannerState) -> MergedEntriesSnapshot:
        """Return the picture of a planner in its current state."""
        return cls(merged_tables(planner), _all_saved(planner))

    def merges(self, after: MergedEntriesSnapshot) -> Merges:
        """Return what was merged and unmerged between this picture and a later one."""
        names = self.saved.keys() | after.saved.keys()
        before = {name: self.saved.get(name, 0) for name in names}
        return _merges(before, {name: after.saved.get(name, 0) for name in names})

    def changed(self, after: MergedEntriesSnapshot) -> dict[str, frozenset[EntryPlace]]:
        """Return, by switch, the entries that are new or different in a later picture.

        A switch with fewer merged entries and no other change has an empty set.
        """
        names = self.tables.keys() | after.tables.keys()
        pairs = {name: (self.tables.get(name, {}), after.tables.get(name, {})) for name in sorted(names)}
        return {name: changed_places(*pair) for name, pair in pairs.items() if pair[0] != pair[1]}


def changed_places(before: MergedTable, after: MergedTable) -> frozenset[EntryPlace]:
    """Return the merged entries that are new or different."""
    return frozenset(place for place, mark in after.items() if before.get(place) != mark)


def covers_without(covers: NetworkCovers, places: Mapping[str, Collection[EntryPlace]]) -> NetworkCovers:
    """Return the covers that contain none of the given merged entries (by switch)."""
    return {
        switch: {topic: _without(topic, table, places.get(switch, ())) for topic, table in topics.items()}
        for switch, topics in covers.items()
    }


def _without(topic: str, table: TableCovers, places: Collection[EntryPlace]) -> TableCovers:
    def rest(port: int | None, covers: Iterable[Cover]) -> tuple[Cover, ...]:
        return tuple(
            one for one in covers if not any((topic, port, dz) in places for dz in (one.dz, *one.kept))
        )

    return TableCovers(
        rest(None, table.plain), {port: rest(port, covers) for port, covers in table.in_port.items()}
    )


def _merges(before: Mapping[str, int], now: Mapping[str, int]) -> Merges:
    more = {name: now[name] - before[name] for name in now if now[name] != before[name]}
    merged = sum(change for change in more.values() if change > 0)
    return Merges(merged, merged - sum(more.values()), frozenset(more))


def _all_saved(planner: PlannerState) -> dict[str, int]:
    return {name: _saved(planner, name) for name in planner.budget_enforcer.overlays}


def _saved(planner: PlannerState, switch: str) -> int:
    """Count the entries that the exact table of a switch has in addition to the installed one."""
    overlay = planner.budget_enforcer.overlays.get(switch)
    return 0 if overlay is None else overlay.site.count - overlay.count
