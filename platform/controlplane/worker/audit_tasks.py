"""Celery tasks of audits; they run in the planner's worker, whose planner knows the tables."""

from controlplane.common import wakeups
from controlplane.common.celery import app
from controlplane.common.shutdown import stopping
from controlplane.deployment.audits import audits, worker


@app.task(name="tercast.audit")  # type: ignore[untyped-decorator] # celery has no types
def audit() -> None:
    """The period between audits is over."""
    audits.ask_periodically()


@app.task(name=wakeups.AUDITS)  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Work at the audits that are under way, and let the request log have its turn."""
    more = worker.run(stopping)
    wakeups.wake_planner()  # a caller that saw this task's message in the queue has sent none
    if more and not stopping():
        wakeups.wake_audits()
