"""Celery tasks of indexed attributes."""

from controlplane.analytics.dimensions import apply
from controlplane.common.celery import app


@app.task(name="tercast.dimensions")  # type: ignore[untyped-decorator] # celery has no types
def look_after() -> None:
    """See to the topics that choose what they index by themselves."""
    apply.look_after()
