"""`manage.py replay --check`: apply the whole log anew and compare with what is kept."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from controlplane.deployment import replay_check
from controlplane.planning import planner_state

SHOWN = 50


class Command(BaseCommand):
    """Replay the request log with a planner that starts from nothing."""

    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--check."""
        parser.add_argument("--check", action="store_true", help="exit with 1 when the kept tables differ")

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay, and tell what differs."""
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
            raise CommandError(f"{len(found)} differences between the log and what is kept", returncode=1)
        self.stdout.write("the log leads to the tables that are kept")
