"""`manage.py aggregate`: work out the run that waits; a worker starts it, and so may anybody."""

from typing import Any

from django.core.management.base import BaseCommand

from controlplane.aggregation.aggregation_process import MEMORY
from controlplane.aggregation.worker import work
from controlplane.common.bounded_answer import limited_memory
from controlplane.common.process_locks import aggregation_lock


class Command(BaseCommand):
    """Work out the run that waits, in this process, unless another one is at it."""

    help = __doc__ or ""
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own declaration

    def handle(self, *args: Any, **options: Any) -> None:
        """Work, and say what became of it."""
        with limited_memory(MEMORY), aggregation_lock() as held:
            run = None if held is None else work()
        if run is None:
            self.stdout.write("aggregate: no run waits" if held else "aggregate: another process is at it")
        else:
            reason = f": {run.reason}" if run.reason else ""
            self.stdout.write(f"aggregate: run {run.pk} by {run.method} is {run.state}{reason}")
