"""Celery tasks of analytics: wake-ups. Schedules and runs are rows; a lost message costs a sweep's period."""

from collections.abc import Callable

from controlplane.aggregation import needless_copies
from controlplane.analytics import runs, worker
from controlplane.common import wakeups
from controlplane.common.celery import app
from controlplane.periodic import task_failures


@app.task(name="tercast.analytics.due")  # type: ignore[untyped-decorator] # celery has no types
def due() -> None:
    """A schedule's time may have come."""
    if runs.claim_due():
        wakeups.wake_analytics()


@app.task(name="tercast.analytics.sweep")  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Claim what beat missed, take up what killed workers left behind, wake the worker; keep measurements."""

    def look_after() -> None:
        if runs.look_after():
            wakeups.wake_analytics()

    steps: dict[str, Callable[[], object]] = {
        "keep copies": needless_copies.keep,
        "claim schedules": runs.claim_due,
        "look after runs": look_after,
    }
    task_failures.attempt_all("tercast.analytics.sweep", steps)


@app.task(name=wakeups.ANALYTICS_WORK)  # type: ignore[untyped-decorator]
def work() -> None:
    """Work at the runs that wait."""
    worker.work()
