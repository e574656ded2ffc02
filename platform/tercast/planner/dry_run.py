"""Dry runs: the outcome of requests, without a change of the planner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

from tercast.errors import Refused
from tercast.planner.table_writer import TableWriter, take_changes
from tercast.requests.model import Advertise, FinishMove, Request, Subscribe, Unadvertise, Unsubscribe
from tercast.requests.outcome import DryRun, Outcome
from tercast.requests.reader import read_or_refusal
from tercast.routing.switch_trie import TrieTracker
from tercast.routing.table_changes import DetachedChanges
from tercast.tables.entries import Diff

_UNDOABLE = Subscribe | Advertise | Unsubscribe | Unadvertise | Refused


class TriedPlanner(Protocol):
    """The part of a planner that a dry run needs."""

    applied: int
    journal: list[Callable[[], None]] | None
    tracker: TrieTracker
    writer: TableWriter

    def apply(self, request: Request | Refused) -> Outcome:
        """Carry out one request, or refuse it."""

    def copy(self) -> Self:
        """Return an independent planner in the same state."""

    def counts(self) -> dict[str, int]:
        """Return the number of installed entries of every switch."""

    def version(self, topic: str) -> int:
        """Return the version of a topic's encoding."""

    def take_diff(self) -> Diff:
        """Return the changes of the tables since the last call."""


AnyPlanner = TypeVar("AnyPlanner", bound=TriedPlanner)


def try_requests(
    planner: AnyPlanner,
    requests: Sequence[Mapping[str, Any] | Request],
    look: Callable[[AnyPlanner], Any] | None = None,
) -> DryRun:
    """Apply the requests, call `look`, and undo them; use a copy if they change the network.

    If topics migrate, the result is the state after the removal of their old entries.
    """
    parsed = [read_or_refusal(request) for request in requests]
    if all(isinstance(request, _UNDOABLE) for request in parsed):
        return _with_undo(planner, parsed, look)
    copy = planner.copy()
    before = copy.counts()
    outcomes = tuple(copy.apply(request) for request in parsed)
    for topic in dict.fromkeys(topic for outcome in outcomes for topic in outcome.moved):
        copy.apply(FinishMove(topic, copy.version(topic)))
    seen = look(copy) if look else None
    return DryRun(outcomes, before, copy.counts(), copy.take_diff(), seen)


def _with_undo(
    planner: AnyPlanner, requests: Sequence[Request | Refused], look: Callable[[AnyPlanner], Any] | None
) -> DryRun:
    before, applied = planner.counts(), planner.applied
    detached = DetachedChanges(planner.tracker)
    planner.journal = []
    outcomes = tuple(planner.apply(request) for request in requests)
    try:
        seen = look(planner) if look else None
        after = planner.counts()
        diff = take_changes(planner.tracker, planner.writer)
    finally:
        for undo in reversed(planner.journal):
            undo()
        planner.journal = None
        take_changes(planner.tracker, planner.writer)
        detached.reattach()
        planner.applied = applied
    return DryRun(outcomes, before, after, diff, seen)
