"""Effect of an applied proposal, from later reports of hosts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from controlplane.analytics.dimensions.models import Proposal
from controlplane.analytics.false_positives import false_positives
from controlplane.requestlog.models import State

LOOK = timedelta(hours=1)
"""Time before and after the change in which deliveries are counted."""


def measured(row: Proposal) -> dict[str, Any] | None:
    """Return deliveries and false positives before and after; None if it was not applied."""
    if row.request is None or row.request.state != State.ACTIVE:
        return None
    begun, ended = row.request.received_at, row.request.confirmed_at or row.request.received_at
    back = row.undoing.received_at if row.undoing is not None else timezone.now()
    return {
        "before": _counted(row, begun - LOOK, begun),
        "after": _counted(row, ended, min(ended + LOOK, back)),
    }


def _counted(row: Proposal, since: datetime, until: datetime) -> dict[str, Any]:
    """Count in the windows of `false_positives` that start in a time."""
    came, wrong = false_positives(row.topic.name, since, until)
    return {
        "since": since,
        "until": until,
        "delivered": came,
        "unwanted": wrong,
        "fpr": round(100.0 * wrong / came, 4) if came else None,
    }
