"""Celery tasks of aggregation; they start a process for a run and do not wait for it."""

from controlplane.aggregation import process_starter, runs
from controlplane.common import wakeups
from controlplane.common.celery import app


@app.task(name="tercast.aggregate")  # type: ignore[untyped-decorator] # celery has no types
def aggregate() -> None:
    """The policy's period is over."""
    runs.ask_periodically()


@app.task(name=wakeups.AGGREGATION_RUNS)  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Start what was asked for, or what a killed process left behind."""
    process_starter.sweep()


@app.task(name=wakeups.ATTRIBUTE)  # type: ignore[untyped-decorator]
def attribute() -> None:
    """Measure what aggregated entries cost."""
    process_starter.measure()
