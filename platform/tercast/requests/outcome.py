"""What a planner tells: the outcome of a request, trees for readers, what a dry run found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercast.errors import Refused, shown
from tercast.eventspace.dz import DzSet, text
from tercast.requests.reach import Reach
from tercast.tables.entries import Diff
from tercast.topology.elements import LinkEnds
from tercast.topology.topology import Topology


@dataclass(frozen=True, slots=True)
class Least:
    """The fewest entries that a switch can have under covers; not `proven` where not all were looked at."""

    entries: int
    proven: bool

    def __str__(self) -> str:
        return f"merging leads to {self.entries}" + (", no less" if self.proven else "")


NO_LEAST: Mapping[str, Least] = {}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a request.

    `ok` is False when it was refused and changed nothing; `reason` says why. `matched` is set for a
    subscription: whether an advertisement overlaps it now; `reach` then says whether paths lead to all
    advertisements that do (None where none does). `failed_switches` are those whose budget it would
    exceed, or, after a change of the network, which cannot be refused, those over their budget.
    `moved` are the topics that have two encodings from now on, until `finish_move`; `in_place` those whose
    events may have been lost or doubled, because regions went to other trees under the code in use.
    """

    ok: bool
    reason: Refused | None = None
    matched: bool | None = None
    reach: Reach | None = None
    failed_switches: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    in_place: tuple[str, ...] = ()


def no_room(
    topology: Topology, name: str, switches: tuple[str, ...], least: Mapping[str, Least] = NO_LEAST
) -> Outcome:
    """A request would leave switches over their budget; `least` is what merging could lead to at some."""

    def told(switch: str) -> str:
        room = topology.switches[switch].room
        found = least.get(switch)
        return f"{shown(switch)} ({room})" if found is None else f"{shown(switch)} ({room}; {found})"

    budgets = ", ".join(map(told, switches))
    detail = f"{shown(name)} needs more entries than the budgets of these switches allow: {budgets}"
    return Outcome(False, Refused((), "budget", detail, name), failed_switches=switches)


@dataclass(frozen=True, slots=True)
class TreeView:
    """A tree for readers: what it owns, where it begins, and the links that it needs."""

    id: str
    topic: str
    dz: DzSet
    root: str
    edges: tuple[LinkEnds, ...]

    def to_json(self) -> dict[str, object]:
        """As in a plan."""
        return {
            "id": self.id,
            "topic": self.topic,
            "dz": [text(dz) for dz in self.dz],
            "root": self.root,
            "edges": [list(ends) for ends in self.edges],
        }


@dataclass(frozen=True, slots=True)
class DryRun:
    """What requests would do: an outcome each, the entries of every switch before and after, and the diff.

    `seen` is what the caller's `look` returned, if there was one.
    """

    outcomes: tuple[Outcome, ...]
    before: Mapping[str, int]
    after: Mapping[str, int]
    diff: Diff
    seen: Any = None
