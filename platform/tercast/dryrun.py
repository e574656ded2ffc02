"""Trying requests: what they would do, with the planner left as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tercast.changes import take_changes
from tercast.errors import Refused
from tercast.planner import DryRun, Outcome, Planner
from tercast.requests import Advertise, FinishMove, Request, Subscribe, Unadvertise, Unsubscribe, read_request

_Parsed = Request | Refused


def dry_run(planner: Planner, requests: Sequence[Mapping[str, Any] | Request]) -> DryRun:
    """Apply the requests, look, and take them back; on a copy where they change the network itself.

    Where topics move, what is told is how it is in the end, when their old entries are gone.
    """
    parsed = [_parse(request) for request in requests]
    undoable = Subscribe | Advertise | Unsubscribe | Unadvertise | Refused
    if all(isinstance(request, undoable) for request in parsed):
        return _with_undo(planner, parsed)
    copy = Planner.restore(planner.snapshot())
    before = copy.counts()
    outcomes = tuple(_apply(copy, request) for request in parsed)
    for topic in dict.fromkeys(topic for outcome in outcomes for topic in outcome.moved):
        copy.apply(FinishMove(topic, copy.version(topic)))
    return DryRun(outcomes, before, copy.counts(), copy.take_diff())


def _with_undo(planner: Planner, requests: Sequence[_Parsed]) -> DryRun:
    before, applied = planner.counts(), planner.applied
    aside = planner.queue.put_aside()
    planner.journal = []
    outcomes = tuple(_apply(planner, request) for request in requests)
    after = planner.counts()
    diff = take_changes(planner.queue, planner.writer)
    for undo in reversed(planner.journal):
        undo()
    planner.journal = None
    take_changes(planner.queue, planner.writer)
    planner.queue.take_back(aside)
    planner.applied = applied
    return DryRun(outcomes, before, after, diff)


def _parse(request: Mapping[str, Any] | Request) -> _Parsed:
    if not isinstance(request, Mapping):
        return request
    try:
        return read_request(request)
    except Refused as refused:
        return refused


def _apply(planner: Planner, request: _Parsed) -> Outcome:
    if isinstance(request, Refused):
        return Outcome(ok=False, reason=request)
    return planner.apply(request)
