"""What a Celery worker does when it starts and when it is to stop."""

from typing import Any

from celery import signals
from celery.worker import state

from controlplane.common.celery import app, serves
from controlplane.common.queues import ANALYTICS_QUEUE, DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.worker import analytics_tasks as analytics
from controlplane.worker import audit_tasks as audits
from controlplane.worker.planner_tasks import wake
from tercast.runtime.gc_tuning import calm


def stopping() -> bool:
    """Whether this worker was told to end: long work then ends after its current step."""
    return any(flag is not None and flag is not False for flag in (state.should_stop, state.should_terminate))


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
        wake()
        audits.wake_for_waiting()
    if serves(ANALYTICS_QUEUE):
        analytics.wake()
