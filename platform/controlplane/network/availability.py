"""Availability of switches, links and hosts: failed additions, and removals in progress."""

from typing import Any

from django.db.models import Q

from controlplane.requestlog.models import State

LEAVING = Q(removal__isnull=False) & ~Q(removal__state=State.FAILED)
"""Condition for rows whose removal is in progress or complete."""


def failed_to_come(row: Any) -> bool:
    """Whether the request that adds the row failed. Requires that `request` is loaded."""
    return row.request is not None and row.request.state == State.FAILED


def leaving(row: Any) -> bool:
    """Whether the removal of the row is in progress. Requires that `removal` is loaded."""
    return row.removal is not None and row.removal.state != State.FAILED


def unusable(row: Any, noun: str) -> tuple[str, str] | None:
    """Return the code and the text why nothing new can refer to `row`; None if it is available."""
    if failed_to_come(row):
        detail = (
            f"{noun} {row.name} could not be added (request {row.request_id}). Remove it and add it again."
        )
        return "not_in_network", detail
    if leaving(row):
        return (
            "being_removed",
            f"{noun} {row.name} is being removed by request {row.removal_id}. Use another one.",
        )
    return None
