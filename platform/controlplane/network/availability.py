"""Whether a switch, link or host can be used: it may have failed to come, or be on its way out."""

from typing import Any

from django.db.models import Q

from controlplane.requestlog.models import State

LEAVING = Q(removal__isnull=False) & ~Q(removal__state=State.FAILED)
"""Rows whose removal is under way or done."""


def failed_to_come(row: Any) -> bool:
    """Whether the network never had it, since the request that adds it failed. Needs `request` loaded."""
    return row.request is not None and row.request.state == State.FAILED


def leaving(row: Any) -> bool:
    """Whether its removal is under way. Needs `removal` loaded."""
    return row.removal is not None and row.removal.state != State.FAILED


def unusable(row: Any, noun: str) -> tuple[str, str] | None:
    """(code, detail) why nothing new can refer to `row`; None when it can."""
    if failed_to_come(row):
        detail = (
            f"{noun} {row.name} failed to be added (request {row.request_id}). Delete it and add it again."
        )
        return "not_in_network", detail
    if leaving(row):
        return (
            "being_removed",
            f"{noun} {row.name} is being removed by request {row.removal_id}. Use another.",
        )
    return None
