"""Processing of runs one at a time: the process of each, its heartbeat, and its end."""

import logging
import shutil
import signal
import time
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from controlplane.analytics import inputs, publish, runs, spark_process
from controlplane.analytics.durations import length_text
from controlplane.analytics.jobs import JOBS, Job
from controlplane.analytics.models import AnalyticsRunState, Run
from controlplane.analytics.spark_process import SparkProcess
from controlplane.common import fault_injection
from controlplane.common.address_plan import max_dz_length
from controlplane.common.celery import stopping
from controlplane.common.child_process import signal_name

logger = logging.getLogger(__name__)

LOOK = 0.2
HEARTBEAT = 1.0
"""Seconds between two checks of a process, and between two heartbeats in the database."""

_SKIPPED = frozenset({"no_java", "no_telemetry"})


def execute_runs() -> int:
    """Process queued runs until there is none or the worker must stop; return their number."""
    taken = 0
    while not stopping() and (run := runs.begin()) is not None:
        taken += 1
        _work_at(run)
        runs.prune()
    return taken


def _work_at(run: Run) -> None:
    job = JOBS.get(run.job)
    if job is None:
        runs.end(run, AnalyticsRunState.FAILED, f"this version has no job {run.job!r}")
        return
    fault_injection.point("analytics:begin")
    folder = Path(settings.ENV.state_dir) / "analytics" / f"run-{run.pk}-{run.attempts}"
    try:
        idle = None if run.rebuild else inputs.nothing_to_do(run.series, job, _oldest(job))
        if idle is not None:
            runs.end(run, AnalyticsRunState.SKIPPED, idle)
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700, parents=True)
        _supervise(run, spark_process.start(folder, job.name, _options(run, job, folder)))
    except OSError as error:
        runs.end(run, AnalyticsRunState.FAILED, f"{error.filename or folder}: {error.strerror or error}")
    except Exception as error:
        logger.exception("run %d of %s failed", run.pk, job.name)
        runs.end(
            run,
            AnalyticsRunState.FAILED,
            f"an internal error of the platform: {type(error).__name__}: {error}",
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _options(run: Run, job: Job, folder: Path) -> list[str]:
    out = ["--window", length_text(run.series.window), "--known", str(folder / "known.json")]
    inputs.write_known(folder / "known.json", run.series, run.rebuild)
    out += ["--since", (run.since or _oldest(job)).isoformat()]
    if run.until is not None:
        out += ["--until", run.until.isoformat()]
    for name, value in job.options.items():
        out += [f"--{name.replace('_', '-')}", str(value)]
    if job.subscriptions:
        inputs.write_subscriptions(folder / "subscriptions.json")
        out += ["--subscriptions", str(folder / "subscriptions.json")]
    if job.encodes:
        out += ["--dz-length", str(max_dz_length())]
    return out


def _oldest(job: Job) -> datetime:
    """Return the start of the retention, or of the examined time if the job has no windows."""
    kept = timedelta(days=settings.ENV.analytics_days)
    return timezone.now() - (kept if job.is_windowed else publish.LOOK_BACK)


def _supervise(run: Run, process: SparkProcess) -> None:
    """Wait for the process, which never outlives this call."""
    heard = 0.0
    try:
        while process.status is None:
            if stopping():
                process.end()
                back = max(run.attempts - 1, 0)  # a stop of the worker does not count as an attempt
                runs.put_back(run, "its worker was stopped; the run starts again", attempts=back)
                return
            if time.monotonic() - heard >= HEARTBEAT:
                heard = time.monotonic()
                if not _beat(run, process):
                    return
            time.sleep(LOOK)
    finally:
        process.end()
    fault_injection.point("analytics:found")
    _conclude(run, process)


def _beat(run: Run, process: SparkProcess) -> bool:
    """Store heartbeat and progress; False if the run must end, or belongs to another worker."""
    report = process.progress()
    done, of = report.get("done"), report.get("of")
    alive = runs.mine(run).update(
        heartbeat_at=timezone.now(),
        stage=str(report.get("stage", "starting"))[:40],
        progress=done / of if of else None,
        log=process.log_tail(),
    )
    if not alive:
        logger.warning("run %d no longer belongs to this worker", run.pk)
        return False
    if Run.objects.filter(pk=run.pk, cancelling=True).exists():
        process.end()
        runs.end(run, AnalyticsRunState.CANCELLED, "", log=process.log_tail())
        return False
    return True


def _conclude(run: Run, process: SparkProcess) -> None:
    """Publish the result of the ended process, or store why there is none."""
    report, log = process.progress(), process.log_tail()
    if process.status == 0:
        publish.publish(run, process.folder, log)
        return
    detail = report.get("detail") or _how_ended(process.status) or _last_line(log)
    state = AnalyticsRunState.SKIPPED if report.get("code") in _SKIPPED else AnalyticsRunState.FAILED
    runs.end(run, state, str(detail)[:2000], log=log)


def _how_ended(status: int | None) -> str:
    """Return the signal that ended the process, with a remedy; empty if there was none."""
    name = signal_name(status)
    if status is None or name is None:
        return ""
    text = f"the job's process was killed by signal {-status} ({name})"
    if -status != signal.SIGKILL:
        return f"{text}; start another run"
    return f"{text}: out of memory? Reduce TERCAST_SPARK_MEMORY, use longer windows, or add memory"


def _last_line(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return lines[-1] if lines else "the process ended without a message; its log is empty"
