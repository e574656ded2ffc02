"""Test scenarios for budgets."""

from typing import Any

from tests.support.networks import host, link, topology

Scene = tuple[dict[str, Any], list[dict[str, Any]]]


def pair(budget: int | None) -> dict[str, Any]:
    """Two switches; the second one has a budget."""
    out = topology(2, [link("s1", 1, "s2", 1)], [host("p", "s1", 9, 1), host("h", "s2", 9, 2)])
    out["switches"][1]["tcam_budget"] = budget
    return out
