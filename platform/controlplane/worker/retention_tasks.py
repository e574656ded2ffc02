"""Celery tasks of what is kept for a time only."""

from controlplane.common.celery import app


@app.task(name="tercast.forget")  # type: ignore[untyped-decorator] # celery has no types
def forget() -> None:
    """Let go of actions, answers to keys, and failed log-ins that are older than they are kept."""
    from controlplane.accounts.trail import retention  # noqa: PLC0415
    from controlplane.periodic import task_failures  # noqa: PLC0415 - who only sends needs no models
    from controlplane.rest.idempotency import keys  # noqa: PLC0415

    task_failures.attempt_all("tercast.forget", {"actions": retention.prune, "answers": keys.prune})
