"""Celery tasks of indexed attributes."""

from controlplane.config.celery import app


@app.task(name="tercast.dimensions")  # type: ignore[untyped-decorator] # celery has no types
def look_after() -> None:
    """See to the topics that choose what they index by themselves."""
    from controlplane.dimensions import applying  # noqa: PLC0415

    applying.look_after()
