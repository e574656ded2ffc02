"""Celery tasks of analytics: wake-ups. Schedules and runs are rows; a lost message costs a sweep's period."""

import logging
from collections.abc import Callable

from kombu.exceptions import KombuError

from controlplane.common.celery import app
from controlplane.common.queues import ANALYTICS_QUEUE

logger = logging.getLogger(__name__)


def wake() -> None:
    """Ask the worker of analytics to look for runs; nothing while an earlier wake-up waits."""
    from controlplane.worker.planner_tasks import broker_errors, waiting  # noqa: PLC0415 - it imports who imports this module

    try:
        if waiting(ANALYTICS_QUEUE) == 0:
            with broker_errors():
                work.apply_async(queue=ANALYTICS_QUEUE)
    except (KombuError, OSError) as error:
        logger.warning("no wake-up sent, the sweep will find the work: %s", error)


@app.task(name="tercast.analytics.due")  # type: ignore[untyped-decorator] # celery has no types
def due() -> None:
    """A schedule's time may have come."""
    from controlplane.analytics import runs  # noqa: PLC0415

    if runs.claim_due():
        wake()


@app.task(name="tercast.analytics.sweep")  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Claim what beat missed, take up what killed workers left behind, wake the worker; keep measurements."""
    from controlplane.aggregation import needless_copies  # noqa: PLC0415
    from controlplane.analytics import runs  # noqa: PLC0415
    from controlplane.periodic import task_failures  # noqa: PLC0415

    def look_after() -> None:
        if runs.look_after():
            wake()

    steps: dict[str, Callable[[], object]] = {
        "keep copies": needless_copies.keep,
        "claim schedules": runs.claim_due,
        "look after runs": look_after,
    }
    task_failures.attempt_all("tercast.analytics.sweep", steps)


@app.task(name="tercast.analytics.work")  # type: ignore[untyped-decorator]
def work() -> None:
    """Work at the runs that wait."""
    from controlplane.analytics import worker  # noqa: PLC0415

    worker.work()
