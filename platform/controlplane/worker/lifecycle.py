"""What a Celery worker does when it starts and when it is to stop."""

from typing import Any

from celery import signals

from controlplane.common import wakeups
from controlplane.common.celery import app, serves
from controlplane.common.queues import ANALYTICS_QUEUE, DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.deployment.audits import audits
from tercast.runtime.gc_tuning import calm


@signals.celeryd_after_setup.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def quiet(**_: Any) -> None:
    """What plans make, no cycles hold."""
    calm()


@signals.worker_ready.connect(weak=False)  # type: ignore[untyped-decorator]
def sweep(**_: Any) -> None:
    """Forget the wake-ups that piled up while no worker ran, and look at what waits once instead."""
    with app.connection_for_write() as connection:
        for queue in app.amqp.queues.consume_from:
            connection.default_channel.queue_purge(queue)
    if serves(PLANNER_QUEUE, DEFAULT_QUEUE):
        wakeups.wake_planner()
        if audits.under_way() is not None:  # the worker that was at it may have been killed
            wakeups.wake_audits()
    if serves(ANALYTICS_QUEUE):
        wakeups.wake_analytics()
