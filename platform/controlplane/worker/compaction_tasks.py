"""Periodic task that compacts the request log in a separate process; requests do not wait."""

import logging

from controlplane.common.celery import app
from controlplane.common.child_process import BackgroundCommand
from controlplane.periodic import task_failures

logger = logging.getLogger(__name__)

_process = BackgroundCommand(task_failures.record_exit)


@app.task(name="tercast.compact")  # type: ignore[untyped-decorator] # celery has no types
def compact() -> None:
    """Start `manage.py compact` as a separate process, unless the last one is still running."""
    if _process.is_running():
        logger.warning("the previous compaction is still running, as process %d", _process.pid)
    else:
        _process.start("compact")
