"""`manage.py compact`: replace the old part of the request log by a planner snapshot."""

import os
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import Error as DatabaseError

from controlplane.operations.backup.compaction import compact
from controlplane.operations.backup.errors import BackupError, outages_in_words
from controlplane.planning.planner_state import ReplayError
from controlplane.requestlog import outbox
from controlplane.worker.management.base_command import PlatformCommand


class Command(PlatformCommand):
    """Remove requests that ended long ago and that no object refers to; no flow table changes."""

    help = "Remove requests that ended long ago and that no object refers to. No flow table changes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the retention time of requests."""
        days = settings.ENV.request_days
        parser.add_argument(
            "--days",
            type=_days,
            default=float(days),
            help=f"keep requests that ended within this number of days (default: {days})",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Compact the log, and print a line for each step."""
        os.nice(10)
        try:
            with outages_in_words():
                compact(timedelta(days=options["days"]), self._say)
        except (BackupError, ReplayError) as error:
            with suppress(DatabaseError):  # which may be the cause
                outbox.alarm(f"the request log is not compacted: {error}")
            raise CommandError(str(error)) from error

    def _say(self, text: str) -> None:
        self.stdout.write(f"compact: {text}")
        self.stdout.flush()


def _days(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3660:
        raise ArgumentTypeError(f"{text}: use a number of days from 0 to 3660")
    return value
