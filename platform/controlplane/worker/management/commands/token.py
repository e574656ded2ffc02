"""`manage.py token USER`: issue an access token and print it."""

import getpass
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db import transaction
from django.utils import timezone

from controlplane.accounts.models import Token
from controlplane.accounts.scopes import ALL
from controlplane.accounts.tokens import new_token
from controlplane.accounts.trail import writer
from controlplane.registry.client_tokens import MAX_NAME, MOST, with_standing
from controlplane.rest.base_views import url
from controlplane.worker.management.base_command import PlatformCommand


class Command(PlatformCommand):
    """Create an access token and print it. It is not stored; the audit log records the call."""

    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the user and the options of the token."""
        parser.add_argument("user", help="name of the user that the token belongs to")
        parser.add_argument("--name", default="command line", help="name of the token")
        parser.add_argument("--days", type=int, help="lifetime in days (default: unlimited)")
        parser.add_argument(
            "--scopes", default=",".join(ALL), help="scopes, separated by commas (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> str:
        """Issue the token."""
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"unknown user {options['user']!r}; create one with createsuperuser")
        scopes = _scopes(options["scopes"])
        token = Token(user=user, name=_name(options["name"]), expires_at=_expiry(options["days"]))
        if with_standing().filter(user=user, standing="good").count() >= MOST:
            raise CommandError(
                f"{user.username} already has {MOST} valid tokens, which is the limit; revoke some first"
            )
        with transaction.atomic():
            text = new_token(token, scopes)
            detail = f"{getpass.getuser()}: manage.py token {user.username} --scopes {','.join(scopes)}"
            writer.record_command("tokens", url("tokens", token.pk), detail)
        return text


def _scopes(text: str) -> list[str]:
    asked = [part.strip() for part in text.split(",")]
    unknown = [part for part in asked if part not in ALL]
    if unknown:
        raise CommandError(f"--scopes {text}: unknown scope {unknown[0]!r}; use one of {', '.join(ALL)}")
    return [scope for scope in ALL if scope in asked]


def _name(text: str) -> str:
    if not 0 < len(text) <= MAX_NAME:
        raise CommandError(f"--name has {len(text)} characters; use 1 to {MAX_NAME} characters")
    return text


def _expiry(days: int | None) -> Any:
    if days is not None and not 1 <= days <= 36500:
        raise CommandError(f"--days {days}: use 1 to 36500")
    return None if days is None else timezone.now() + timedelta(days=days)
