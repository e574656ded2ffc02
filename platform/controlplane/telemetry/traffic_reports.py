"""Taking reports of traffic, and adding them up."""

from typing import Any

from django.db import transaction

from controlplane.requestlog.outbox import emit
from controlplane.telemetry.activity import reports
from controlplane.telemetry.models import TrafficReport
from controlplane.telemetry.signals import losses_reported

COUNTERS = ("published", "wanted", "delivered", "lost", "doubled", "unwanted")


def report(values: dict[str, Any], actor: Any, kind: str = "") -> TrafficReport:
    """Store a reporter's counters in place of its earlier ones, and send the live pages the new totals.

    A publisher, a subscriber and a process of one name are different reporters, by `kind`.
    """
    delay = values["delay_ms"] or {"p50": None, "p99": None}
    fields = {name: values[name] for name in COUNTERS}
    fields |= {"actor": actor, "delay_p50_ms": delay["p50"], "delay_p99_ms": delay["p99"]}
    with transaction.atomic():
        who = {"reporter": values["reporter"], "kind": kind}
        earlier = TrafficReport.objects.filter(**who).values_list("lost", flat=True)
        more = values["lost"] - (earlier.first() or 0)
        row, _ = TrafficReport.objects.update_or_create(**who, defaults=fields)
        reports.take(row.pk, values)
        if more > 0:
            topics = reports.topics(values)
            losses_reported.send(TrafficReport, reporter=values["reporter"], more=more, topics=topics)
        emit("traffic", totals())
        return row


def totals() -> dict[str, Any]:
    """Counters over all reporters; p50 is their mean weighted by deliveries, p99 the largest.

    Added up here: a database's sum of integers ends at 63 bits.
    """
    rows = list(TrafficReport.objects.all())
    weights = [(row.delivered, row.delay_p50_ms) for row in rows if row.delay_p50_ms is not None]
    weight = sum(delivered for delivered, _ in weights)
    delay: dict[str, float | None] = {
        "p50": sum(delivered / weight * p50 for delivered, p50 in weights) if weight else None,
        "p99": max((row.delay_p99_ms for row in rows if row.delay_p99_ms is not None), default=None),
    }
    return {**{name: sum(getattr(row, name) for row in rows) for name in COUNTERS}, "delay_ms": delay}
