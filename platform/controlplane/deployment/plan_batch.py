"""Apply a batch to the planner, record each outcome, and verify tables before deployment."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from controlplane.aggregation.merged_entry_rows import Update, merging_json
from controlplane.deployment import feasibility
from controlplane.deployment.feasibility import InfeasibleUpdate
from controlplane.deployment.request_states import problem
from controlplane.deployment.session_cache import SessionCache
from controlplane.network.controller_client import ControllerClient
from controlplane.planning.diff_merge import Merged
from controlplane.planning.table_prover import UnprovedTables
from controlplane.registry.transitions import stages
from controlplane.requestlog.models import Request
from tercast.errors import Refused, format_path
from tercast.planner.planner import Outcome
from tercast.requests.kinds import SET_RESERVE
from tercast.tables.entries import SwitchDiff

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Planned:
    """Requests with their outcomes, and the change that results from all of them.

    `moved` are the topics that have two encodings now, by the id of the request that is the cause. `in_place`
    are the topics whose events take other paths under the present code.
    """

    rows: Sequence[Request]
    diffs: Sequence[SwitchDiff] = ()
    alarms: Sequence[str] = ()
    moved: Mapping[int, Sequence[str]] = field(default_factory=dict)
    in_place: Mapping[int, Sequence[str]] = field(default_factory=dict)
    merged: Update | None = None
    """Effect on merged entries; None if the requests change nothing."""

    @property
    def position(self) -> int:
        """Position of the last request."""
        position = self.rows[-1].position
        assert position is not None
        return position


def plan(cache: SessionCache, rows: Sequence[Request], northbound: ControllerClient) -> Iterator[Planned]:
    """Apply `rows`, which follow the planner's position, and verify the result.

    Tables that cannot be verified, or that full tables cannot reach without loss of events, are not deployed:
    the planner returns to its former state. Then each half of the batch is tried alone, until the request
    that must fail is found. The caller must decide each part before it asks for the next one.
    """
    try:
        prover = cache.prover  # of the tables before the change
        planned = _apply(cache, rows)
        prover.prove(rows, planned.diffs)
        feasibility.check(cache, northbound, rows, planned.diffs)
        yield planned
        return
    except InfeasibleUpdate as stuck:
        cache.rewind()
        if len(rows) == 1:
            yield _fail_infeasible(cache, rows[0], stuck)
            return
    except Exception as error:  # no error of the planner may stop the log
        logger.exception("requests %d to %d cannot be planned", rows[0].pk, rows[-1].pk)
        cache.rewind()
        fault = str(error) if isinstance(error, UnprovedTables) else f"{type(error).__name__}: {error}"
        if len(rows) == 1:
            yield _failed(rows[0], fault)
            return
    middle = len(rows) // 2
    yield from plan(cache, rows[:middle], northbound)
    yield from plan(cache, rows[middle:], northbound)


def _apply(cache: SessionCache, rows: Sequence[Request]) -> Planned:
    """Return the change that results from `rows`, and its alarms."""
    merged = Merged()
    alarms = []
    moved: dict[int, Sequence[str]] = {}
    in_place: dict[int, Sequence[str]] = {}
    planner = cache.state.planner
    ledger = cache.merged.begin(planner)
    for row, outcome in zip(rows, planner.in_turn(row.payload for row in rows), strict=True):
        diff = planner.take_diff()
        ledger.step(outcome.ok)
        _store_outcome(row, outcome, diff.switches)
        for one in diff:
            merged.append(one)
        if outcome.ok and outcome.failed_switches:
            alarms.append(
                f"more entries than their budget after request {row.pk}: {', '.join(outcome.failed_switches)}"
            )
        if outcome.moved:
            moved[row.pk] = outcome.moved
        rough = {*outcome.in_place, *(stages.using_new_tables(row.kind) if outcome.ok and len(diff) else ())}
        if rough:
            in_place[row.pk] = sorted(rough)
            alarms.append(_IN_PLACE.format(row.pk, row.kind, ", ".join(in_place[row.pk])))
    update = cache.merged.update(ledger)
    for row, merging in zip(rows, merging_json(ledger, update), strict=True):
        row.merging = merging
    return Planned(rows, merged.diffs(), alarms, moved, in_place, update)


_IN_PLACE = (
    "request {} ({}) changes the paths of topics without a transition: {}. Their events may be lost or "
    "duplicated until all switches have changed"
)


def _store_outcome(row: Request, outcome: Outcome, diffs: Sequence[SwitchDiff]) -> None:
    row.matched = outcome.matched
    row.problem = None if outcome.ok else _refusal(outcome)
    row.switches = sorted(diff.switch for diff in diffs)
    row.added = sum(len(diff.added) for diff in diffs)
    row.removed = sum(len(diff.removed) for diff in diffs)
    row.modified = sum(len(diff.modified) for diff in diffs)


def _refusal(outcome: Outcome) -> dict[str, Any]:
    refused = outcome.reason or Refused((), "refused", "the planner refused the request")
    error = {
        "pointer": format_path(refused.path),
        "code": refused.code,
        "detail": refused.detail,
        "value": refused.value,
    }
    title = "A table is too small" if outcome.failed_switches else "Cannot be carried out"
    return problem("refused", title, str(refused), outcome.failed_switches, [error])


def _fail_infeasible(cache: SessionCache, row: Request, stuck: InfeasibleUpdate) -> Planned:
    """Fail the request, which changes nothing.

    A first reserve is requested again when an entry is free.
    """
    if row.kind == SET_RESERVE:
        cache.unreserved.update(stuck.switches)
    row.problem = problem("refused", "A table is too small", str(stuck), stuck.switches)
    _nothing(row)
    return Planned([row])


def _nothing(row: Request) -> None:
    """Record that a request changes nothing."""
    row.matched, row.switches, row.added, row.removed, row.modified = None, [], 0, 0, 0
    row.merging = None


def _failed(row: Request, fault: str) -> Planned:
    detail = (
        f"the new tables were not sent to the switches, because the verifier found an error in them: {fault}"
    )
    row.problem = problem("internal", "An internal error of the platform", detail)
    _nothing(row)
    return Planned([row], (), [f"request {row.pk} ({row.kind}) failed: {detail}"])
