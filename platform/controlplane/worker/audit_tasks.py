"""Celery tasks of audits; they run in the planner's worker, whose planner knows the tables."""

from controlplane.common.celery import app
from controlplane.common.queues import PLANNER_QUEUE

WAKE_SECONDS = 10


def wake() -> None:
    """Ask the planner's worker to look for audits; where the broker is away a sweep finds them.

    A message that nobody takes within `WAKE_SECONDS` goes, so that repeated ones do not pile up.
    """
    from controlplane.worker.planner_tasks import send  # noqa: PLC0415 - it imports who imports this module

    send(sweep, PLANNER_QUEUE, expires=WAKE_SECONDS)


def wake_for_waiting() -> None:
    """Ask for a look where an audit is not done: the worker that was at it may have been killed."""
    from controlplane.deployment.audits import audits  # noqa: PLC0415

    if audits.under_way() is not None:
        wake()


@app.task(name="tercast.audit")  # type: ignore[untyped-decorator] # celery has no types
def audit() -> None:
    """The period between audits is over."""
    from controlplane.deployment.audits import audits  # noqa: PLC0415

    audits.ask_periodically()


@app.task(name="tercast.audits")  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Work at the audits that are under way, and let the request log have its turn."""
    from controlplane.deployment.audits import worker as work  # noqa: PLC0415
    from controlplane.worker import lifecycle, planner_tasks  # noqa: PLC0415

    more = work.run(lifecycle.stopping)
    planner_tasks.wake()  # whoever logged something meanwhile may have seen this task's message and sent none
    if more and not lifecycle.stopping():
        wake()
