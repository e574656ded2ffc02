"""Serializers of merged entries: changes by one request, and by a bulk call."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from rest_framework import serializers


class MergingSerializer(serializers.Serializer[Any]):
    """Merged entries that a request creates or splits for the budgets, and their expected cost."""

    merged = serializers.IntegerField(help_text="number of exact entries that merged entries replace")
    unmerged = serializers.IntegerField(help_text="number of exact entries that are installed again")
    switches = serializers.ListField(
        child=serializers.CharField(), help_text="names of the switches whose merged entries change"
    )
    together = serializers.IntegerField(
        help_text="number of requests that were planned together; the predicted cost is that of all of them"
    )
    topics = serializers.ListField(
        child=serializers.CharField(), help_text="names of the topics whose merged entries change"
    )
    events = serializers.IntegerField(help_text="number of recent events of `topics` in the estimate")
    unwanted = serializers.FloatField(
        allow_null=True,
        help_text="predicted false positives (deliveries to hosts without a matching subscription) per event "
        "published on `topics`, caused by new and changed merged entries; null: unknown, see `reason`",
    )
    needless = serializers.FloatField(
        allow_null=True, help_text="predicted redundant copies between switches, per event; null: unknown"
    )
    unwanted_per_second = serializers.FloatField(
        allow_null=True,
        help_text="false positives per second: `unwanted` times the event rate of the last hour; null: "
        "unknown, see `reason`",
    )
    reason = serializers.CharField(help_text="why a value is unknown; empty if all are known")


class OperationMergingSerializer(serializers.Serializer[Any]):
    """Merged entries that the requests of a bulk call create or split, and their expected cost."""

    requests = serializers.IntegerField(help_text="number of requests that change merged entries")
    merged = serializers.IntegerField(help_text="number of exact entries that merged entries replace")
    unmerged = serializers.IntegerField(help_text="number of exact entries that are installed again")
    switches = serializers.ListField(
        child=serializers.CharField(), help_text="names of the switches whose merged entries change"
    )
    unwanted = serializers.FloatField(
        allow_null=True,
        help_text="predicted false positives (deliveries to hosts without a matching subscription) per event "
        "over the whole call; null: unknown, see `reason`",
    )
    needless = serializers.FloatField(
        allow_null=True, help_text="predicted redundant copies between switches, per event; null: unknown"
    )
    unwanted_per_second = serializers.FloatField(
        allow_null=True,
        help_text="false positives per second: `unwanted` times the event rate of the last hour; null: "
        "unknown, see `reason`",
    )
    reason = serializers.CharField(help_text="why a value is unknown; empty if all are known")


def operation_merging(found: Iterable[tuple[datetime, dict[str, Any]]]) -> dict[str, Any] | None:
    """Sum up the merged entries of a bulk call's requests; return None if there are none.

    Args:
        found: time when each request was decided, and its merged entries. Requests of one batch have the
            same time, and have the expected cost in common.
    """
    rows = list(found)
    if not rows:
        return None
    batches = list(dict(rows).values())
    reasons = dict.fromkeys(one["reason"] for one in batches if one["reason"])
    return {
        "requests": len(rows),
        "merged": sum(one["merged"] for _, one in rows),
        "unmerged": sum(one["unmerged"] for _, one in rows),
        "switches": sorted({name for _, one in rows for name in one["switches"]}),
        **{name: _sum(one[name] for one in batches) for name in _COSTS},
        "reason": " ".join(reasons),
    }


_COSTS = ("unwanted", "needless", "unwanted_per_second")


def _sum(values: Iterable[float | None]) -> float | None:
    known = list(values)
    return None if None in known else sum(value or 0.0 for value in known)
