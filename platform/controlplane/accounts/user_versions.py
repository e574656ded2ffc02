"""Counts of the edits of users, made by the API, on the admin pages or by a command."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce
from django.db.models.signals import m2m_changed, post_save

from controlplane.accounts.models import UserEdits

_NO_EDIT = frozenset({"last_login"})
"""Fields that only a log-in changes."""


def with_version() -> QuerySet[Any]:
    """Return all users, each with a `version` that every edit increments."""
    return User.objects.annotate(version=Coalesce(F("edits__count"), 0))


def watch() -> None:
    """Connect the signals that count edits."""
    post_save.connect(_saved, sender=User, dispatch_uid="tercast.edits")
    m2m_changed.connect(_regrouped, sender=User.groups.through, dispatch_uid="tercast.edits")


def _saved(
    instance: User, created: bool, raw: bool, update_fields: frozenset[str] | None, **_: object
) -> None:
    if not (created or raw or (update_fields and update_fields <= _NO_EDIT)):
        _count([instance.pk])


def _regrouped(instance: Any, action: str, reverse: bool, pk_set: set[int] | None, **_: object) -> None:
    if action in ("post_add", "post_remove", "post_clear"):
        _count(list(pk_set or ()) if reverse else [instance.pk])


def _count(users: list[int]) -> None:
    for pk in sorted(users):
        UserEdits.objects.get_or_create(user_id=pk)
        UserEdits.objects.filter(user=pk).update(count=F("count") + 1)
