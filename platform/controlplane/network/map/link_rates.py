"""Load of links per second, from the last two totals of the live stream."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from controlplane.requestlog.models import OutboxEvent

FRESH = timedelta(seconds=30)


def rates() -> dict[int, dict[str, float]]:
    """Return packets and bytes per second by link id; empty without recent totals."""
    events = OutboxEvent.objects.filter(kind="load", created_at__gt=timezone.now() - FRESH)
    newest = list(events.order_by("-id").values_list("payload", flat=True)[:2])
    if len(newest) < 2:
        return {}
    after, before = newest
    seconds = (datetime.fromisoformat(after["at"]) - datetime.fromisoformat(before["at"])).total_seconds()
    if seconds <= 0:
        return {}
    found = {int(pk): _rate(now, before["links"].get(pk), seconds) for pk, now in after["links"].items()}
    return {pk: rate for pk, rate in found.items() if rate is not None}


def _rate(now: dict[str, Any], then: dict[str, Any] | None, seconds: float) -> dict[str, float] | None:
    """Return the rate of a link; None if a switch has started to count from zero."""
    if then is None or now["packets"] < then["packets"]:
        return None
    return {
        "packets_per_s": round((now["packets"] - then["packets"]) / seconds, 3),
        "bytes_per_s": round((now["bytes"] - then["bytes"]) / seconds, 3),
    }
