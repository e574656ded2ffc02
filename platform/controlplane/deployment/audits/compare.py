"""Comparison of a switch's table with the plan: missing, strange and different entries."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from controlplane.deployment.audits.models import DriftKind
from controlplane.deployment.entry_codec import NOT_OURS
from controlplane.network.controller_client import ControllerReading
from tercast.tables.entries import Entry, SwitchDiff

_WORDS = {
    DriftKind.MISSING: "missing",
    DriftKind.STRANGE: "not in the plan",
    DriftKind.DIFFERENT: "different",
}

FEW = 3
"""Largest number of entries that a sentence names."""


@dataclass(frozen=True, slots=True)
class TableDifference:
    """An entry that differs from the plan; only `what` describes an entry that is not content."""

    kind: DriftKind
    dst: str = ""
    in_port: int | None = None
    priority: int | None = None
    what: str = ""
    expected: list[Any] | None = None
    found: list[Any] | None = None

    @property
    def name(self) -> str:
        """The entry in a form for people."""
        at = "" if self.in_port is None else f" from port {self.in_port}"
        return self.what or f"{self.dst}{at} at priority {self.priority}"


def differences(diff: SwitchDiff, held: Iterable[Entry], reading: ControllerReading) -> list[TableDifference]:
    """Return the differences that the repair of a switch's table corrects.

    Args:
        diff: The repair: the change from the read table to the planned one.
        held: The entries in the table of the switch.
        reading: The controller's reading of the table.
    """
    return [*_content(diff, {(entry.key, entry.priority): entry for entry in held}), *_beside(reading)]


def _content(diff: SwitchDiff, held: dict[Any, Entry]) -> Iterator[TableDifference]:
    for entry in diff.added:
        yield _of(DriftKind.MISSING, entry, expected=_actions(entry))
    for entry in diff.removed:
        yield _of(DriftKind.STRANGE, entry, found=_actions(entry))
    for entry in diff.modified:
        found = _actions(held[entry.key, entry.priority])
        yield _of(DriftKind.DIFFERENT, entry, expected=_actions(entry), found=found)


def _beside(reading: ControllerReading) -> Iterator[TableDifference]:
    """Yield missing reserved entries, and own entries that Tercast cannot have written."""
    for name in reading.missing:
        yield TableDifference(DriftKind.MISSING, what=name[:300])
    for row in reading.unreadable:
        what = f"an entry of table {row['table']} at priority {row['priority']} with match {row['match']}"
        yield TableDifference(DriftKind.STRANGE, priority=row["priority"], what=what[:300])


def _of(
    kind: DriftKind, entry: Entry, expected: list[Any] | None = None, found: list[Any] | None = None
) -> TableDifference:
    return TableDifference(kind, entry.dst, entry.in_port, entry.priority, expected=expected, found=found)


def _actions(entry: Entry) -> list[Any] | None:
    return None if entry.actions == NOT_OURS else [action.to_json() for action in entry.actions]


def sentence(found: Sequence[TableDifference]) -> str:
    """Return `2 missing (A, B), 1 not in the plan (C)`: counts, and the first few of each kind."""
    parts = []
    for kind in DriftKind:
        named = [one.name for one in found if one.kind == kind]
        if named:
            more = ", ..." if len(named) > FEW else ""
            parts.append(f"{len(named)} {_WORDS[kind]} ({', '.join(named[:FEW])}{more})")
    return ", ".join(parts)
