"""Alarms about events that subscribers reject because a wrong host sends them."""

from collections import Counter
from datetime import timedelta
from typing import Any

from django.utils import timezone

from controlplane.common import clock
from controlplane.requestlog import outbox
from controlplane.telemetry.models import TelemetryWriter
from tercast.client.event_origins import REASON_TEXTS
from tercast.errors import shown
from tercast.runtime.wording import quantity

AGAIN = timedelta(minutes=10)
"""Time after which continuing rejections raise the alarms again. Twice as many events raise them earlier."""

_WORDS = {reason.value: words for reason, words in REASON_TEXTS.items()}
"""Plain words by reason. A newer library can report reasons that are not listed."""

MOST_REJECTED = 200
"""Maximum rows of host, topic and reason in one report."""


def raise_alarms(row: TelemetryWriter) -> None:
    """Raise an alarm for each host and topic with rejected events in a writer's report.

    No alarm is raised if there are no new rejections, or if the last alarm is recent (see `AGAIN`).
    The function runs in the caller's transaction. `row` is locked or new.
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
    why = ", ".join(f"{_WORDS.get(reason, reason)}: {count}" for reason, count in sorted(reasons.items()))
    return (
        f"host {host} rejected {quantity(reasons.total(), 'event')} of topic {shown(topic)} ({why}). "
        "The sender is not the host of the advertisement, or its events have no valid seal. "
        "If the source check is on, its alarm names the port of the sender"
    )


def read_rows(rows: Any, largest: int) -> list[dict[str, Any]]:
    """Return the rejected events of a report in a file, limited to `MOST_REJECTED` rows.

    Args:
        rows: the rows of the file, not checked.
        largest: the upper limit of each count.

    Raises:
        ValueError: A count is not a number.
        KeyError: A field is missing.
        TypeError: A value has the wrong type.
    """
    return [
        {
            "host": str(row["host"])[:200],
            "topic": str(row["topic"])[:100],
            "reason": str(row["reason"])[:40],
            "events": min(max(0, int(row["events"])), largest),
        }
        for row in list(rows)[:MOST_REJECTED]
    ]
