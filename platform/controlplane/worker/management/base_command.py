"""Base class of Tercast's management commands."""

from django.core.management.base import BaseCommand


class PlatformCommand(BaseCommand):
    """Command that starts without Django's checks, because these load the whole web interface.

    `manage.py check` makes them.
    """

    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own declaration
