"""Celery tasks of the planner: thin wake-ups. The request log is the queue."""

from controlplane.common import wakeups
from controlplane.common.celery import app
from controlplane.common.shutdown import stopping
from controlplane.deployment import lock_order, session
from controlplane.deployment.watcher import watch as watcher
from controlplane.requestlog import outbox


@app.task(name=wakeups.PLAN)  # type: ignore[untyped-decorator] # celery has no types
def plan() -> None:
    """Take what waits in the log through the planner to the switches."""
    if session.run(stopping) and not stopping():
        wakeups.wake_planner()


@app.task(name="tercast.watch")  # type: ignore[untyped-decorator]
def watch() -> None:
    """See what the controller sees, and log what changed."""
    lock_order.again(watcher.run)


@app.task(name="tercast.prune")  # type: ignore[untyped-decorator]
def prune() -> None:
    """Keep the outbox within its retention."""
    outbox.prune()
