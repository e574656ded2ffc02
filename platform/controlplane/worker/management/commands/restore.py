"""`manage.py restore FILE`: restore an installation from a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from controlplane.operations.backup.errors import UpkeepError, outages_in_words
from controlplane.operations.backup.restore import RestoreOptions, restore
from controlplane.worker.management.base_command import PlatformCommand


class Command(PlatformCommand):
    """Fill a database from a backup; the two kinds of database may differ."""

    help = "Restore database and secrets from FILE. Stop web server, workers and beat first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file, and the choices of data to replace or keep."""
        parser.add_argument("file", type=Path, help="a file that manage.py backup wrote")
        parser.add_argument(
            "--replace", action="store_true", help="delete the present contents of the database"
        )
        parser.add_argument(
            "--keep-secrets", action="store_true", help="keep this installation's secrets, not the backup's"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore the backup, and print a line for each table."""
        chosen = RestoreOptions(options["replace"], options["keep_secrets"])
        try:
            with outages_in_words():
                restore(options["file"].absolute(), self._say, chosen)
        except UpkeepError as error:
            raise CommandError(str(error)) from error
        self._say(
            "complete; start controller, web server, workers and beat. The worker first compares all switch "
            "tables with the restored plan"
        )

    def _say(self, text: str) -> None:
        self.stdout.write(f"restore: {text}")
        self.stdout.flush()
