"""Celery tasks of analytics.

They are only wake-ups: schedules and runs are rows. A lost message delays work until the next sweep.
"""

from collections.abc import Callable

from controlplane.aggregation import redundant_copies
from controlplane.analytics import runs, worker
from controlplane.common import wakeups
from controlplane.common.celery import app
from controlplane.periodic import task_failures


@app.task(name="tercast.analytics.due")  # type: ignore[untyped-decorator] # celery has no types
def due() -> None:
    """Claim the schedules that are due."""
    if runs.claim_due():
        wakeups.wake_analytics()


@app.task(name="tercast.analytics.sweep")  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Claim schedules that beat missed, recover runs of killed workers, and store measurements."""

    def sweep_and_start() -> None:
        if runs.sweep_runs():
            wakeups.wake_analytics()

    steps: dict[str, Callable[[], object]] = {
        "keep copies": redundant_copies.store_measurement,
        "claim schedules": runs.claim_due,
        "look after runs": sweep_and_start,
    }
    task_failures.attempt_all("tercast.analytics.sweep", steps)


@app.task(name=wakeups.ANALYTICS_WORK)  # type: ignore[untyped-decorator]
def execute_runs() -> None:
    """Process the queued runs."""
    worker.execute_runs()
