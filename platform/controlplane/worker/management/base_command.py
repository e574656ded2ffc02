"""Base class of Tercast's management commands."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError


class PlatformCommand(BaseCommand):
    """Command that starts without Django's checks, because these load the whole web interface.

    `manage.py check` makes them.
    """

    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own declaration

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command. Raises `CommandError` with a remedy if the database cannot be used."""
        try:
            return super().execute(*args, **options)
        except (OperationalError, ProgrammingError) as error:
            cause = " ".join(str(error).split()).rstrip(".?")
            unprepared = isinstance(error, ProgrammingError) or cause.startswith("no such ")
            remedy = _PREPARE if unprepared else _CHECK
            raise CommandError(f"the database cannot be used: {cause}; {remedy}") from error


_PREPARE = "run manage.py prepare, which creates and migrates the tables"
_CHECK = "check that the database runs, and that TERCAST_DATABASE_URL names it"
