"""Cost of a call: dz cells, table entries and budgets, from a dry run of the planner."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from controlplane.aggregation.merge_forecast import Forecast, picture
from controlplane.common.problems import Problem
from controlplane.network.models import Switch
from controlplane.planning.planner_state import reading
from controlplane.requestlog.logged_rows import Payload
from controlplane.requestlog.models import Request, State

if TYPE_CHECKING:
    from tercast.planner.planner import Outcome

MAX_WAITING = 10_000


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits for a wait: seconds, and waiting requests to include. None means no limit."""

    seconds: float | None = None
    waiting: int | None = None


@dataclass(frozen=True, slots=True)
class ItemEncoding:
    """Number of dz cells and excess of an item.

    `volume_error` is the error of the filter's volume, as a share of it. 0: the excess is exact.
    """

    cells: int = 0
    excess: float = 0.0
    volume_error: float = 0.0


@dataclass(frozen=True, slots=True)
class Encodings:
    """Encodings of the items of a call."""

    items: list[ItemEncoding]


def cost(
    payloads: Sequence[Payload], encodings: Encodings | None, items: int, patience: Patience | None = None
) -> dict[str, Any]:
    """Return what logging `payloads` would cost.

    Args:
        payloads: Requests.
        encodings: Encodings of announcements, one for each payload.
        items: Number of items, if there are no encodings.
        patience: Limits of the wait; None: wait without a limit.

    Raises:
        PlannerBehind: if the planner is not available in time.
        Problem: 503 if too many requests wait.
    """
    encoded = encodings.items if encodings else [ItemEncoding()] * items
    estimate = _estimate(payloads, patience or Patience()) if payloads else CallEstimate((), {}, {})
    outcomes: list[Outcome | None] = list(estimate.outcomes)
    outcomes += [None] * (len(encoded) - len(outcomes))
    entries = _entries(estimate)
    failed = {name for outcome in estimate.outcomes for name in outcome.failed_switches}
    return {
        "dry_run": True,
        "items": items,
        "accepted": all(outcome.ok for outcome in estimate.outcomes),
        "dz_cells": sum(item.cells for item in encoded),
        **_mean_excess(encoded),
        "entries": entries,
        "merging": estimate.merging,
        "budgets_exceeded": sorted(failed | {entry["switch"] for entry in entries if entry["exceeded"]}),
        "results": [
            _item(index, item, outcome)
            for index, (item, outcome) in enumerate(zip(encoded, outcomes, strict=True))
        ],
    }


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """Outcomes of requests, entries by switch before and after them, and merged entries."""

    outcomes: tuple[Outcome, ...]
    before: Mapping[str, int]
    after: Mapping[str, int]
    merging: dict[str, Any] | None = None


def _estimate(payloads: Sequence[Payload], patience: Patience) -> CallEstimate:
    """Estimate with the planner, after it has applied everything that waits in the log."""
    with reading(patience.seconds) as planner:
        waiting = _waiting(MAX_WAITING if patience.waiting is None else patience.waiting)
        if waiting:
            first = planner.dry_run(waiting, picture)
            before, merged = first.after, first.seen
        else:
            before, merged = planner.counts(), picture(planner)
        run = planner.dry_run([*waiting, *payloads], Forecast(merged))
    return CallEstimate(tuple(run.outcomes[len(waiting) :]), before, run.after, run.seen)


def _waiting(most: int) -> list[Payload]:
    """Return the logged requests that are not decided yet, in the order of the planner."""
    rows = Request.objects.filter(state__in=(State.QUEUED, State.PLANNING)).order_by("id")
    found = list(rows.values_list("payload", flat=True)[: most + 1])
    if len(found) > most:
        detail = f"More than {most} requests wait for the planner. Try again when fewer are waiting."
        raise Problem(503, "busy", detail, headers={"Retry-After": "5"})
    return found


def _entries(estimate: CallEstimate) -> list[dict[str, Any]]:
    """Return the switches whose number of entries changes."""
    names = estimate.before.keys() | estimate.after.keys()
    counts = {name: (estimate.before.get(name, 0), estimate.after.get(name, 0)) for name in sorted(names)}
    changed = {name: (before, after) for name, (before, after) in counts.items() if before != after}
    budgets = {switch.name: switch.limit for switch in Switch.objects.filter(name__in=list(changed))}
    return [
        {
            "switch": name,
            "before": before,
            "after": after,
            "tcam_budget": budgets.get(name),
            "exceeded": (budget := budgets.get(name)) is not None and after > budget,
        }
        for name, (before, after) in changed.items()
    ]


def _mean_excess(encoded: Sequence[ItemEncoding]) -> dict[str, float]:
    """Return the mean excess, and the error of the volumes as a share of `1 + excess`.

    Estimates may depend on each other, so their errors add up. No sum overflows, although an excess may be
    the largest double.
    """
    count = max(len(encoded), 1)
    mean = min(sum(item.excess / count for item in encoded), sys.float_info.max)
    largest = 1 + max((item.excess for item in encoded), default=0.0)
    weights = [(1 + item.excess) / largest for item in encoded]
    error = sum(weight * item.volume_error for weight, item in zip(weights, encoded, strict=True))
    return {"excess": mean, "volume_error": error / sum(weights) if error else 0.0}


def _item(index: int, item: ItemEncoding, outcome: Outcome | None) -> dict[str, Any]:
    reason = outcome.reason if outcome is not None else None
    return {
        "index": index,
        "dz_cells": item.cells,
        "excess": item.excess,
        "volume_error": item.volume_error,
        "accepted": outcome is None or outcome.ok,
        "matched": None if outcome is None else outcome.matched,
        "reach": None if outcome is None else outcome.reach,
        "code": None if reason is None else reason.code,
        "detail": None if reason is None else reason.detail,
    }
