"""Wake-ups of workers: messages that make them look for waiting work in the database.

Tasks are sent by name, so no sender imports a worker. A lost message delays work until the next sweep.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kombu.exceptions import KombuError, OperationalError

from controlplane.common.celery import app
from controlplane.common.folder_broker import FolderChannel
from controlplane.common.queues import ANALYTICS_QUEUE, DEFAULT_QUEUE, PLANNER_QUEUE

logger = logging.getLogger(__name__)

PLAN = "tercast.plan"
AGGREGATION_RUNS = "tercast.runs"
ATTRIBUTE = "tercast.attribute"
AUDITS = "tercast.audits"
ANALYTICS_WORK = "tercast.analytics.work"

AUDIT_WAKE_SECONDS = 10
"""Time after which an audit wake-up that no worker has received expires, so that they do not pile up."""


def wake_planner() -> None:
    """Ask the planner's worker to read the log."""
    send(PLAN, PLANNER_QUEUE, once=True)


def wake_analytics() -> None:
    """Ask the analytics worker to look for runs."""
    send(ANALYTICS_WORK, ANALYTICS_QUEUE, once=True)


def wake_aggregation() -> None:
    """Ask a worker to look for runs of aggregation."""
    send(AGGREGATION_RUNS)


def wake_audits() -> None:
    """Ask the planner's worker to look for audits."""
    send(AUDITS, PLANNER_QUEUE, expires=AUDIT_WAKE_SECONDS)


def send(task: str, queue: str = DEFAULT_QUEUE, *, once: bool = False, **options: Any) -> None:
    """Send a task by its name; with `once`, only if no message waits in its queue.

    If the broker is unavailable, this only logs it, because the sweep finds the work.
    """
    try:
        if once and waiting(queue):
            return
        with broker_errors():
            app.send_task(task, queue=queue, **options)
    except (KombuError, OSError) as error:
        logger.warning("cannot notify a worker; it finds the work at its next periodic check: %s", error)


def waiting(queue: str) -> int:
    """Return the number of messages of `queue` that no worker has received yet."""
    with broker_errors(), app.producer_or_acquire() as producer:
        return int(producer.channel.queue_declare(queue=queue).message_count)


def check_broker() -> None:
    """Try to write a message if the broker is a folder.

    Raises:
        OperationalError, OSError: Messages cannot be sent.
    """
    with broker_errors(), app.producer_or_acquire() as producer:
        if isinstance(producer.channel, FolderChannel):
            producer.channel.probe()


@contextmanager
def broker_errors() -> Iterator[None]:
    """Raise errors of the broker's client as kombu's; kombu does not convert all of Redis.

    Raises:
        OperationalError: The broker is unavailable, or refuses.
    """
    try:
        yield
    except _client_errors() as error:
        raise OperationalError(str(error)) from error


def _client_errors() -> tuple[type[BaseException], ...]:
    connection = app.connection_for_write()
    return (*connection.connection_errors, *connection.channel_errors)
