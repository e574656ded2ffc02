"""Celery tasks of the planner; they are only wake-ups, because the request log is the queue."""

from controlplane.common import wakeups
from controlplane.common.celery import app, stopping
from controlplane.deployment import lock_order, session
from controlplane.deployment.watcher import watch as watcher
from controlplane.requestlog import outbox


@app.task(name=wakeups.PLAN)  # type: ignore[untyped-decorator] # celery has no types
def plan() -> None:
    """Plan and deploy the waiting requests of the log."""
    if session.run(stopping) and not stopping():
        wakeups.wake_planner()


@app.task(name="tercast.watch")  # type: ignore[untyped-decorator]
def watch() -> None:
    """Read the state of the controller, and log changes."""
    lock_order.retry_aborted(watcher.run)


@app.task(name="tercast.prune")  # type: ignore[untyped-decorator]
def prune() -> None:
    """Delete outbox rows that are older than the retention time."""
    outbox.prune()
