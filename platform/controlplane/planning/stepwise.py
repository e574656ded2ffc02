"""Full tables of switches that know no bundles: changed in steps that lose nothing, where there is a way."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tercast.planner.planner import Planner
from tercast.tables.entries import SwitchDiff, Table
from tercast.updates.tree_permissions import permit_at, trees_at
from tercast.updates.update_plan import UpdateStep, steps

BUNDLES = "bundles"
"""What a switch can do that changes its table in one step, in the controller's words."""


@dataclass(frozen=True, slots=True)
class SwitchUpdate:
    """A change whose removals make room for its additions: in one step, or in `steps`.

    There may be `limit` entries at any moment.
    """

    limit: int
    steps: tuple[UpdateStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Stepwise:
    """What the switches without bundles hold, by name, and whose trees say what may stand there.

    `leaving`: the budgets (None: any number) that tables come from, which hold until they are smaller.
    """

    planner: Planner
    tables: Mapping[str, Table]
    leaving: Mapping[str, int | None] = field(default_factory=dict)

    def swap(self, diff: SwitchDiff, limit: int) -> SwitchUpdate:
        """How to carry out `diff` on a table without room for old and new entries."""
        if diff.switch not in self.tables:
            return SwitchUpdate(limit)
        limit = self._limit(diff, limit)
        return SwitchUpdate(limit, tuple(self._steps(diff, limit) or ()))

    def is_stuck(self, diff: SwitchDiff, limit: int) -> bool:
        """Whether the switch knows no bundles, and no steps lead from its table to the new one."""
        return diff.switch in self.tables and self._steps(diff, self._limit(diff, limit)) is None

    def _limit(self, diff: SwitchDiff, limit: int) -> int:
        """A table that is larger than its budget may stay as large until it is smaller."""
        there = len(self.tables[diff.switch])
        leaving = self.leaving.get(diff.switch, limit)
        return max(limit, there, there + len(diff.added) if leaving is None else leaving)

    def _steps(self, diff: SwitchDiff, limit: int) -> list[UpdateStep] | None:
        table = self.tables[diff.switch]
        return way(self.planner, diff.switch, table, _after(table, diff), limit)


def way(planner: Planner, switch: str, before: Table, after: Table, limit: int) -> list[UpdateStep] | None:
    """Steps between two tables of a switch in which nothing is lost; None: there are none."""
    return steps(before, after, limit, permit_at(planner, switch), trees_at(planner, switch))


def without_bundles(rows: Iterable[Mapping[str, Any]]) -> set[str]:
    """The dpids of connected switches that know none, by what the controller tells of them."""
    return {row["dpid"] for row in rows if BUNDLES not in row.get("capabilities", ())}


def _after(table: Table, diff: SwitchDiff) -> Table:
    gone = {(entry.key, entry.priority) for entry in (*diff.removed, *diff.modified)}
    return (*(entry for entry in table if (entry.key, entry.priority) not in gone), *diff.installs)
