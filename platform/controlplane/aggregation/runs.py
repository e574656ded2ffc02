"""Runs: asked for, begun one at a time, and ended with the request that installs what they found."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone

from controlplane.aggregation.models import AggregationRunState, AggregationTrigger, Policy, Run
from controlplane.aggregation.policy import RUNNING_METHODS
from controlplane.common.problems import conflict, not_found
from controlplane.common.wakeups import wake_aggregation
from controlplane.requestlog import append
from controlplane.requestlog.logged_rows import racing
from controlplane.requestlog.models import Request, State
from tercast.requests.kinds import AGGREGATE

ATTEMPTS = 3
"""How often a run is begun whose process is killed."""

KEPT = 1000
"""Runs that are over; older ones go."""


def ask(method: str | None, sampling: float | None, actor: Any) -> Run:
    """A run that an operator wants; 409 while another one is under way, or without a method that has runs."""
    return _add(AggregationTrigger.OPERATOR, *terms(method, sampling), actor)


def terms(method: str | None, sampling: float | None) -> tuple[str, float]:
    """What is asked for, the rest by the policy."""
    policy = Policy.current()
    found = method or policy.method
    if found not in RUNNING_METHODS:
        rule = f"name one of {', '.join(RUNNING_METHODS)}"
        raise conflict("no_method", f"The policy's method is {found}, which has no runs; {rule}.")
    return found, policy.sampling if sampling is None else sampling


def ask_periodically() -> Run | None:
    """A run by the policy, unless that needs none or one is under way."""
    policy = Policy.current()
    if policy.method not in RUNNING_METHODS or Run.objects.filter(under_way=True).exists():
        return None
    return _add(AggregationTrigger.PERIODIC, policy.method, policy.sampling, None)


def revert(pk: int, actor: Any) -> Run:
    """Install the covers again that were there before a run; 409 where it installed none."""
    done = find(pk)
    if done.state != AggregationRunState.SUCCEEDED or done.covers_before is None:
        raise conflict("nothing_to_revert", f"Run {pk} {done.state}; it installed nothing that is to go.")
    payload = {"op": AGGREGATE, "method": done.method, "covers": done.covers_before}
    with racing(_UNDER_WAY), transaction.atomic():
        _check_none_under_way()
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


def find(pk: int) -> Run:
    """The run; raises `Problem` (404)."""
    run = Run.objects.filter(pk=pk).first()
    if run is None:
        raise not_found(f"There is no run {pk}.")
    return run


def begin() -> Run | None:
    """The run that is to be worked out: one that was asked for, or that a killed process left behind.

    Call it with the lock of runs held, so that nobody works at one that is `running`.
    """
    run = Run.objects.filter(under_way=True, request=None).first()
    if run is None:
        return None
    if run.attempts >= ATTEMPTS:
        end(
            run,
            AggregationRunState.FAILED,
            f"{ATTEMPTS} processes that were to work it out ended before they had",
        )
        return None
    run.state, run.started_at, run.attempts = AggregationRunState.RUNNING, timezone.now(), run.attempts + 1
    run.save(update_fields=("state", "started_at", "attempts"))
    return run


def install(run: Run, payload: dict[str, Any]) -> None:
    """What the run found goes into the log; the run ends when the request does."""
    with transaction.atomic():
        (run.request,) = append.submit([append.LogEntry(payload)], run.actor)
        run.save()


def end(run: Run, state: AggregationRunState, reason: str) -> None:
    """The run ends without a request."""
    run.state, run.reason, run.under_way, run.ended_at = state, reason, None, timezone.now()
    run.save()
    prune()


def follow(requests: Iterable[Request]) -> None:
    """End the runs whose requests have ended; in the caller's transaction."""
    ends = {State.ACTIVE: AggregationRunState.SUCCEEDED, State.FAILED: AggregationRunState.FAILED}
    for request in requests:
        state = ends.get(State(request.state))
        if state is not None:
            reason = (request.problem or {}).get("detail", "")
            Run.objects.filter(request=request.pk, under_way=True).update(
                state=state, reason=reason, under_way=None, ended_at=timezone.now()
            )


def is_over(pk: int) -> bool:
    """Whether nothing more will become of the run."""
    return not Run.objects.filter(pk=pk, under_way=True).exists()


def prune() -> None:
    """Forget the oldest runs that are over."""
    over = Run.objects.filter(under_way=None).order_by("-id").values_list("id", flat=True)
    last = over[KEPT - 1 : KEPT].first()
    if last is not None:
        Run.objects.filter(under_way=None, id__lt=last).delete()


def _add(trigger: AggregationTrigger, method: str, sampling: float, actor: Any) -> Run:
    with racing(_UNDER_WAY), transaction.atomic():
        _check_none_under_way()
        run = Run.objects.create(trigger=trigger, method=method, sampling=sampling, actor=actor)
        transaction.on_commit(_wake)
    return run


def _check_none_under_way() -> None:
    other = Run.objects.filter(under_way=True).first()
    if other is not None:
        raise conflict("under_way", f"Run {other.pk} is under way. {_UNDER_WAY}")


_UNDER_WAY = "There is one run at a time; wait until it is over, and try again."


def _wake() -> None:
    wake_aggregation()
