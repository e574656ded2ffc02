"""The periodic task of upkeep: it starts a process, so that requests do not wait for it."""

import logging

from controlplane.common.celery import app
from controlplane.common.child_process import BackgroundCommand
from controlplane.periodic import task_failures

logger = logging.getLogger(__name__)

_process = BackgroundCommand(task_failures.record_exit)


@app.task(name="tercast.compact")  # type: ignore[untyped-decorator] # celery has no types
def compact() -> None:
    """Start `manage.py compact` next to the worker, unless the last one is still running."""
    if _process.is_running():
        logger.warning("the compaction that began last is still at it, as process %d", _process.pid)
    else:
        _process.start("compact")
