"""Histograms of the time that requests spend in each stage, updated incrementally.

All rows of the log up to a watermark are final and are counted only once. Later rows are counted again at
each scrape. So the figures survive every restart, concurrent processes find the same figures, and a scrape
reads only new rows.
"""

import logging
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import DatabaseError, transaction
from django.db.models import Min

from controlplane.common.database_patience import waiting_at_most
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import FINAL_STATES, OPEN_STATES, Request

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper bounds in seconds."""

STAGES = {
    "waiting": ("received_at", "started_at"),
    "computing": ("started_at", "computed_at"),
    "deploying": ("computed_at", "confirmed_at"),
    "total": ("received_at", "confirmed_at"),
}
"""Stages with the times at which they start and end."""

_MARK = "request metrics"
_STEP = 5000
KEEP_WAIT_MS = 500
"""Longest wait for a lock to store the counts: a scrape is a read."""

logger = logging.getLogger(__name__)

_FIELDS = ("pk", "kind", "state", "received_at", "started_at", "computed_at", "confirmed_at")


class Totals:
    """Ended requests by kind and state, and for each stage the counts by bucket and the sum."""

    def __init__(self, kept: dict[str, Any] | None = None) -> None:
        kept = kept or {}
        self.last = int(kept.get("last", 0))
        self.ended: dict[tuple[str, str], int] = {
            (kind, state): number for kind, state, number in kept.get("ended", [])
        }
        own = kept.get("stages", {})
        self.counts = {name: list(own.get(name, [[], 0.0])[0]) or [0] * (len(BUCKETS) + 1) for name in STAGES}
        self.sums = {name: float(own.get(name, [[], 0.0])[1]) for name in STAGES}

    def to_json(self) -> dict[str, Any]:
        """Return the totals as stored in the watermark."""
        return {
            "last": self.last,
            "ended": [[kind, state, number] for (kind, state), number in sorted(self.ended.items())],
            "stages": {name: [self.counts[name], self.sums[name]] for name in STAGES},
        }

    def count(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Count rows of `_FIELDS`; the last of them becomes the last one counted."""
        for pk, kind, state, *times in rows:
            self.last = pk
            if state not in FINAL_STATES:
                continue
            self.ended[kind, state] = self.ended.get((kind, state), 0) + 1
            at = dict(zip(_FIELDS[3:], times, strict=True))
            for name, (start, end) in STAGES.items():
                if at[start] is not None and at[end] is not None:
                    self._observe(name, at[start], at[end])

    def _observe(self, name: str, start: datetime, end: datetime) -> None:
        seconds = max((end - start).total_seconds(), 0.0)
        bucket = next((i for i, bound in enumerate(BUCKETS) if seconds <= bound), len(BUCKETS))
        self.counts[name][bucket] += 1
        self.sums[name] += seconds


def totals() -> Totals:
    """Return the totals of all requests that have ended."""
    found = _stored_totals()
    before = found.last
    open_rows = Request.objects.filter(state__in=OPEN_STATES).aggregate(first=Min("id"))["first"]
    settled = Request.objects.filter(pk__gt=before).order_by("pk")
    if open_rows is not None:
        settled = settled.filter(pk__lt=open_rows)
    found.count(settled.values_list(*_FIELDS).iterator(_STEP))
    if found.last != before:
        _keep(found)
    behind = Request.objects.filter(pk__gt=found.last, state__in=FINAL_STATES).order_by("pk")
    found.count(behind.values_list(*_FIELDS).iterator(_STEP))
    return found


def _stored_totals() -> Totals:
    """Return the stored counts; empty ones if the row is malformed, to count all rows again."""
    kept = checkpoints.recall_or_default(_MARK, {})
    try:
        return Totals(kept)
    except (TypeError, ValueError, LookupError, AttributeError):
        logger.warning("the counts of ended requests are malformed; all requests are counted again")
        return Totals()


def _keep(found: Totals) -> None:
    """Store the counts for the next scrape; if this fails, that scrape only takes longer."""
    try:
        with waiting_at_most(KEEP_WAIT_MS), transaction.atomic():
            checkpoints.store(_MARK, found.to_json())
    except DatabaseError as error:
        logger.warning("cannot store the counts of ended requests: %s", error)
