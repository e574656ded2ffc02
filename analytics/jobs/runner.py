"""One run of a job, from its options to its files."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from analytics.errors import AnalyticsError, JobFailed
from analytics.input.cutoff import CutOff, take_cut_off
from analytics.input.dataset_reader import REASONS, Telemetry
from analytics.input.files import broken_file, same_path
from analytics.jobs.definitions import Task, find_job
from analytics.jobs.increments import Increment, ReadFiles, plan, sources
from analytics.jobs.job_table import HORIZON, JOBS
from analytics.options import JobOptions
from analytics.output.progress import JobProgress
from analytics.output.result_files import prepare_folder, publish
from analytics.output.result_rows import Row
from analytics.spark.session import first_line
from analytics.times import time_text

_MOST_BROKEN = 100


def run_job(
    spark: SparkSession,
    job: str,
    options: JobOptions,
    out: str,
    *,
    parquet: bool = False,
    known: ReadFiles | None = None,
    progress: JobProgress | None = None,
) -> int:
    """Run a job, write its result to `out`, and return the number of rows.

    Args:
        known: Files of earlier runs. Then only windows with rows in other files are computed. `increment` in
            the meta file names these windows, and has the facts of the files for the next run.

    Raises:
        CannotRun: An input, an option or a folder cannot be used.
        JobFailed: Spark failed.
    """
    find_job(job)
    folder = prepare_folder(out)
    started = datetime.now(UTC)
    progress = progress or JobProgress(None)
    with progress.watching(spark):
        task, rows, increment = _attempts(spark, job, options, known, progress)
    progress.stage("writing")
    meta = _meta(job, options, task, rows, started)
    if increment is not None:
        meta["increment"] = increment.to_json()
        meta["cut_off"]["left"] = increment.left
        meta["rejected"] = {**dict.fromkeys(REASONS, 0), **meta["increment"]["rejected"]}
    publish(folder, job, rows, meta, _columns(job, known) if parquet else None)
    return len(rows)


def _attempts(
    spark: SparkSession, job: str, options: JobOptions, known: ReadFiles | None, progress: JobProgress
) -> tuple[Task, list[Row], Increment | None]:
    """Run a job; if Spark cannot read a file, run it again without this file."""
    cut = _cut_off(spark, job, options)
    broken: dict[str, str] = {}
    while True:
        telemetry = Telemetry(spark, options, broken, cut=cut)
        try:
            return _attempt(job, telemetry, known, progress)
        except AnalyticsError:
            raise
        except Exception as error:
            _note_broken(error, telemetry)
        finally:
            with suppress(ConnectionError, Py4JError):  # the cache ends together with Java
                spark.catalog.clearCache()


def _cut_off(spark: SparkSession, job: str, options: JobOptions) -> CutOff:
    try:
        return take_cut_off(spark, options, [reach.dataset.name for reach in sources(job, options)])
    except AnalyticsError:
        raise
    except Exception as error:
        raise JobFailed(f"cannot read the reports of the telemetry writers: {first_line(error)}") from error


def _attempt(
    job: str, telemetry: Telemetry, known: ReadFiles | None, progress: JobProgress
) -> tuple[Task, list[Row], Increment | None]:
    if known is None:
        progress.stage("computing")
        task = Task(telemetry, telemetry.options)
        return task, find_job(job)(task), None
    progress.stage("inspecting")
    increment = plan(telemetry, job, telemetry.options, known)
    telemetry.choice = increment.choice
    task = Task(telemetry, replace(telemetry.options, spans=tuple(increment.spans), horizon=HORIZON))
    progress.stage("computing")
    return task, find_job(job)(task) if increment.spans else [], increment


def _columns(job: str, known: ReadFiles | None) -> list[str]:
    """Return the columns of rows, with the window if only some windows were computed."""
    names = list(JOBS[job].columns)
    complete = known is None or "window_start" in names or not JOBS[job].windowed
    return names if complete else [*names, "window_start"]


def _note_broken(error: Exception, telemetry: Telemetry) -> None:
    """Record the file that Spark could not read, for another attempt without it.

    Raises:
        JobFailed: The error names no such file, or there are too many of them.
    """
    named = broken_file(error)
    path = next((path for path in telemetry.paths if named and same_path(path, named)), None)
    if path is None or len(telemetry.broken) >= _MOST_BROKEN:
        raise JobFailed(f"the job failed: {first_line(error)}") from error
    telemetry.broken[path] = "its footer is readable, but its pages are not"


def _meta(job: str, options: JobOptions, task: Task, rows: list[Row], started: datetime) -> dict[str, Any]:
    reports, cut = task.telemetry.reports, task.telemetry.cut
    left = {name: report["left"] for name, report in reports.items() if "left" in report}
    rejected: Counter[str] = Counter(dict.fromkeys(REASONS, 0))
    for report in reports.values():
        rejected.update(report.get("rejected", {}))
    return {
        "job": job,
        "telemetry": options.telemetry,
        "writers": cut.counts(options.now),
        "cut_off": cut.to_json(left),
        "since": options.since and time_text(options.since),
        "until": options.until and time_text(options.until),
        "started": time_text(started),
        "finished": time_text(datetime.now(UTC)),
        "rows": len(rows),
        "rejected": dict(rejected),
        "notes": {name: number for name, number in sorted(task.notes.items()) if number},
        "datasets": reports,
    }
