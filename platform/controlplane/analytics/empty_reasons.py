"""Reasons why a chart is empty: missing telemetry, no run of the job, or no matching keys."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import Max, Min
from django.utils import timezone

from controlplane.analytics import inputs, schedules
from controlplane.analytics.jobs import Job
from controlplane.analytics.models import AnalyticsRunState, Result, Run, Schedule, Series
from tercast.telemetry import DATASETS

MOST_FOOTERS = 200
"""Most files whose footers are read for their times; with more files, only their days count."""

TimeSpan = tuple[datetime, datetime]
Why = dict[str, str]


def why_empty(job: Job, series: Series | None, span: TimeSpan) -> Why:
    """Return what is missing for results in this time, with a remedy.

    `filter`: there are results, but of other keys. `job`: there is telemetry that no run has processed, or no
    run has succeeded. `telemetry`: nothing was measured.
    """
    own = Result.objects.filter(series=series) if series else Result.objects.none()
    if own.filter(window_start__gte=span[0], window_start__lt=span[1]).exists():
        detail = "There are results in this time range, but none match the filters. Omit some filters."
        return {"missing": "filter", "detail": detail}
    newest = Run.objects.filter(series=series).order_by("-id").first() if series else None
    if job.is_windowed and _is_waiting(job, series, span, newest):
        return {"missing": "job", "detail": _not_taken(job, newest)}
    ends = own.aggregate(first=Min("window_start"), last=Max("window_start"))
    if ends["first"] is None:
        return _why_never(job, newest)
    available = f"there are results from {_text(ends['first'])} to {_text(ends['last'])}"
    if job.is_windowed:
        return {"missing": "telemetry", "detail": f"There is no telemetry of this time range; {available}."}
    return _why_no_run(job, series, span, available)


def _is_waiting(job: Job, series: Series | None, span: TimeSpan, newest: Run | None) -> bool:
    """Whether there is visible telemetry of this time that no run has processed."""
    root = inputs.local_root()
    if root is None:  # only Spark can read it: the last run cannot have processed later telemetry
        begun = (
            newest.started_at if newest is not None and newest.state == AnalyticsRunState.SUCCEEDED else None
        )
        return newest is not None and (begun is None or begun <= span[0])
    oldest = timezone.now() - timedelta(days=settings.ENV.analytics_days)
    if series is None or span[1] <= oldest:  # no run would process it
        return False
    span = (max(span[0], oldest), span[1])
    days = [f"date={time.astimezone(UTC).date().isoformat()}" for time in span]
    found = [
        (dataset, path)
        for dataset, path in inputs.new_files(series, job.datasets, root)
        if not path.startswith("date=") or days[0] <= path.split("/")[0] <= days[1]
    ]
    return len(found) > MOST_FOOTERS or any(
        _has_rows(root / dataset / path, dataset, span) for dataset, path in found
    )


def _has_rows(path: Path, dataset: str, span: TimeSpan) -> bool:
    """Whether a file may have rows of this time; true without statistics or if it is unreadable."""
    import pyarrow as pa  # noqa: PLC0415 - most calls of the API do not need it
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        footer = pq.read_metadata(path)
        place = footer.schema.names.index(DATASETS[dataset].time)
        groups = [footer.row_group(n).column(place).statistics for n in range(footer.num_row_groups)]
        return any(
            one is None or not one.has_min_max or (_utc(one.min) < span[1] and _utc(one.max) >= span[0])
            for one in groups
        )
    except FileNotFoundError:
        return False
    except (OSError, ValueError, TypeError, pa.ArrowException):
        return True


def _utc(time: datetime) -> datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _not_taken(job: Job, newest: Run | None) -> str:
    """Return why telemetry is unprocessed: there was no run, or the last one did not succeed."""
    what = "telemetry of this time range"
    seen = f"There is {what}" if inputs.local_root() else f"There may be {what}"
    there = f"{seen}, but no run of {job.name} with this window length has processed it"
    if newest is None:
        return f"{there}: {_remedy(job)}."
    if not newest.is_over:
        return f"{there}: run {newest.pk} is {newest.state}."
    if newest.state == AnalyticsRunState.SUCCEEDED:
        return f"{there}. It arrived after the last run ({newest.pk}): {_remedy(job)}."
    reason = f": {newest.reason.rstrip('.')}" if newest.reason else ""
    return f"{there}; the last run ({newest.pk}) {_verb(newest)}{reason}. To continue, {_remedy(job)}."


def _why_never(job: Job, newest: Run | None) -> Why:
    """Return whether a run is missing, or telemetry for it."""
    if newest is None:
        return {
            "missing": "job",
            "detail": f"No run of {job.name} with this window length exists yet; {_remedy(job)}.",
        }
    if newest.state == AnalyticsRunState.SUCCEEDED:
        return {"missing": "telemetry", "detail": f"Run {newest.pk} found no rows in the telemetry."}
    root = inputs.local_root()
    if root is not None and any(not (root / name).is_dir() for name in job.required):
        return {
            "missing": "telemetry",
            "detail": f"The folder {root} contains no telemetry for {job.name} yet.",
        }
    reason = f": {newest.reason}" if newest.reason else ""
    return {
        "missing": "job",
        "detail": f"No run has succeeded. The last run ({newest.pk}) {_verb(newest)}{reason}.",
    }


def _why_no_run(job: Job, series: Series | None, span: TimeSpan, available: str) -> Why:
    """Return why no run in this time has results, for jobs whose runs have one time each."""
    own = Run.objects.filter(series=series, created_at__gte=span[0], created_at__lt=span[1])
    last = own.order_by("-id").first()
    if last is None:
        detail = f"{job.name} did not run in this time range; {available}. For a new result, {_remedy(job)}."
        return {"missing": "job", "detail": detail}
    reason = f": {last.reason.rstrip('.')}" if last.reason else ""
    missing = "job" if last.state in {AnalyticsRunState.FAILED, AnalyticsRunState.CANCELLED} else "telemetry"
    detail = f"The last run in this time range ({last.pk}) {_verb(last)}{reason}; {available}."
    return {"missing": missing, "detail": detail}


def _verb(run: Run) -> str:
    return (
        run.state
        if run.state in {AnalyticsRunState.FAILED, AnalyticsRunState.SUCCEEDED}
        else f"was {run.state}"
    )


def _remedy(job: Job) -> str:
    """Return how to get a run."""
    ask = f"start one (POST /api/v1/analytics/runs/ with job {job.name})"
    row = Schedule.objects.filter(job=job.name).select_related("task").first()
    if row is None:
        return ask
    due = schedules.next_run(row)
    return f"{ask}, or enable its schedule" if due is None else f"{ask}, or wait for its schedule"


def _text(time: datetime) -> str:
    return time.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
