"""Celery tasks of aggregation; they start a process for a run and do not wait for it."""

from controlplane.aggregation import process_starter, runs
from controlplane.common import wakeups
from controlplane.common.celery import app


@app.task(name="tercast.aggregate")  # type: ignore[untyped-decorator] # celery has no types
def aggregate() -> None:
    """Request a run because the policy's period is over."""
    runs.request_periodic_run()


@app.task(name=wakeups.AGGREGATION_RUNS)  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Start requested runs, and runs that a killed process left."""
    process_starter.sweep()


@app.task(name=wakeups.ATTRIBUTE)  # type: ignore[untyped-decorator]
def attribute() -> None:
    """Measure the cost of aggregated entries."""
    process_starter.measure()
