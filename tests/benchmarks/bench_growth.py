"""Growth of the time of a request with the number of deployed ones."""

from __future__ import annotations

from typing import Any

KINDS = ("subscribe", "unsubscribe", "advertise", "unadvertise")
FEWEST = 10
"""Lowest number of requests for a comparison."""


def growth(sizes: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the cost of requests at the largest size relative to the size before.

    It has the ratio of the medians, and the ratio at equal diffs. A request with a larger diff takes longer,
    and diffs differ between sizes. So requests are compared with those whose diffs have the same magnitude
    (0, 1, 2 to 3, 4 to 7 and so on changes).
    """
    if len(sizes) < 2:
        return None
    before, after = sizes[-2:]
    ratios = {
        kind: {
            "median_request": _ratio(before[kind], after[kind]),
            "same_diff": _same_diff(before[kind]["by_diff"], after[kind]["by_diff"]),
            "unchanging_request": _ratio(before[kind]["unchanging"], after[kind]["unchanging"]),
        }
        for kind in KINDS
    }
    return {"from": before["deployed"], "to": after["deployed"], **ratios}


def _same_diff(before: dict[str, Any], after: dict[str, Any]) -> float | None:
    """Return the mean of the ratios of common magnitudes, weighted by the number of requests."""
    rows = [
        (_ratio(before[size], after[size]), min(before[size]["requests"], after[size]["requests"]))
        for size in before.keys() & after.keys()
    ]
    found = [(ratio, weight) for ratio, weight in rows if ratio is not None]
    if not found:
        return None
    return round(sum(ratio * weight for ratio, weight in found) / sum(weight for _, weight in found), 2)


def _ratio(before: dict[str, Any], after: dict[str, Any]) -> float | None:
    """Return the ratio of two medians; None if one of them has only few requests."""
    if min(before["requests"], after["requests"]) < FEWEST:
        return None
    return round(float(after["median_us"] / before["median_us"]), 2)
