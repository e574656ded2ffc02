"""Celery tasks that delete expired rows."""

from controlplane.accounts.trail import retention
from controlplane.common.celery import app
from controlplane.periodic import task_failures
from controlplane.rest.idempotency import keys


@app.task(name="tercast.forget")  # type: ignore[untyped-decorator] # celery has no types
def forget() -> None:
    """Delete expired actions, answers to idempotency keys, and failed log-ins."""
    task_failures.attempt_all("tercast.forget", {"actions": retention.prune, "answers": keys.prune})
