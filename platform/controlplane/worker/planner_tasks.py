"""Celery tasks: thin wake-ups. The request log is the queue; a lost message costs a sweep's period."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kombu.exceptions import KombuError, OperationalError

from controlplane.common.celery import app
from controlplane.common.folder_broker import Channel
from controlplane.common.queues import DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.requestlog import outbox

logger = logging.getLogger(__name__)


def wake() -> None:
    """Ask the planner worker to look at the log; does nothing while an earlier wake-up waits in the broker.

    A broker that cannot be reached is logged and no error: the sweep finds what waits.
    """
    try:
        if waiting(PLANNER_QUEUE) == 0:
            with broker_errors():
                plan.apply_async(queue=PLANNER_QUEUE)
    except (KombuError, OSError) as error:
        logger.warning("no wake-up sent, the sweep will find the work: %s", error)


def send(task: Any, queue: str = DEFAULT_QUEUE, **options: Any) -> None:
    """Send a task that a sweep makes good when it is lost; a broker that cannot be reached is logged."""
    try:
        with broker_errors():
            task.apply_async(queue=queue, **options)
    except (KombuError, OSError) as error:
        logger.warning("no wake-up sent, a sweep will find the work: %s", error)


def waiting(queue: str) -> int:
    """How many messages of `queue` no worker has taken yet."""
    with broker_errors(), app.producer_or_acquire() as producer:
        return int(producer.channel.queue_declare(queue=queue).message_count)


def check_broker() -> None:
    """Try to write a message where the broker is a folder.

    Raises:
        OperationalError, OSError: No message can be sent.
    """
    with broker_errors(), app.producer_or_acquire() as producer:
        if isinstance(producer.channel, Channel):
            producer.channel.probe()


@contextmanager
def broker_errors() -> Iterator[None]:
    """Raise errors of the broker's client as kombu's; where an open connection breaks, Redis's pass kombu.

    Raises:
        OperationalError: The broker cannot be reached, or refuses.
    """
    try:
        yield
    except _client_errors() as error:
        raise OperationalError(str(error)) from error


def _client_errors() -> tuple[type[BaseException], ...]:
    connection = app.connection_for_write()
    return (*connection.connection_errors, *connection.channel_errors)


@app.task(name="tercast.plan")  # type: ignore[untyped-decorator] # celery has no types
def plan() -> None:
    """Take what waits in the log through the planner to the switches."""
    from controlplane.deployment import session  # noqa: PLC0415 - who only wakes needs no planner
    from controlplane.worker import lifecycle  # noqa: PLC0415 - who only wakes needs no planner

    if session.run(lifecycle.stopping) and not lifecycle.stopping():
        wake()


@app.task(name="tercast.watch")  # type: ignore[untyped-decorator]
def watch() -> None:
    """See what the controller sees, and log what changed."""
    from controlplane.deployment import lock_order  # noqa: PLC0415
    from controlplane.deployment.watcher import watch as watcher  # noqa: PLC0415

    lock_order.again(watcher.run)


@app.task(name="tercast.prune")  # type: ignore[untyped-decorator]
def prune() -> None:
    """Keep the outbox within its retention."""
    outbox.prune()
