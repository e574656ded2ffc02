"""Trying requests: what they would do, with the planner left as it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tercast.errors import Refused
from tercast.planner.table_writer import take_changes
from tercast.requests.model import Advertise, FinishMove, Request, Subscribe, Unadvertise, Unsubscribe
from tercast.requests.outcome import DryRun
from tercast.requests.reader import read_or_refusal
from tercast.routing.table_changes import DetachedChanges

if TYPE_CHECKING:
    from tercast.planner.planner import Planner

Look = Callable[["Planner"], Any]


def run(
    planner: Planner, requests: Sequence[Mapping[str, Any] | Request], look: Look | None = None
) -> DryRun:
    """Apply the requests, look, and take them back; on a copy where they change the network itself.

    Where topics move, what is told is how it is in the end, when their old entries are gone.
    """
    parsed = [read_or_refusal(request) for request in requests]
    undoable = Subscribe | Advertise | Unsubscribe | Unadvertise | Refused
    if all(isinstance(request, undoable) for request in parsed):
        return _with_undo(planner, parsed, look)
    copy = planner.restore(planner.snapshot())
    before = copy.counts()
    outcomes = tuple(copy.apply(request) for request in parsed)
    for topic in dict.fromkeys(topic for outcome in outcomes for topic in outcome.moved):
        copy.apply(FinishMove(topic, copy.version(topic)))
    seen = look(copy) if look else None
    return DryRun(outcomes, before, copy.counts(), copy.take_diff(), seen)


def _with_undo(planner: Planner, requests: Sequence[Request | Refused], look: Look | None) -> DryRun:
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
