"""Runs of aggregation: requested, started one at a time, and ended with their request."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from django.db import transaction
from django.utils import timezone

from controlplane.aggregation.models import AggregationRunState, AggregationTrigger, Policy, Run
from controlplane.aggregation.policy import RUNNING_METHODS
from controlplane.common import runs as life_cycle
from controlplane.common.problems import conflict
from controlplane.common.runs import RunLifeCycle, one_at_a_time
from controlplane.common.wakeups import wake_aggregation
from controlplane.requestlog import append
from controlplane.requestlog.models import Request, State
from tercast.requests.kinds import AGGREGATE

ATTEMPTS = 3
"""Number of starts of a run whose process is killed."""

KEPT = 1000
"""Number of completed runs to keep."""


_RUNS = RunLifeCycle(Run, "run", "aggregation/runs", under_way=None)

find, is_over = _RUNS.find, _RUNS.is_over

_FOUND = ("position", "events", "newest_sample", "results", "covers_before")
"""Fields of a run that a worker writes during the computation."""


def request_run(method: str | None, sampling: float | None, actor: Any) -> Run:
    """Request a run for an operator.

    Raises:
        Problem: Another run is in progress, or the method has no runs (409).
    """
    return _add(AggregationTrigger.OPERATOR, *terms(method, sampling), actor)


def terms(method: str | None, sampling: float | None) -> tuple[str, float]:
    """Return method and sampling; missing values come from the policy."""
    policy = Policy.current()
    found = method or policy.method
    if found not in RUNNING_METHODS:
        rule = f"use one of {', '.join(RUNNING_METHODS)}"
        raise conflict("no_method", f"The policy's method is {found}, which has no runs; {rule}.")
    return found, policy.sampling if sampling is None else sampling


def request_periodic_run() -> Run | None:
    """Request a run by the policy, unless it needs none or one is in progress."""
    policy = Policy.current()
    if policy.method not in RUNNING_METHODS or _RUNS.under_way().exists():
        return None
    return _add(AggregationTrigger.PERIODIC, policy.method, policy.sampling, None)


def revert(pk: int, actor: Any) -> Run:
    """Install the covers from before a run again.

    Raises:
        Problem: The run installed none (409).
    """
    done = find(pk)
    if done.state != AggregationRunState.SUCCEEDED or done.covers_before is None:
        raise conflict(
            "nothing_to_revert",
            f"Run {pk} is {done.state} and installed no merged entries, so there is nothing to revert.",
        )
    payload = {"op": AGGREGATE, "method": done.method, "covers": done.covers_before}
    with _alone():
        run = Run.objects.create(
            trigger=AggregationTrigger.REVERT,
            method=done.method,
            sampling=done.sampling,
            state=AggregationRunState.RUNNING,
            started_at=timezone.now(),
            reverts=done,
            actor=actor,
        )
        (run.request,) = append.submit([append.LogEntry(payload)], actor)
        run.save(update_fields=("request",))
    return run


def begin() -> Run | None:
    """Return the run to compute: a queued one, or one that a killed process left.

    Call this with the lock of runs held, so that no other process works on a `running` run.
    """
    run = Run.objects.filter(under_way=True, request=None).first()
    if run is None:
        return None
    if run.attempts >= ATTEMPTS:
        end(
            run,
            AggregationRunState.FAILED,
            f"{ATTEMPTS} worker processes ended before the run was complete",
        )
        return None
    return run if _RUNS.begin(run) else None


def install(run: Run, payload: dict[str, Any]) -> None:
    """Log the request of a run's result; the run ends when the request does."""
    with transaction.atomic():
        (run.request,) = append.submit([append.LogEntry(payload)], run.actor)
        run.save()


def end(run: Run, state: AggregationRunState, reason: str) -> None:
    """End the run without a request, and save its result."""
    found = {name: getattr(run, name) for name in _FOUND}
    if _RUNS.end(run, state, reason=reason, **found):
        run.refresh_from_db()
    prune()


def end_with_requests(requests: Iterable[Request]) -> None:
    """End the runs whose requests have ended; this runs in the caller's transaction."""
    ends = {State.ACTIVE: AggregationRunState.SUCCEEDED, State.FAILED: AggregationRunState.FAILED}
    for request in requests:
        state = ends.get(State(request.state))
        if state is not None:
            reason = (request.problem or {}).get("detail", "")
            _RUNS.end_rows(Run.objects.filter(request=request.pk), state, reason=reason)


def prune() -> None:
    """Delete the oldest completed runs."""
    life_cycle.prune(Run.objects.filter(under_way=None), KEPT)


def _add(trigger: AggregationTrigger, method: str, sampling: float, actor: Any) -> Run:
    with _alone():
        return _RUNS.add(wake_aggregation, trigger=trigger, method=method, sampling=sampling, actor=actor)


def _alone() -> AbstractContextManager[None]:
    remedy = "Only one run at a time is possible. Wait until it is complete, and try again."
    return one_at_a_time(_RUNS.under_way(), "", remedy)
