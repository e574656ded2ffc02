"""False positives of a topic, as counted by runs of `false_positives`."""

from datetime import datetime

from controlplane.analytics.models import Result


def false_positives(topic: str, since: datetime, until: datetime) -> tuple[int, int]:
    """Return the deliveries and the false positives of windows that start in this time.

    Each series counts the same deliveries, in windows of its own length. The newest series with results
    counts.
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
