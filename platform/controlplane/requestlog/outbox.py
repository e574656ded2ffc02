"""Outbox of the live stream: rows with ids in commit order, so that a reader misses none."""

from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from controlplane.common.notifications import local_notifications
from controlplane.requestlog.models import OutboxEvent

RETAINED_ROWS = 100_000
RETAINED_TIME = timedelta(hours=24)

_LOCK = 0x7EC0A57E01
_CHUNK = 10_000


def emit(kind: str, payload: dict[str, Any]) -> OutboxEvent:
    """Append an event in the caller's transaction, or in a new one; pages see it on commit.

    On PostgreSQL, sequence numbers can commit out of order, so a lock is held until the transaction ends:
    call `emit` late in the transaction. SQLite has one writer at a time, so its ids are in commit order.
    """
    with transaction.atomic(savepoint=False):
        _take_turn()
        if not any(_notify_streams in hook for hook in connection.run_on_commit):
            transaction.on_commit(_notify_streams)
        return OutboxEvent.objects.create(kind=kind, payload=payload)


def _notify_streams() -> None:
    local_notifications.notify(local_notifications.OUTBOX)


def alarm(text: str) -> OutboxEvent:
    """Report a condition that needs an operator."""
    return emit("alarm", {"text": text, "at": timezone.now().isoformat()})


def prune() -> int:
    """Delete events beyond the retention in short transactions, and return their number."""
    deleted = OutboxEvent.objects.filter(created_at__lt=timezone.now() - RETAINED_TIME).delete()[0]
    newest = OutboxEvent.objects.order_by("-id").values_list("id", flat=True).first()
    if newest is None:
        return deleted
    while True:
        chunk = OutboxEvent.objects.filter(id__lte=newest - RETAINED_ROWS).order_by("id")[:_CHUNK]
        count = OutboxEvent.objects.filter(id__in=list(chunk.values_list("id", flat=True))).delete()[0]
        deleted += count
        if not count:
            return deleted


def _take_turn() -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
