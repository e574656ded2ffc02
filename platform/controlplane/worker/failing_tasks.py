"""Failures of a worker's tasks in a row; the third one raises an alarm."""

import logging
from collections.abc import Callable
from typing import Any

from celery import signals
from django.db import Error as DatabaseProblem

from controlplane.periodic import task_failures

logger = logging.getLogger(__name__)


@signals.task_failure.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def fail(sender: Any = None, exception: BaseException | None = None, **_: Any) -> None:
    """Count a failure of the task."""
    if sender is not None and exception is not None:
        _write(lambda: task_failures.record_failure(sender.name, exception))


@signals.task_success.connect(weak=False)  # type: ignore[untyped-decorator]
def succeed(sender: Any = None, **_: Any) -> None:
    """Reset the failures of the task."""
    if sender is not None:
        _write(lambda: task_failures.record_success(sender.name))


def _write(write: Callable[[], None]) -> None:
    """Write to the database; if it is unavailable, only log, because health reports that."""
    try:
        write()
    except DatabaseProblem as error:
        logger.warning("the result of a task cannot be written: %s", error)
