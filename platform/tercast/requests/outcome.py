"""Result types of the planner: `Outcome`, `TreeView` and `DryRun`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercast.errors import Refused, shown
from tercast.eventspace.dz import DzSet, text
from tercast.requests.reach import Reach
from tercast.runtime.wording import quantity
from tercast.tables.entries import Diff
from tercast.topology.elements import LinkEnds
from tercast.topology.topology import Topology


@dataclass(frozen=True, slots=True)
class FewestEntries:
    """Fewest entries of a switch with covers; not `proven` if the search was incomplete."""

    entries: int
    proven: bool

    def __str__(self) -> str:
        entries = quantity(self.entries, "entry", "entries")
        if self.proven:
            return f"it needs at least {entries} with merging"
        return f"the smallest table found with merging has {entries}"


NO_LEAST: Mapping[str, FewestEntries] = {}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a request.

    `ok` is False if the request was refused and changed nothing; `reason` is then set. `matched` is set for a
    subscription: whether an advertisement overlaps it. `reach` is then whether paths lead to all such
    advertisements (None if there is none). `failed_switches` are the switches whose budget the request would
    exceed. A change of the network cannot be refused; for it they are the switches over their budget. `moved`
    are the topics that have two encodings from now on, until `finish_move`. `in_place` are the topics whose
    regions moved to other trees under the current code, so that events may have been lost or duplicated.
    """

    ok: bool
    reason: Refused | None = None
    matched: bool | None = None
    reach: Reach | None = None
    failed_switches: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    in_place: tuple[str, ...] = ()


def no_room(
    topology: Topology, name: str, switches: tuple[str, ...], least: Mapping[str, FewestEntries] = NO_LEAST
) -> Outcome:
    """Create the outcome of a request that exceeds budgets; `least`: fewest possible entries."""

    def needed(switch: str) -> str:
        budget = topology.switches[switch].usable_budget
        found = least.get(switch)
        more = "" if found is None else f"; {found}"
        return f"{shown(switch)} (budget {budget}{more})"

    budgets = ", ".join(map(needed, switches))
    detail = f"{shown(name)} needs more entries than these switches may have: {budgets}"
    return Outcome(False, Refused((), "budget", detail, name), failed_switches=switches)


@dataclass(frozen=True, slots=True)
class TreeView:
    """A tree for readers: the dz that it owns, its root, and the links that it uses."""

    id: str
    topic: str
    dz: DzSet
    root: str
    edges: tuple[LinkEnds, ...]

    def to_json(self) -> dict[str, object]:
        """Write the tree as in a plan."""
        return {
            "id": self.id,
            "topic": self.topic,
            "dz": [text(dz) for dz in self.dz],
            "root": self.root,
            "edges": [list(ends) for ends in self.edges],
        }


@dataclass(frozen=True, slots=True)
class DryRun:
    """Result of a dry run: outcomes, entries of every switch before and after, and the diff.

    `seen` is the result of the caller's `look`, if there was one.
    """

    outcomes: tuple[Outcome, ...]
    before: Mapping[str, int]
    after: Mapping[str, int]
    diff: Diff
    seen: Any = None
