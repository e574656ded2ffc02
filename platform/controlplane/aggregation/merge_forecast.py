"""Forecast of the merges of dry-run requests, with their expected cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from controlplane.aggregation.merged_entry_rows import estimated, to_json
from tercast.planner.merged_entries import MergedEntriesSnapshot

if TYPE_CHECKING:
    from tercast.planner.planner import Planner

picture = MergedEntriesSnapshot.of


@dataclass(frozen=True, slots=True)
class Forecast:
    """Compares a planner with an earlier picture; call it as the `look` of a dry run."""

    before: MergedEntriesSnapshot

    def __call__(self, planner: Planner) -> dict[str, Any] | None:
        """Return the merges since then, in the form of `to_json`; None if no entry changed."""
        after = MergedEntriesSnapshot.of(planner)
        merges, changed = self.before.merges(after), self.before.changed(after)
        if not merges and not changed:
            return None
        held = sum(len(after.tables.get(name, {})) for name in changed)
        return to_json(merges, merges.switches | changed.keys(), estimated(planner, changed, held))
