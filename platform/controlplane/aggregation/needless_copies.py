"""Needless copies over links, as aggregation measures them, kept over time beside the results of jobs."""

from datetime import timedelta

from django.conf import settings
from django.db.models import F, Max, Sum
from django.utils import timezone

from controlplane.aggregation.models import AggregatedEntry
from controlplane.analytics.jobs import NEEDLESS
from controlplane.analytics.models import Result, Series

_WINDOW = 60_000_000


def keep() -> int:
    """Keep what was measured last, unless it is there: a result for each switch; how many were made.

    Copies and unwanted deliveries are those of one event, on average over the events that were looked at.
    """
    at = AggregatedEntry.objects.aggregate(at=Max("measured_at"))["at"]
    if at is None:
        return 0
    series, _ = Series.objects.get_or_create(job=NEEDLESS.name, window=_WINDOW)
    minute = at.replace(second=0, microsecond=0)
    if Result.objects.filter(series=series, window_start__gte=minute).exists():
        return 0
    rows = (
        AggregatedEntry.objects.filter(window__gt=0)
        .values("switch__name")
        .annotate(copies=_per_event("measured"), excess=_per_event("unwanted"), told=_per_event("expected"))
    )
    made = [
        Result(
            series=series,
            window_start=minute,
            subject=row["switch__name"],
            values={"copies": row["copies"], "unwanted": row["excess"], "expected": row["told"]},
        )
        for row in rows
    ]
    Result.objects.bulk_create(made, ignore_conflicts=True)
    oldest = timezone.now() - timedelta(days=settings.ENV.analytics_days)
    Result.objects.filter(series=series, window_start__lt=oldest).delete()
    return len(made)


def _per_event(field: str) -> Sum:
    """The sum of a field, each row's divided by its events: rows may have windows of several lengths."""
    return Sum(F(field) / F("window"))
