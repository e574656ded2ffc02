"""`manage.py backup FILE`: all that the installation knows, in one file, while it runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from controlplane.operations.backup.backup import backup
from controlplane.operations.backup.errors import UpkeepError, outages_in_words


class Command(BaseCommand):
    """Write database and secrets to a file that only its owner can read. Telemetry is not in it."""

    help = "Write database and secrets to FILE, which only its owner can read, while everything runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file."""
        parser.add_argument("file", type=Path, help="the backup; a file that is not there yet")
        parser.add_argument("--overwrite", action="store_true", help="replace a file that is there")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it, with a line for each table."""
        try:
            with outages_in_words():
                manifest = backup(options["file"].absolute(), self._say, options["overwrite"])
        except UpkeepError as error:
            raise CommandError(str(error)) from error
        size = options["file"].stat().st_size
        self._say(f"{sum(manifest.rows.values())} rows, {size:,} bytes in {options['file']}; keep it secret")

    def _say(self, text: str) -> None:
        self.stdout.write(f"backup: {text}")
        self.stdout.flush()
