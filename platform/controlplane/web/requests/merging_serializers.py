"""What requests merge, as the API shows it: of one request, and of a bulk call."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from rest_framework import serializers


class MergingSerializer(serializers.Serializer[Any]):
    """What a request merges to keep switches within their budgets, and what that is expected to cost."""

    merged = serializers.IntegerField(help_text="exact entries that merged ones replace from now on")
    unmerged = serializers.IntegerField(help_text="exact entries that are installed themselves again")
    switches = serializers.ListField(child=serializers.CharField(), help_text="where merged entries change")
    together = serializers.IntegerField(
        help_text="requests planned in one batch, to which the expected cost applies as a whole"
    )
    topics = serializers.ListField(child=serializers.CharField(), help_text="whose merged entries change")
    events = serializers.IntegerField(help_text="recent events of `topics` that the estimate is based on")
    unwanted = serializers.FloatField(
        allow_null=True,
        help_text="expected deliveries to hosts that did not subscribe, per event published on `topics`, by "
        "the merged entries that are new or different; null: unknown, see `reason`",
    )
    needless = serializers.FloatField(
        allow_null=True, help_text="expected copies between switches that nobody needs, per event"
    )
    unwanted_per_second = serializers.FloatField(
        allow_null=True, help_text="`unwanted` at the rate of the last hour; null: unknown, see `reason`"
    )
    reason = serializers.CharField(help_text="why something is unknown; empty where all is known")


class OperationMergingSerializer(serializers.Serializer[Any]):
    """What the requests of a bulk call merge together, and what that is expected to cost."""

    requests = serializers.IntegerField(help_text="those that merge or unmerge something")
    merged = serializers.IntegerField(help_text="exact entries that merged ones replace from now on")
    unmerged = serializers.IntegerField(help_text="exact entries that are installed themselves again")
    switches = serializers.ListField(child=serializers.CharField(), help_text="where merged entries change")
    unwanted = serializers.FloatField(
        allow_null=True,
        help_text="expected deliveries to hosts that did not subscribe, per event, over the batches in which "
        "the call was planned; null: unknown, see `reason`",
    )
    needless = serializers.FloatField(
        allow_null=True, help_text="expected copies between switches that nobody needs, per event"
    )
    unwanted_per_second = serializers.FloatField(
        allow_null=True, help_text="`unwanted` at the rate of the last hour; null: unknown, see `reason`"
    )
    reason = serializers.CharField(help_text="why something is unknown; empty where all is known")


def operation_merging(found: Iterable[tuple[datetime, dict[str, Any]]]) -> dict[str, Any] | None:
    """Return what the requests of a bulk call merge together; None where they merge nothing.

    Args:
        found: when each request was decided, and what it merged. Requests of one batch are decided at the
            same moment, and have the expected cost in common.
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
