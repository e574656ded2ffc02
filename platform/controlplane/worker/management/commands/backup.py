"""`manage.py backup FILE`: write the complete state of the installation while it runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from controlplane.operations.backup.backup import backup
from controlplane.operations.backup.errors import UpkeepError, outages_in_words
from controlplane.worker.management.base_command import PlatformCommand


class Command(PlatformCommand):
    """Write database and secrets, but not telemetry, to a file that only its owner can read."""

    help = "Write database and secrets to FILE while the platform runs. Only the owner can read FILE."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file and the choice to overwrite it."""
        parser.add_argument("file", type=Path, help="file of the backup; it must not exist yet")
        parser.add_argument("--overwrite", action="store_true", help="replace an existing file")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the backup, and print a line for each table."""
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
