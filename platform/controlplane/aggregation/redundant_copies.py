"""History of redundant copies over links, stored with the results of analytics jobs."""

from datetime import timedelta

from django.conf import settings
from django.db.models import F, Max, Sum
from django.utils import timezone

from controlplane.aggregation.models import AggregatedEntry
from controlplane.analytics.jobs import REDUNDANT_COPIES
from controlplane.analytics.models import Result, Series

_WINDOW = 60_000_000


def store_measurement() -> int:
    """Store the last measurement, unless it is stored, with one result per switch; count them.

    Copies and false positives are means per event over the measured events.
    """
    at = AggregatedEntry.objects.aggregate(at=Max("measured_at"))["at"]
    if at is None:
        return 0
    series, _ = Series.objects.get_or_create(job=REDUNDANT_COPIES.name, window=_WINDOW)
    minute = at.replace(second=0, microsecond=0)
    if Result.objects.filter(series=series, window_start__gte=minute).exists():
        return 0
    rows = (
        AggregatedEntry.objects.filter(window__gt=0)
        .values("switch__name")
        .annotate(
            copies=_per_event("measured"), excess=_per_event("unwanted"), predicted=_per_event("expected")
        )
    )
    made = [
        Result(
            series=series,
            window_start=minute,
            subject=row["switch__name"],
            values={"copies": row["copies"], "unwanted": row["excess"], "expected": row["predicted"]},
        )
        for row in rows
    ]
    Result.objects.bulk_create(made, ignore_conflicts=True)
    oldest = timezone.now() - timedelta(days=settings.ENV.analytics_days)
    Result.objects.filter(series=series, window_start__lt=oldest).delete()
    return len(made)


def _per_event(field: str) -> Sum:
    """Return the sum of a field over its window in each row, because windows differ in length."""
    return Sum(F(field) / F("window"))
