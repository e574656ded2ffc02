"""Free entries that a budget leaves in a table, and their effect on changes."""

from collections.abc import Mapping
from dataclasses import dataclass

from tercast.tables.entries import SwitchDiff


@dataclass(frozen=True, slots=True)
class Headroom:
    """A table with a budget of `budget` entries that has `there` entries."""

    budget: int
    there: int

    def is_tight(self, diff: SwitchDiff) -> bool:
        """Whether a change fits only if its removals happen in the same step."""
        free = self.budget - self.there
        return len(diff.added) - len(diff.removed) <= free < len(diff.added)

    def is_short(self, diff: SwitchDiff, kept: int) -> bool:
        """Whether a change fits, but not if `kept` of the entries to remove stay."""
        free = self.budget - self.there
        more = len(diff.added) - len(diff.removed)
        return more <= free < more + kept


Headrooms = Mapping[str, Headroom]
"""Headroom by switch; switches without a budget are not included."""
