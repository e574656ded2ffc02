"""Alarms about events that hosts do not accept: a host sends in the name of another one's advertisement."""

from collections import Counter
from datetime import timedelta
from typing import Any

from django.utils import timezone

from controlplane.common import clock
from controlplane.requestlog import outbox
from controlplane.telemetry.models import TelemetryWriter
from tercast.errors import shown
from tercast.runtime.wording import quantity

AGAIN = timedelta(minutes=10)
"""Rejections that go on are reported again after this time, or when their number is twice as large."""

MOST_REJECTED = 200
"""Rows of host, topic and reason in one report."""


def raise_alarms(row: TelemetryWriter) -> None:
    """Raise an alarm for each host and topic of a writer's report, unless they were raised lately.

    Runs in the caller's transaction; `row` is locked or new.
    """
    total = sum(one["events"] for one in row.rejected)
    if total <= row.told_rejected or not _is_due(row, total):
        return
    found: dict[tuple[str, str], Counter[str]] = {}
    for one in row.rejected:
        found.setdefault((one["host"], one["topic"]), Counter())[one["reason"]] += one["events"]
    row.told_rejected, row.told_rejected_at = total, timezone.now()
    row.save(update_fields=("told_rejected", "told_rejected_at"))
    for (host, topic), reasons in sorted(found.items()):
        outbox.alarm(_text(host, topic, reasons))


def _is_due(row: TelemetryWriter, total: int) -> bool:
    last = row.told_rejected_at
    return last is None or clock.is_over(last, AGAIN, timezone.now()) or total >= 2 * row.told_rejected


def _text(host: str, topic: str, reasons: Counter[str]) -> str:
    why = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
    return (
        f"host {host} rejected {quantity(reasons.total(), 'event')} of topic {shown(topic)} ({why}): "
        "a host sends in the name of another one's advertisement. Look for it at the ports of the switches."
    )


def read_rows(rows: Any, largest: int) -> list[dict[str, Any]]:
    """Return the rows of a report from a file. Raises ValueError, KeyError or TypeError for what is none."""
    return [
        {
            "host": str(row["host"])[:200],
            "topic": str(row["topic"])[:100],
            "reason": str(row["reason"])[:40],
            "events": min(max(0, int(row["events"])), largest),
        }
        for row in list(rows)[:MOST_REJECTED]
    ]
