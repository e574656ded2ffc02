"""`manage.py reconcile [SWITCH ...]`: read switches back and repair their tables."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from controlplane.common.wakeups import wake_planner
from controlplane.deployment import session, switch_sync
from controlplane.requestlog.models import SwitchSync
from controlplane.worker.management.base_command import PlatformCommand

PATIENCE_SECONDS = 60.0


class Command(PlatformCommand):
    """Repair switches now; the exit status is 1 if a switch still differs from the plan."""

    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the names of switches."""
        parser.add_argument("switch", nargs="*", help="names of switches (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Mark the switches, run a session, and print the result of each switch."""
        known = switch_sync.switches()
        names = options["switch"] or sorted(known)
        unknown = [name for name in names if name not in known]
        if unknown:
            raise CommandError(
                f"unknown switch {', '.join(map(repr, unknown))}; see the page Network for the names"
            )
        switch_sync.ask_for(names)
        problems = self._wait(names)
        for name in names:
            self.stdout.write(f"{name}: {problems.get(name, 'matches the plan')}")
        if problems:
            raise CommandError(
                f"{len(problems)} of {len(names)} switches do not match the plan", returncode=1
            )

    def _wait(self, names: list[str]) -> dict[str, str]:
        """Return the problems of switches that were not repaired by one attempt of any session."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            session.run()
            rows = SwitchSync.objects.filter(switch__in=names, dirty=True)
            if all(row.attempts for row in rows) or time.monotonic() > end:
                return {row.switch: (row.problem or {}).get("detail", "no answer yet") for row in rows}
            wake_planner()
            time.sleep(0.2)
