"""`manage.py compact`: let a snapshot take the place of what ended long ago in the request log."""

import os
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError

from controlplane.operations.backup.compaction import compact
from controlplane.operations.backup.errors import UpkeepError, outages_in_words
from controlplane.planning.planner_state import ReplayError
from controlplane.requestlog import outbox


class Command(BaseCommand):
    """Remove requests that ended long ago and that no object refers to; changes no table."""

    help = "Remove requests that ended long ago and that no object refers to; changes no table."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How long requests stay."""
        days = settings.ENV.request_days
        parser.add_argument(
            "--days", type=_days, default=float(days), help=f"keep what ended since (default: {days})"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Compact, with a line for each step."""
        os.nice(10)
        try:
            with outages_in_words():
                compact(timedelta(days=options["days"]), self._say)
        except (UpkeepError, ReplayError) as error:
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
        raise ArgumentTypeError(f"{text}: give a number of days from 0 to 3660")
    return value
