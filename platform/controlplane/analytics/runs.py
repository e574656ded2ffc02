"""Runs of analytics: claimed when due or requested, processed by one worker, and ended once."""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from controlplane.analytics import timetable
from controlplane.analytics.durations import parse_length
from controlplane.analytics.models import (
    TASK_PARTS,
    AnalyticsRunState,
    AnalyticsTrigger,
    Run,
    Schedule,
    Series,
)
from controlplane.common import clock, wakeups
from controlplane.common import runs as life_cycle
from controlplane.common.problems import conflict
from controlplane.common.runs import RunLifeCycle, one_at_a_time
from controlplane.periodic import row_faults, task_failures
from controlplane.requestlog.outbox import emit

logger = logging.getLogger(__name__)

ATTEMPTS = 2
"""Number of starts of a run whose worker is killed."""

SILENT = timedelta(seconds=60)
"""Time without a heartbeat after which a worker counts as stopped."""

FUTURE = timedelta(minutes=1)
"""A claim further in the future comes from a wrong clock; clocks of machines may differ by less."""

UNCLAIMED = timedelta(seconds=60)
KEPT = 1000
"""Number of completed runs to keep."""

NO_WORKER = (
    "no worker has started it yet; start one with `celery -A controlplane.config.celery worker -Q analytics`"
)


_RUNS = RunLifeCycle(Run, "run", "analytics/runs", under_way=None, stage="", progress=None)

is_over, mine = _RUNS.is_over, _RUNS.held


def series_of(job: str, window: str) -> Series:
    """Return the series of a job with windows of this length."""
    return Series.objects.get_or_create(job=job, window=parse_length(window))[0]


def claim_due(now: datetime | None = None) -> list[Run]:
    """Create a run for each schedule that is due, once for all callers; return the created runs.

    A schedule that cannot run is skipped, with an alarm. Several missed times are one run. While a run of the
    same series is queued, no other is created; while one is running, the new one is skipped.
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
        return None  # another process has claimed it at the same time


def _correct_last_due(row: Schedule, now: datetime) -> None:
    """Set a latest claim in the future, which a wrong clock made, to now."""
    logger.warning(
        "the latest run of schedule %s is at %s, in the future; it is set to now", row.name, row.last_due
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


def request_run(job: str, window: str, actor: Any, **asked: Any) -> Run:
    """Request a run for an operator.

    `asked` may have `since` and `until`, whose results are computed again, and `rebuild` for all results.

    Raises:
        Problem: A run of the same job and window is in progress (409).
    """
    series = series_of(job, window)
    since, until = asked.get("since"), asked.get("until")
    others = _RUNS.under_way().filter(series=series)
    with one_at_a_time(others, f" of {job}", "Wait until it is complete, or cancel it, and try again."):
        return _RUNS.add(
            wakeups.wake_analytics,
            series=series,
            trigger=AnalyticsTrigger.OPERATOR,
            since=since,
            until=until,
            rebuild=bool(asked.get("rebuild") or since or until),
            actor=actor,
        )


def cancel(pk: int) -> Run:
    """Cancel a run: immediately if it is queued, by its worker if it is running.

    Raises:
        Problem: The run has ended (409).
    """
    with transaction.atomic():
        run = _RUNS.find(pk)
        if run.is_over:
            raise conflict("is_over", f"Run {pk} {run.state}; there is nothing to cancel.")
        waiting = Run.objects.filter(pk=pk, state=AnalyticsRunState.QUEUED)
        if _RUNS.end_rows(waiting, AnalyticsRunState.CANCELLED, reason=""):
            notify(pk)
        else:
            Run.objects.filter(pk=pk, under_way=True).update(cancelling=True)
    return Run.objects.get(pk=pk)


def begin() -> Run | None:
    """Return the oldest queued run, which now belongs to this worker; None if there is none."""
    rows = Run.objects.select_related("series", "schedule").filter(state=AnalyticsRunState.QUEUED)
    while (run := rows.first()) is not None:
        if _RUNS.begin(run, heartbeat_at=timezone.now(), reason="", stage="starting", progress=None):
            notify(run.pk)
            return run
    return None


def end(run: Run, state: AnalyticsRunState, reason: str, **fields: Any) -> bool:
    """End an attempt; False if the run no longer belonged to it."""
    with transaction.atomic():
        ended = _RUNS.end(run, state, reason=reason, **fields)
        if ended:
            notify(run.pk)
    return ended


def put_back(run: Run, reason: str, **fields: Any) -> None:
    """End an attempt without a result; another attempt may start."""
    _RUNS.put_back(run, reason=reason, stage="", progress=None, **fields)


def sweep_runs(now: datetime | None = None) -> int:
    """Restart or end runs of killed workers, and set why others wait; return the queued number."""
    at = now or timezone.now()
    future = Run.objects.filter(state=AnalyticsRunState.RUNNING, heartbeat_at__gt=at + clock.MARGIN)
    future.update(heartbeat_at=at)  # the clock was set back: the worker has a whole period for its next one
    for run in Run.objects.filter(state=AnalyticsRunState.RUNNING, heartbeat_at__lt=at - SILENT):
        if run.cancelling:
            end(
                run,
                AnalyticsRunState.CANCELLED,
                "the worker process of the run ended before it confirmed the stop",
            )
        elif run.attempts < ATTEMPTS:
            put_back(run, "the worker process ended before the run was complete; the run starts again")
        else:
            end(
                run,
                AnalyticsRunState.FAILED,
                f"{run.attempts} worker processes ended before the run was complete",
            )
    if not Run.objects.filter(state=AnalyticsRunState.RUNNING).exists():
        late = Run.objects.filter(state=AnalyticsRunState.QUEUED, reason="", created_at__lt=at - UNCLAIMED)
        late.update(reason=NO_WORKER)
    return Run.objects.filter(state=AnalyticsRunState.QUEUED).count()


def prune() -> None:
    """Delete the oldest completed runs."""
    life_cycle.prune(Run.objects.filter(under_way=None), KEPT)


def notify(pk: int) -> None:
    """Notify live pages of the run's state."""
    run = Run.objects.select_related("series").get(pk=pk)
    emit("analytics", {"run": run.pk, "job": run.job, "state": str(run.state)})
