"""`manage.py restore FILE`: make the installation what a backup says."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from controlplane.operations.backup.errors import UpkeepError, outages_in_words
from controlplane.operations.backup.restore import RestoreOptions, restore


class Command(BaseCommand):
    """Fill a database with what a backup holds, whatever kind of database that was made from."""

    help = "Make database and secrets those of FILE. Stop web server, workers and beat first."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own declaration

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, and what may be lost."""
        parser.add_argument("file", type=Path, help="what manage.py backup wrote")
        parser.add_argument("--replace", action="store_true", help="lose what is in the database now")
        parser.add_argument(
            "--keep-secrets", action="store_true", help="keep this installation's secrets (not the backup's)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore, with a line for each table."""
        chosen = RestoreOptions(options["replace"], options["keep_secrets"])
        try:
            with outages_in_words():
                restore(options["file"].absolute(), self._say, chosen)
        except UpkeepError as error:
            raise CommandError(str(error)) from error
        self._say("done; start controller, web server, workers and beat: all switches are read back first")

    def _say(self, text: str) -> None:
        self.stdout.write(f"restore: {text}")
        self.stdout.flush()
