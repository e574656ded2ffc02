"""The periodic task of upkeep: it starts a process, so that requests do not wait for it."""

import logging
import subprocess
import sys

from controlplane.common.celery import app
from controlplane.common.child_processes import die_with_parent, environment
from controlplane.periodic import task_failures

logger = logging.getLogger(__name__)

_child: subprocess.Popen[bytes] | None = None


@app.task(name="tercast.compact")  # type: ignore[untyped-decorator] # celery has no types
def compact() -> None:
    """Start `manage.py compact` beside the worker, unless the last one is still at it."""
    global _child  # noqa: PLW0603 - one a process
    if _child is not None and _child.poll() is None:
        logger.warning("the compaction that began last is still at it, as process %d", _child.pid)
        return
    if _child is not None:
        task_failures.record_exit("manage.py compact", _child.returncode)
    _child = subprocess.Popen(
        [sys.executable, "-m", "django", "compact"],
        env=environment(),
        stdin=subprocess.DEVNULL,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - the worker's pool has no threads
    )
