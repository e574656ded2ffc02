"""Celery tasks of aggregation; they start a process for a run and do not wait for it."""

from controlplane.common.celery import app


def wake() -> None:
    """Ask a worker to look for runs; does nothing when the broker is away, since a sweep finds them."""
    from controlplane.worker.planner_tasks import send  # noqa: PLC0415 - it imports who imports this module

    send(sweep)


@app.task(name="tercast.aggregate")  # type: ignore[untyped-decorator] # celery has no types
def aggregate() -> None:
    """The policy's period is over."""
    from controlplane.aggregation import runs  # noqa: PLC0415

    runs.ask_periodically()


@app.task(name="tercast.runs")  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Start what was asked for, or what a killed process left behind."""
    from controlplane.aggregation import process_starter  # noqa: PLC0415

    process_starter.sweep()


@app.task(name="tercast.attribute")  # type: ignore[untyped-decorator]
def attribute() -> None:
    """See what aggregated entries cost."""
    from controlplane.aggregation import process_starter  # noqa: PLC0415

    process_starter.measure()
