"""Starting the process that works out covers, next to the worker, so that requests do not wait for it."""

from controlplane.aggregation import cost_watch
from controlplane.aggregation.models import Run
from controlplane.common.child_process import BackgroundCommand
from controlplane.common.process_locks import aggregation_lock
from controlplane.periodic import task_failures

SECONDS = 600
"""How long a run may take."""

_GRACE_SECONDS = 30

_process = BackgroundCommand(task_failures.record_exit, SECONDS + _GRACE_SECONDS)


def sweep() -> None:
    """Start a process when a run waits and none works; end one that is stuck."""
    if not _process.is_running() and Run.objects.filter(under_way=True, request=None).exists():
        _start("aggregate")


def measure() -> None:
    """Start a process that measures what aggregated entries cost, where there is news and none works."""
    if not _process.is_running() and cost_watch.is_due():
        _start("attribute")


def _start(command: str) -> None:
    with aggregation_lock() as held:
        if held is None:
            return  # another worker's process is at it
    _process.start(command)
