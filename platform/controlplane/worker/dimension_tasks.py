"""Celery tasks that choose indexed attributes."""

from controlplane.analytics.dimensions import apply
from controlplane.common.celery import app


@app.task(name="tercast.dimensions")  # type: ignore[untyped-decorator] # celery has no types
def look_after() -> None:
    """Update the topics whose indexed attributes are chosen automatically."""
    apply.look_after()
