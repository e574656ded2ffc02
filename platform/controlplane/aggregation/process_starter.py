"""Starting the process that works out covers: beside the worker, so that requests do not wait for it."""

import logging
import subprocess
import sys
import time

from controlplane.aggregation import cost_watch
from controlplane.aggregation.models import Run
from controlplane.common.child_processes import die_with_parent, environment
from controlplane.common.process_locks import aggregation_lock
from controlplane.periodic import task_failures

SECONDS = 600
"""How long a run may take."""

_GRACE_SECONDS = 30

logger = logging.getLogger(__name__)

_child: subprocess.Popen[bytes] | None = None
_command = ""
_since = 0.0


def sweep() -> None:
    """Start a process when a run waits and none works; end one that is stuck."""
    if not _works() and Run.objects.filter(under_way=True, request=None).exists():
        _start("aggregate")


def measure() -> None:
    """Start a process that measures what aggregated entries cost, where there is news and none works."""
    if not _works() and cost_watch.is_due():
        _start("attribute")


def _works() -> bool:
    global _child
    if _child is None:
        return False
    if _child.poll() is None:
        if time.monotonic() - _since < SECONDS + _GRACE_SECONDS:
            return True
        logger.error("process %d, which works out covers, is stuck, and killed", _child.pid)
        _child.kill()
        _child.wait()
    status, _child = _child.returncode, None
    task_failures.record_exit(f"manage.py {_command}", status)
    return False


def _start(command: str) -> None:
    global _child, _command, _since  # noqa: PLW0603
    with aggregation_lock() as held:
        if held is None:
            return  # another worker's process is at it
    _child = subprocess.Popen(
        [sys.executable, "-m", "django", command],
        env=environment(),
        stdin=subprocess.DEVNULL,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - the worker's pool has no threads
    )
    _command, _since = command, time.monotonic()
