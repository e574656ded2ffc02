"""Deliveries of a topic that its hosts had not asked for, as runs of `false_positives` counted them."""

from datetime import datetime

from controlplane.analytics.models import Result


def unwanted(topic: str, since: datetime, until: datetime) -> tuple[int, int]:
    """Deliveries, and unwanted ones among them, of the windows that begin in this time.

    Each series counts the same deliveries, in windows of its own length; the newest with any counts.
    """
    rows = Result.objects.filter(
        series__job="false_positives", topic=topic, window_start__gte=since, window_start__lt=until
    )
    series = rows.order_by("-series").values_list("series", flat=True).first()
    came = wrong = 0
    for values in rows.filter(series=series).values_list("values", flat=True).iterator(chunk_size=5000):
        came += values["delivered"]
        wrong += values["unwanted"]
    return came, wrong
