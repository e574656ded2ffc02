"""How the time of a request grows with what is deployed."""

from __future__ import annotations

from typing import Any

KINDS = ("subscribe", "unsubscribe", "advertise", "unadvertise")
FEWEST = 10
"""From how many requests on a figure is compared with another one."""


def growth(sizes: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What requests cost at the largest size in terms of the one before: the median one, and at equal diffs.

    A request with a larger diff takes longer, and diffs differ between sizes; so requests are compared with
    those whose diffs have the same magnitude (0, 1, 2 to 3, 4 to 7 and so on changes).
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
    """The mean of the ratios of all magnitudes that both have, weighted by how many requests tell it."""
    told = [
        (_ratio(before[size], after[size]), min(before[size]["requests"], after[size]["requests"]))
        for size in before.keys() & after.keys()
    ]
    found = [(ratio, weight) for ratio, weight in told if ratio is not None]
    if not found:
        return None
    return round(sum(ratio * weight for ratio, weight in found) / sum(weight for _, weight in found), 2)


def _ratio(before: dict[str, Any], after: dict[str, Any]) -> float | None:
    """One median in terms of another; None where either was measured on a few requests only."""
    if min(before["requests"], after["requests"]) < FEWEST:
        return None
    return round(float(after["median_us"] / before["median_us"]), 2)
