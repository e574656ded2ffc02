"""`manage.py attribute`: measure the cost of merged entries. Workers start this command."""

from typing import Any

from controlplane.aggregation import cost_watch
from controlplane.aggregation.aggregation_process import MEMORY
from controlplane.common.bounded_answer import limited_memory
from controlplane.common.process_locks import aggregation_lock
from controlplane.worker.management.base_command import PlatformCommand


class Command(PlatformCommand):
    """Measure the cost of merged entries, and raise or clear alarms."""

    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure, and print the number of merged entries."""
        with limited_memory(MEMORY), aggregation_lock() as held:
            text = "another process is measuring" if held is None else f"{cost_watch.look()} merged entries"
        self.stdout.write(f"attribute: {text}")
