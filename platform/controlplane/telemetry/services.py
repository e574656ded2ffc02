"""Taking reports of traffic, and adding them up."""

from typing import Any

from django.db import transaction
from django.db.models import F, FloatField, Max, Sum
from django.db.models.functions import Cast

from controlplane.control.outbox import emit
from controlplane.telemetry.models import TrafficReport
from controlplane.telemetry.serializers import COUNTERS


def report(values: dict[str, Any], actor: Any) -> TrafficReport:
    """Store a reporter's counters in place of its earlier ones, and tell the live pages the new totals."""
    delay = values["delay_ms"] or {"p50": None, "p99": None}
    fields = {name: values[name] for name in COUNTERS}
    fields |= {"actor": actor, "delay_p50_ms": delay["p50"], "delay_p99_ms": delay["p99"]}
    with transaction.atomic():
        row, _ = TrafficReport.objects.update_or_create(reporter=values["reporter"], defaults=fields)
        emit("traffic", totals())
        return row


def totals() -> dict[str, Any]:
    """Counters over all reporters; p50 is their mean weighted by deliveries, p99 the largest."""
    timed = TrafficReport.objects.filter(delay_p50_ms__isnull=False, delivered__gt=0)
    weight = timed.aggregate(n=Sum("delivered"), p99=Max("delay_p99_ms"))
    p50 = None
    if weight["n"]:
        share = Cast(F("delivered"), FloatField()) / float(weight["n"])
        p50 = timed.aggregate(p50=Sum(F("delay_p50_ms") * share))["p50"]
    counters = TrafficReport.objects.aggregate(**{name: Sum(name, default=0) for name in COUNTERS})
    return {**{name: int(n) for name, n in counters.items()}, "delay_ms": {"p50": p50, "p99": weight["p99"]}}
