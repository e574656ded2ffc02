"""Runs: claimed by a schedule's time or asked for, begun by one worker at a time, and ended once."""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from controlplane.analytics import timetable
from controlplane.analytics.durations import parse_length
from controlplane.analytics.models import (
    TASK_PARTS,
    UNDER_WAY,
    AnalyticsRunState,
    AnalyticsTrigger,
    Run,
    Schedule,
    Series,
)
from controlplane.common import clock
from controlplane.common.problems import conflict, not_found
from controlplane.periodic import row_faults, task_failures
from controlplane.requestlog.outbox import emit

logger = logging.getLogger(__name__)

ATTEMPTS = 2
"""How often a run is begun whose worker is killed."""

SILENT = timedelta(seconds=60)
"""A worker that was not heard of for so long is gone."""

FUTURE = timedelta(minutes=1)
"""A claim later than this is of a clock that was wrong; machines may differ by less."""

UNCLAIMED = timedelta(seconds=60)
KEPT = 1000
"""Runs that are over; older ones go."""

NO_WORKER = (
    "no worker has taken it yet; one is started by `celery -A controlplane.config.celery worker -Q analytics`"
)


def series_of(job: str, window: str) -> Series:
    """The series of a job with such windows."""
    return Series.objects.get_or_create(job=job, window=parse_length(window))[0]


def claim_due(now: datetime | None = None) -> list[Run]:
    """A run for each schedule whose time has come, once whoever asks; those that were made.

    A schedule that cannot run is skipped, with an alarm. Times that were missed are one run. While a run of
    the same series waits, the time is its; while one works, the new one is skipped.
    """
    at = now or timezone.now()
    bad = row_faults.report_bad_rows()
    made: list[Run | None] = []
    with task_failures.skipping("schedules of analytics", "bad_schedule") as skips:
        for row in Schedule.objects.select_related(*TASK_PARTS):
            subject = f"schedule {row.name}"
            why = row.fault()
            if why is not None:
                skips.skip(subject, why)
            elif row.task.name not in bad:
                with skips.attempt(subject):
                    made.append(_claim(row, at))
    return [run for run in made if run is not None]


def _claim(row: Schedule, now: datetime) -> Run | None:
    if row.last_due > now + FUTURE:
        _correct_last_due(row, now)
        return None
    due = timetable.latest_due(row.task, row.last_due, now)
    if due is None:
        return None
    try:
        with transaction.atomic():
            taken = Schedule.objects.filter(pk=row.pk, last_due=row.last_due).update(last_due=due)
            return _add_due(row, due) if taken else None
    except IntegrityError:
        return None  # another one was as quick


def _correct_last_due(row: Schedule, now: datetime) -> None:
    """Count from now where the latest claim is in the future, made by a clock that was wrong."""
    logger.warning(
        "schedule %s was claimed for %s, in the future; it counts from now", row.name, row.last_due
    )
    Schedule.objects.filter(pk=row.pk, last_due=row.last_due).update(last_due=now)


def _add_due(row: Schedule, due: datetime) -> Run | None:
    series = series_of(row.job, row.window)
    other = Run.objects.filter(series=series, under_way=True).first()
    if other is not None and other.state == AnalyticsRunState.QUEUED:
        return None
    run = Run(schedule=row, due=due, series=series, trigger=AnalyticsTrigger.SCHEDULE)
    if other is not None:
        run.state, run.under_way, run.ended_at = AnalyticsRunState.SKIPPED, None, timezone.now()
        run.reason = f"run {other.pk} of the same job had not ended when this one was due"
    run.save(force_insert=True)
    return run


def ask(job: str, window: str, actor: Any, **asked: Any) -> Run:
    """A run that an operator wants; 409 while one of the same job and window is under way.

    `asked` may have `since` and `until`, whose results are made anew, and `rebuild`, for all of them.
    """
    series = series_of(job, window)
    since, until = asked.get("since"), asked.get("until")
    try:
        with transaction.atomic():
            return Run.objects.create(
                series=series,
                trigger=AnalyticsTrigger.OPERATOR,
                since=since,
                until=until,
                rebuild=bool(asked.get("rebuild") or since or until),
                actor=actor,
            )
    except IntegrityError:
        other = Run.objects.filter(series=series, under_way=True).first()
        which = f"Run {other.pk}" if other else "A run"
        detail = f"{which} of {job} is under way. Wait until it is over, or cancel it, and try again."
        raise conflict("under_way", detail) from None


def cancel(pk: int) -> Run:
    """End a run: at once while it waits, by its worker while it works; 409 when it is over."""
    with transaction.atomic():
        run = Run.objects.filter(pk=pk).first()
        if run is None:
            raise not_found(f"There is no run {pk}.")
        if run.is_over:
            raise conflict("is_over", f"Run {pk} {run.state}; there is nothing to cancel.")
        if Run.objects.filter(pk=pk, state=AnalyticsRunState.QUEUED).update(
            **_over(AnalyticsRunState.CANCELLED, "")
        ):
            tell(pk)
        else:
            Run.objects.filter(pk=pk, under_way=True).update(cancelling=True)
    return Run.objects.get(pk=pk)


def begin() -> Run | None:
    """The oldest run that waits, now this worker's; None when there is none."""
    while True:
        waiting = Run.objects.filter(state=AnalyticsRunState.QUEUED).first()
        if waiting is None:
            return None
        now = timezone.now()
        taken = Run.objects.filter(pk=waiting.pk, state=AnalyticsRunState.QUEUED).update(
            state=AnalyticsRunState.RUNNING,
            started_at=now,
            heartbeat_at=now,
            attempts=F("attempts") + 1,
            reason="",
            stage="starting",
            progress=None,
        )
        if taken:
            tell(waiting.pk)
            return Run.objects.select_related("series", "schedule").get(pk=waiting.pk)


def mine(run: Run) -> Any:
    """The row, as long as it is still this attempt's."""
    return Run.objects.filter(pk=run.pk, state=AnalyticsRunState.RUNNING, attempts=run.attempts)


def end(run: Run, state: AnalyticsRunState, reason: str, **fields: Any) -> bool:
    """The attempt is over; False when the run was no longer its."""
    with transaction.atomic():
        ended = bool(mine(run).update(**_over(state, reason), **fields))
        if ended:
            tell(run.pk)
    return ended


def put_back(run: Run, reason: str, **fields: Any) -> None:
    """The attempt ends without a result, and another may begin."""
    mine(run).update(state=AnalyticsRunState.QUEUED, reason=reason, stage="", progress=None, **fields)


def look_after(now: datetime | None = None) -> int:
    """Begin anew, or end, what killed workers have left behind; tell why others wait. How many still wait."""
    at = now or timezone.now()
    future = Run.objects.filter(state=AnalyticsRunState.RUNNING, heartbeat_at__gt=at + clock.MARGIN)
    future.update(heartbeat_at=at)  # the clock was set back: its worker has a whole period to show itself
    for run in Run.objects.filter(state=AnalyticsRunState.RUNNING, heartbeat_at__lt=at - SILENT):
        if run.cancelling:
            end(run, AnalyticsRunState.CANCELLED, "its worker ended before it had answered")
        elif run.attempts < ATTEMPTS:
            put_back(run, "its worker ended before it had; it is begun anew")
        else:
            end(run, AnalyticsRunState.FAILED, f"{run.attempts} workers that ran it ended before it had")
    if not Run.objects.filter(state=AnalyticsRunState.RUNNING).exists():
        late = Run.objects.filter(state=AnalyticsRunState.QUEUED, reason="", created_at__lt=at - UNCLAIMED)
        late.update(reason=NO_WORKER)
    return Run.objects.filter(state=AnalyticsRunState.QUEUED).count()


def is_over(pk: int) -> bool:
    """Whether nothing more will become of the run."""
    return not Run.objects.filter(pk=pk, state__in=UNDER_WAY).exists()


def prune() -> None:
    """Forget the oldest runs that are over."""
    over = Run.objects.filter(under_way=None).order_by("-id").values_list("id", flat=True)
    last = over[KEPT - 1 : KEPT].first()
    if last is not None:
        Run.objects.filter(under_way=None, id__lt=last).delete()


def tell(pk: int) -> None:
    """Live pages hear of the run's state."""
    run = Run.objects.select_related("series").get(pk=pk)
    emit("analytics", {"run": run.pk, "job": run.job, "state": str(run.state)})


def _over(state: AnalyticsRunState, reason: str) -> dict[str, Any]:
    return {
        "state": state,
        "reason": reason,
        "under_way": None,
        "ended_at": timezone.now(),
        "stage": "",
        "progress": None,
    }
