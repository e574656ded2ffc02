"""Storage of traffic reports, and their totals."""

from typing import Any

from django.db import transaction

from controlplane.requestlog.outbox import emit
from controlplane.telemetry.activity import reports
from controlplane.telemetry.models import TrafficReport
from controlplane.telemetry.signals import losses_reported

COUNTERS = ("published", "wanted", "delivered", "lost", "doubled", "unwanted")


def report(values: dict[str, Any], actor: Any, kind: str = "") -> TrafficReport:
    """Replace the counters of a reporter, and send the new totals to the live pages.

    If the number of lost events grows, this sends the signal `losses_reported`.

    Args:
        values: the report.
        actor: the user who sends the report.
        kind: `publisher` or `subscriber` with a client token, otherwise empty. Reporters with the same name
            and different kinds are different.
    """
    delay = values["delay_ms"] or {"p50": None, "p99": None}
    fields = {name: values[name] for name in COUNTERS}
    fields |= {"actor": actor, "delay_p50_ms": delay["p50"], "delay_p99_ms": delay["p99"]}
    with transaction.atomic():
        who = {"reporter": values["reporter"], "kind": kind}
        earlier = TrafficReport.objects.filter(**who).values_list("lost", flat=True)
        more = values["lost"] - (earlier.first() or 0)
        row, _ = TrafficReport.objects.update_or_create(**who, defaults=fields)
        reports.store_report(row.pk, values)
        if more > 0:
            topics = reports.topics(values)
            losses_reported.send(TrafficReport, reporter=values["reporter"], more=more, topics=topics)
        emit("traffic", totals())
        return row


def totals() -> dict[str, Any]:
    """Return the sums of the counters over all reporters, and their delays in ms.

    `p50` is the mean of the reporters' values, weighted by their deliveries. `p99` is the largest value.
    Python calculates the sums, because sums of integers in a database are limited to 63 bits.
    """
    rows = list(TrafficReport.objects.all())
    weights = [(row.delivered, row.delay_p50_ms) for row in rows if row.delay_p50_ms is not None]
    weight = sum(delivered for delivered, _ in weights)
    delay: dict[str, float | None] = {
        "p50": sum(delivered / weight * p50 for delivered, p50 in weights) if weight else None,
        "p99": max((row.delay_p99_ms for row in rows if row.delay_p99_ms is not None), default=None),
    }
    return {**{name: sum(getattr(row, name) for row in rows) for name in COUNTERS}, "delay_ms": delay}
