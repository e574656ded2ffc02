"""The load of links a second, from the last two totals that the live stream told."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from controlplane.requestlog.models import OutboxEvent

FRESH = timedelta(seconds=30)

Rates = dict[int, dict[str, float]]


def rates() -> Rates:
    """Packets and bytes a second by id of link; none where nothing was told lately."""
    told = OutboxEvent.objects.filter(kind="load", created_at__gt=timezone.now() - FRESH)
    newest = list(told.order_by("-id").values_list("payload", flat=True)[:2])
    if len(newest) < 2:
        return {}
    after, before = newest
    seconds = (datetime.fromisoformat(after["at"]) - datetime.fromisoformat(before["at"])).total_seconds()
    if seconds <= 0:
        return {}
    found = {int(pk): _rate(now, before["links"].get(pk), seconds) for pk, now in after["links"].items()}
    return {pk: rate for pk, rate in found.items() if rate is not None}


def _rate(now: dict[str, Any], then: dict[str, Any] | None, seconds: float) -> dict[str, float] | None:
    """None where a switch counts from zero again."""
    if then is None or now["packets"] < then["packets"]:
        return None
    return {
        "packets_per_s": round((now["packets"] - then["packets"]) / seconds, 3),
        "bytes_per_s": round((now["bytes"] - then["bytes"]) / seconds, 3),
    }
