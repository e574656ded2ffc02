"""`manage.py token USER`: issue an access token and print it."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from controlplane.accounts.services import issue_token


class Command(BaseCommand):
    """Issue an access token; it goes to standard output and is not kept."""

    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """USER, --name, --days."""
        parser.add_argument("user", help="name of the user that the token stands for")
        parser.add_argument("--name", default="command line", help="what the token is for")
        parser.add_argument("--days", type=int, help="days until it expires (default: never)")

    def handle(self, *args: Any, **options: Any) -> str:
        """Issue the token."""
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"there is no user {options['user']!r}; create one with createsuperuser")
        days = options["days"]
        if days is not None and not 1 <= days <= 36500:
            raise CommandError(f"--days {days}: use 1 to 36500")
        expires_at = None if days is None else timezone.now() + timedelta(days=days)
        return issue_token(user, options["name"], expires_at)
