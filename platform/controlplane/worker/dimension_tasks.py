"""Celery tasks that choose event spaces."""

from controlplane.analytics.dimensions import apply, outdated_spaces
from controlplane.common.celery import app


@app.task(name="tercast.dimensions")  # type: ignore[untyped-decorator] # celery has no types
def choose_dimensions() -> None:
    """Update topics that choose automatically, and look for drift in the others."""
    apply.apply_proposals()
    outdated_spaces.report_outdated()
