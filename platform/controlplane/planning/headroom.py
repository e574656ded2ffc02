"""How much room a budget leaves in a table, and what that means for a change of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from tercast.tables.entries import SwitchDiff


@dataclass(frozen=True, slots=True)
class Headroom:
    """A table that may hold `budget` entries and holds `there`."""

    budget: int
    there: int

    def is_tight(self, diff: SwitchDiff) -> bool:
        """Whether there is room for a change only when what goes, goes in the same step."""
        free = self.budget - self.there
        return len(diff.added) - len(diff.removed) <= free < len(diff.added)

    def is_short(self, diff: SwitchDiff, kept: int) -> bool:
        """Whether there is room for a change, but not when so many of the entries that are to go stay."""
        free = self.budget - self.there
        more = len(diff.added) - len(diff.removed)
        return more <= free < more + kept


Rooms = Mapping[str, Headroom]
"""By switch; one without a budget has no room to be short of, and is missing."""
