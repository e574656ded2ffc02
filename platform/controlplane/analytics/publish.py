"""Publication of a process's results, in one transaction with its files and the run's end."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from controlplane.analytics import runs
from controlplane.analytics.jobs import JOBS, Job
from controlplane.analytics.models import AnalyticsRunState, Result, Run, Series, TakenFile
from controlplane.common import fault_injection
from controlplane.common.chunks import chunks
from controlplane.telemetry import drawn_samples

LOOK_BACK = timedelta(days=1)
"""Time that jobs without windows examine, and the largest age of events that become samples."""

MOST_ROWS = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BATCH = 2000


def publish(run: Run, folder: Path, log: str) -> bool:
    """Publish the contents of `folder` and end the run.

    Results of computed windows replace earlier ones. Until the transaction commits, nothing is visible, and
    the files count as new. Drawn events become samples of aggregation in the same transaction.

    Returns:
        False if the run no longer belongs to this worker; nothing changes.
    """
    job = JOBS[run.job]
    meta = json.loads((folder / f"{job.name}.meta.json").read_text(encoding="utf-8"))
    rows = json.loads((folder / f"{job.name}.json").read_text(encoding="utf-8"))
    if len(rows) > MOST_ROWS:
        rule = "use longer windows or a shorter time"
        return runs.end(
            run,
            AnalyticsRunState.FAILED,
            f"{len(rows)} results exceed the limit of {MOST_ROWS}: {rule}",
            log=log,
        )
    increment = meta["increment"]
    files = increment.pop("files")
    at = timezone.now()
    with transaction.atomic():
        if not runs.mine(run).select_for_update().exists():
            return False
        spans, sample_counts = increment.pop("spans"), None
        if job.is_sample:
            sample_counts, rows = drawn_samples.store_samples(rows).to_json(), []
        else:
            _replace(run, job, spans, rows, at)
        if run.since is None and run.until is None:
            _mark_processed(run.series, files)
        _forget(at)
        fault_injection.point("analytics:publish")
        figures = {**increment, "read": _read(meta), "notes": meta["notes"], "cut_off": meta.get("cut_off")}
        figures |= {"unreadable": _unreadable(files), "samples": sample_counts}
        runs.end(run, AnalyticsRunState.SUCCEEDED, "", log=log, rows=len(rows), figures=figures)
    return True


def _replace(run: Run, job: Job, spans: list[list[int]], rows: list[dict[str, Any]], at: datetime) -> None:
    """Replace the results of these spans (microseconds) by the rows."""
    if job.is_windowed and spans:
        within = Q()
        for start, end in spans:
            within |= Q(window_start__gte=_time(start), window_start__lt=_time(end))
        Result.objects.filter(within, series=run.series).delete()
    made = (_result(run, job, row, at) for row in rows)
    while batch := list(_some(made, _BATCH)):
        Result.objects.bulk_create(batch)


def _result(run: Run, job: Job, row: dict[str, Any], at: datetime) -> Result:
    start = row.pop("window_start", None)
    keys = {name: row.pop(name) for name in job.keys}
    return Result(
        series=run.series,
        run=run,
        window_start=datetime.fromisoformat(start) if start else at,
        topic=keys.pop("topic", ""),
        host=keys.pop("host", ""),
        subject=next(iter(keys.values()), ""),
        values=row,
    )


def _mark_processed(series: Series, files: Mapping[str, Mapping[str, Any]]) -> None:
    """Mark the files as processed."""
    made = [
        TakenFile(series=series, dataset=dataset, path=path, facts=facts)
        for dataset, found in files.items()
        for path, facts in found.items()
    ]
    TakenFile.objects.bulk_create(
        made,
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=("series", "dataset", "path"),
        update_fields=("facts",),
    )


def _forget(now: datetime) -> None:
    """Delete results beyond the retention, and facts of files that no run will read again.

    This covers all series, because some belong to jobs that no longer run.
    """
    oldest = now - timedelta(days=settings.ENV.analytics_days)
    for series in Series.objects.all():  # one by one, by the index
        Result.objects.filter(series=series, window_start__lt=oldest - timedelta(days=1)).delete()
    bound = f"date={(oldest - timedelta(days=4)).date().isoformat()}"
    old = TakenFile.objects.filter(path__startswith="date=", path__lt=bound)
    for part in chunks(list(old.values_list("id", flat=True))):
        TakenFile.objects.filter(pk__in=part).delete()


def _read(meta: Mapping[str, Any]) -> dict[str, int]:
    reports = [report for report in meta["datasets"].values() if "bytes" in report]
    return {name: sum(report[name] for report in reports) for name in ("files", "rows", "bytes")}


def _unreadable(files: Mapping[str, Mapping[str, Any]]) -> list[dict[str, str]]:
    found = [
        {"file": f"{dataset}/{path}", "reason": facts["unreadable"]}
        for dataset, one in files.items()
        for path, facts in one.items()
        if facts["unreadable"]
    ]
    return found[:20]


def _time(micros: int) -> datetime:
    """Return the time, limited to the range of the calendar."""
    return _EPOCH + timedelta(microseconds=min(max(micros, _FIRST), _LAST))


_FIRST, _LAST = -62_000_000_000_000_000, 253_000_000_000_000_000


def _some(rows: Iterator[Result], most: int) -> Iterator[Result]:
    for _, row in zip(range(most), rows, strict=False):
        yield row
