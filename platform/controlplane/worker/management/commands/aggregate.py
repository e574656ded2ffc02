"""`manage.py aggregate`: compute the queued aggregation run. Workers start this command."""

from typing import Any

from controlplane.aggregation.aggregation_process import MEMORY
from controlplane.aggregation.worker import work
from controlplane.common.bounded_answer import limited_memory
from controlplane.common.process_locks import aggregation_lock
from controlplane.worker.management.base_command import PlatformCommand


class Command(PlatformCommand):
    """Compute the queued run in this process, unless another process computes it."""

    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        """Compute the run, and print its result."""
        with limited_memory(MEMORY), aggregation_lock() as held:
            run = None if held is None else work()
        if run is None:
            self.stdout.write(
                "aggregate: no run is queued" if held else "aggregate: another process computes a run"
            )
        else:
            reason = f": {run.reason}" if run.reason else ""
            self.stdout.write(f"aggregate: run {run.pk} by {run.method} is {run.state}{reason}")
