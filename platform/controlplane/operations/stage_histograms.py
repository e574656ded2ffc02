"""How long requests take from stage to stage, as histograms over the whole log, kept up incrementally.

All rows up to a watermark are final and counted once and for all; those behind it are counted anew each
time. So the figures survive every process, two processes that count at once find the same, and a scrape
costs what is new.
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
"""Stages with the times that they lie between."""

_MARK = "request metrics"
_STEP = 5000
KEEP_WAIT_MS = 500
"""Longest wait for a lock to keep the counts: a scrape is a read."""

logger = logging.getLogger(__name__)

_FIELDS = ("pk", "kind", "state", "received_at", "started_at", "computed_at", "confirmed_at")


class Totals:
    """Ended requests by kind and state; histograms of stages: counts by bucket (not added up), and sums."""

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
        """As it is kept."""
        return {
            "last": self.last,
            "ended": [[kind, state, number] for (kind, state), number in sorted(self.ended.items())],
            "stages": {name: [self.counts[name], self.sums[name]] for name in STAGES},
        }

    def take(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Count rows of `_FIELDS`; the last of them is the last one counted."""
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
    """Of all requests that have ended."""
    found = _kept()
    before = found.last
    open_rows = Request.objects.filter(state__in=OPEN_STATES).aggregate(first=Min("id"))["first"]
    settled = Request.objects.filter(pk__gt=before).order_by("pk")
    if open_rows is not None:
        settled = settled.filter(pk__lt=open_rows)
    found.take(settled.values_list(*_FIELDS).iterator(_STEP))
    if found.last != before:
        _keep(found)
    behind = Request.objects.filter(pk__gt=found.last, state__in=FINAL_STATES).order_by("pk")
    found.take(behind.values_list(*_FIELDS).iterator(_STEP))
    return found


def _kept() -> Totals:
    """What was counted before; nothing where the row is malformed, so that all is counted again."""
    kept = checkpoints.recall_or_default(_MARK, {})
    try:
        return Totals(kept)
    except (TypeError, ValueError, LookupError, AttributeError):
        logger.warning("the counts of ended requests are malformed; they are counted again")
        return Totals()


def _keep(found: Totals) -> None:
    """Spare the next scrape this count; one that cannot be written now costs that scrape some time."""
    try:
        with waiting_at_most(KEEP_WAIT_MS), transaction.atomic():
            checkpoints.keep(_MARK, found.to_json())
    except DatabaseError as error:
        logger.warning("the counts of ended requests cannot be kept: %s", error)
