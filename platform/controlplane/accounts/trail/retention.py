"""Retention of the audit trail."""

from datetime import timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from controlplane.accounts.trail.models import Action

CHUNK = 5000


def prune() -> int:
    """Delete the oldest rows beyond the retention, by time and number; return how many."""
    border = timezone.now() - timedelta(days=settings.ENV.trail_days)
    gone = _delete(Action.objects.filter(at__lt=border))
    newest = Action.objects.order_by("-id").values_list("id", flat=True)
    last = newest[settings.ENV.trail_rows : settings.ENV.trail_rows + 1].first()
    return gone + (_delete(Action.objects.filter(id__lte=last)) if last is not None else 0)


def _delete(rows: QuerySet[Action]) -> int:
    """Delete rows in steps, so that no transaction is long."""
    gone = 0
    while ids := list(rows.order_by("id").values_list("id", flat=True)[:CHUNK]):
        gone += Action.objects.filter(id__in=ids).delete()[0]
    return gone
