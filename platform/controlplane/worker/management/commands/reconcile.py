"""`manage.py reconcile [SWITCH ...]`: read switches back, compare with the plan, and repair what differs."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from controlplane.common.wakeups import wake_planner
from controlplane.deployment import session, switch_sync
from controlplane.requestlog.models import SwitchSync

PATIENCE_SECONDS = 60.0


class Command(BaseCommand):
    """Repair switches now; exits with 1 when one of them does not come to equal the plan."""

    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Names of switches."""
        parser.add_argument("switch", nargs="*", help="names of switches (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Mark the switches, let a session run, and tell how each of them stands."""
        known = switch_sync.switches()
        names = options["switch"] or sorted(known)
        unknown = [name for name in names if name not in known]
        if unknown:
            raise CommandError(f"there is no switch {', '.join(map(repr, unknown))}")
        switch_sync.ask_for(names)
        problems = self._wait(names)
        for name in names:
            self.stdout.write(f"{name}: {problems.get(name, 'equals the plan')}")
        if problems:
            raise CommandError(
                f"{len(problems)} of {len(names)} switches do not equal the plan", returncode=1
            )

    def _wait(self, names: list[str]) -> dict[str, str]:
        """What is wrong with those that are not clean after one attempt; another session may make it."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            session.run()
            rows = SwitchSync.objects.filter(switch__in=names, dirty=True)
            if all(row.attempts for row in rows) or time.monotonic() > end:
                return {row.switch: (row.problem or {}).get("detail", "no answer yet") for row in rows}
            wake_planner()
            time.sleep(0.2)
