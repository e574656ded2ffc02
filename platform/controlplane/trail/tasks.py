"""Celery tasks of what is kept for a time only."""

from controlplane.config.celery import app


@app.task(name="tercast.forget")  # type: ignore[untyped-decorator] # celery has no types
def forget() -> None:
    """Let go of actions, answers to keys, and failed log-ins that are older than they are kept."""
    from controlplane.periodic import troubles  # noqa: PLC0415 - who only sends needs no models
    from controlplane.replies import keeping  # noqa: PLC0415
    from controlplane.trail import retention  # noqa: PLC0415

    troubles.attempt_all("tercast.forget", {"actions": retention.prune, "answers": keeping.prune})
