"""Tasks of a worker that keep failing: counted while they do, an alarm from the third time on."""

import logging
from collections.abc import Callable
from typing import Any

from celery import signals
from django.db import Error as DatabaseProblem

from controlplane.periodic import task_failures

logger = logging.getLogger(__name__)


@signals.task_failure.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def fail(sender: Any = None, exception: BaseException | None = None, **_: Any) -> None:
    """A task raised."""
    if sender is not None and exception is not None:
        _write(lambda: task_failures.record_failure(sender.name, exception))


@signals.task_success.connect(weak=False)  # type: ignore[untyped-decorator]
def succeed(sender: Any = None, **_: Any) -> None:
    """A task ended well."""
    if sender is not None:
        _write(lambda: task_failures.record_success(sender.name))


def _write(write: Callable[[], None]) -> None:
    """Where the database is away, health shows that; the task's own error is in the log."""
    try:
        write()
    except DatabaseProblem as error:
        logger.warning("how a task ended cannot be written: %s", error)
