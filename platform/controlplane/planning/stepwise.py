"""Lossless stepwise changes of full tables of switches without bundles, if they exist."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tercast.planner.planner import Planner
from tercast.tables.entries import SwitchDiff, Table
from tercast.updates.tree_permissions import permit_at, trees_at
from tercast.updates.update_plan import UpdateStep, steps

BUNDLES = "bundles"
"""Name of the capability to change a table in one step, as the controller reports it."""


@dataclass(frozen=True, slots=True)
class SwitchUpdate:
    """A change whose removals free entries for its additions: in one step, or in `steps`.

    At any moment there are at most `limit` entries.
    """

    limit: int
    steps: tuple[UpdateStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Stepwise:
    """Tables of the switches without bundles, by name, and the planner whose trees permit steps.

    `leaving` are the former budgets of tables (None: unlimited), which are valid until the tables are
    smaller.
    """

    planner: Planner
    tables: Mapping[str, Table]
    leaving: Mapping[str, int | None] = field(default_factory=dict)

    def swap(self, diff: SwitchDiff, limit: int) -> SwitchUpdate:
        """Return how to execute `diff` on a table that cannot store both old and new entries."""
        if diff.switch not in self.tables:
            return SwitchUpdate(limit)
        limit = self._limit(diff, limit)
        return SwitchUpdate(limit, tuple(self._steps(diff, limit) or ()))

    def is_stuck(self, diff: SwitchDiff, limit: int) -> bool:
        """Whether the switch has no bundles, and no steps lead from its table to the new one."""
        return diff.switch in self.tables and self._steps(diff, self._limit(diff, limit)) is None

    def _limit(self, diff: SwitchDiff, limit: int) -> int:
        """Return the limit of entries: a table beyond its budget may stay as large until it shrinks."""
        there = len(self.tables[diff.switch])
        leaving = self.leaving.get(diff.switch, limit)
        return max(limit, there, there + len(diff.added) if leaving is None else leaving)

    def _steps(self, diff: SwitchDiff, limit: int) -> list[UpdateStep] | None:
        table = self.tables[diff.switch]
        return steps_between(self.planner, diff.switch, table, _after(table, diff), limit)


def steps_between(
    planner: Planner, switch: str, before: Table, after: Table, limit: int
) -> list[UpdateStep] | None:
    """Return lossless steps between two tables of a switch, or None if there are none."""
    return steps(before, after, limit, permit_at(planner, switch), trees_at(planner, switch))


def without_bundles(rows: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the datapath ids of connected switches without bundles, from the controller's rows."""
    return {row["dpid"] for row in rows if BUNDLES not in row.get("capabilities", ())}


def _after(table: Table, diff: SwitchDiff) -> Table:
    gone = {(entry.key, entry.priority) for entry in (*diff.removed, *diff.modified)}
    return (*(entry for entry in table if (entry.key, entry.priority) not in gone), *diff.installs)
