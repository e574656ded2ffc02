"""Preparation of an installation before its first start; each step is idempotent."""

import os
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import transaction
from django_celery_beat.models import PeriodicTask

from controlplane.accounts.tokens import find_token, issue_token
from controlplane.aggregation import policy
from controlplane.analytics import schedules
from controlplane.common.queues import ANALYTICS_QUEUE, DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.deployment.audits import schedule
from controlplane.periodic.row_changes import every
from tercast.runtime.secret_files import secret

GROUPS = ("viewer", "operator", "administrator")
ADMIN, OPERATOR = "admin", "operator"
ADMIN_PASSWORD, OPERATOR_TOKEN = "admin-password", "operator-token"

SCHEDULES = (
    ("sweep the request log", "tercast.plan", PLANNER_QUEUE, 2),
    ("watch the controller", "tercast.watch", DEFAULT_QUEUE, 1),
    ("sweep the runs of aggregation", "tercast.runs", DEFAULT_QUEUE, 2),
    ("measure aggregated entries", "tercast.attribute", DEFAULT_QUEUE, 60),
    ("write telemetry", "tercast.telemetry", DEFAULT_QUEUE, 5),
    ("sweep the runs of analytics", "tercast.analytics.sweep", DEFAULT_QUEUE, 5),
    ("choose indexed attributes", "tercast.dimensions", ANALYTICS_QUEUE, 60),
    ("prune the outbox", "tercast.prune", DEFAULT_QUEUE, 600),
    ("forget old actions and keys", "tercast.forget", DEFAULT_QUEUE, 3600),
    ("compact the request log", "tercast.compact", DEFAULT_QUEUE, 86_400),
)
"""Name, task, queue and period in seconds of each periodic task."""


def make_groups() -> None:
    """Create a group for each role."""
    for name in GROUPS:
        Group.objects.get_or_create(name=name)


def make_administrator() -> bool:
    """Create the first administrator, with a password in `secrets/admin-password`.

    Returns:
        False if the user exists already; its password does not change.
    """
    with transaction.atomic():
        user, created = User.objects.get_or_create(
            username=ADMIN, defaults={"is_staff": True, "is_superuser": True}
        )
        if created:
            user.set_password(secret(settings.ENV.secrets_dir, ADMIN_PASSWORD, size=12))
            user.save()
            user.groups.add(Group.objects.get(name="administrator"))
    return created


def make_operator_token() -> bool:
    """Create a token of the user `operator` and write it to `secrets/operator-token`.

    Returns:
        False if the token in that file is still valid; it does not change.
    """
    path = settings.ENV.secrets_dir / OPERATOR_TOKEN
    kept = find_token(path.read_text(encoding="ascii").strip()) if path.exists() else None
    if kept is not None and kept.revoked_at is None:
        return False
    with transaction.atomic():
        user, created = User.objects.get_or_create(username=OPERATOR)
        if created:
            user.set_unusable_password()
            user.save()
        user.groups.add(Group.objects.get(name="operator"))
        _write_secret(path, issue_token(user, "prepared at set-up"))
    return True


def make_schedules() -> None:
    """Create the periodic tasks that are missing; existing rows keep an operator's changes."""
    for name, task, queue, seconds in SCHEDULES:
        fields = {"task": task, "queue": queue, "interval": every(seconds), "expire_seconds": seconds}
        PeriodicTask.objects.get_or_create(name=name, defaults=fields)
    policy.make_schedule()
    schedule.make()
    schedules.make_defaults()


def _write_secret(path: Path, value: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(value)
    temporary.rename(path)
