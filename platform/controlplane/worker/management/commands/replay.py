"""`manage.py replay --check`: apply the complete request log and compare the tables."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from controlplane.deployment import replay_check
from controlplane.planning import planner_state
from controlplane.worker.management.base_command import PlatformCommand

SHOWN = 50


class Command(PlatformCommand):
    """Replay the request log with an empty planner."""

    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add `--check`."""
        parser.add_argument(
            "--check", action="store_true", help="exit with status 1 if the stored tables differ"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay the log, and print the differences."""
        if not options["check"]:
            state = planner_state.load(snapshots=False)
            counts = state.planner.counts()
            self.stdout.write(
                f"position {state.position}, {sum(counts.values())} entries on {len(counts)} switches"
            )
            return
        found = list(replay_check.differences())
        for line in found[:SHOWN]:
            self.stdout.write(line)
        if found:
            raise CommandError(
                f"{len(found)} differences between the log and the stored tables", returncode=1
            )
        self.stdout.write("the tables computed from the log equal the stored tables")
