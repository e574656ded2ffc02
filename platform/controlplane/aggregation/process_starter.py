"""Start of the process that computes covers, separate from the worker; requests do not wait."""

from controlplane.aggregation import cost_watch
from controlplane.aggregation.models import Run
from controlplane.common.child_process import BackgroundCommand
from controlplane.common.process_locks import aggregation_lock
from controlplane.periodic import task_failures

SECONDS = 600
"""Time limit of a run."""

_GRACE_SECONDS = 30

_process = BackgroundCommand(task_failures.record_exit, SECONDS + _GRACE_SECONDS)


def sweep() -> None:
    """Start a process if a run is queued and none works; stop one that exceeds its time limit."""
    if not _process.is_running() and Run.objects.filter(under_way=True, request=None).exists():
        _start("aggregate")


def measure() -> None:
    """Start a process that measures aggregated entries, if there is new data and none works."""
    if not _process.is_running() and cost_watch.is_due():
        _start("attribute")


def _start(command: str) -> None:
    with aggregation_lock() as held:
        if held is None:
            return  # another worker's process has the lock
    _process.start(command)
