"""Actions of a Celery worker at its start."""

from typing import Any

from celery import signals

from controlplane.common import wakeups
from controlplane.common.celery import app, serves
from controlplane.common.queues import ANALYTICS_QUEUE, DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.deployment.audits import audits
from tercast.runtime.gc_tuning import reduce_gc


@signals.celeryd_after_setup.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def quiet(**_: Any) -> None:
    """Run the garbage collector less often, because plans create no reference cycles."""
    reduce_gc()


@signals.worker_ready.connect(weak=False)  # type: ignore[untyped-decorator]
def sweep(**_: Any) -> None:
    """Drop the wake-ups from the time without a worker, and look for waiting work once instead."""
    with app.connection_for_write() as connection:
        for queue in app.amqp.queues.consume_from:
            connection.default_channel.queue_purge(queue)
    if serves(PLANNER_QUEUE, DEFAULT_QUEUE):
        wakeups.wake_planner()
        if audits.under_way() is not None:  # its worker may have been killed
            wakeups.wake_audits()
    if serves(ANALYTICS_QUEUE):
        wakeups.wake_analytics()
