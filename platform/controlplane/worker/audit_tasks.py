"""Celery tasks of audits; they run in the planner's worker, whose planner has the tables."""

from controlplane.common import wakeups
from controlplane.common.celery import app, stopping
from controlplane.deployment.audits import audits, worker


@app.task(name="tercast.audit")  # type: ignore[untyped-decorator] # celery has no types
def audit() -> None:
    """Request an audit because the period between audits is over."""
    audits.request_periodic_audit()


@app.task(name=wakeups.AUDITS)  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Continue the audits in progress, then let the request log have its turn."""
    more = worker.run(stopping)
    wakeups.wake_planner()  # callers that saw this task's message in the queue sent none
    if more and not stopping():
        wakeups.wake_audits()
