"""Celery tasks of what is kept for a time only."""

from controlplane.accounts.trail import retention
from controlplane.common.celery import app
from controlplane.periodic import task_failures
from controlplane.rest.idempotency import keys


@app.task(name="tercast.forget")  # type: ignore[untyped-decorator] # celery has no types
def forget() -> None:
    """Let go of actions, answers to keys, and failed log-ins that are older than they are kept."""
    task_failures.attempt_all("tercast.forget", {"actions": retention.prune, "answers": keys.prune})
