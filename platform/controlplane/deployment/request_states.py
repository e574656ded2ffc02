"""States of requests and their consequences for objects, problems and live events.

Each function runs in its caller's transaction.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from controlplane.common.chunks import chunks
from controlplane.common.notifications.end_notifications import notify_ended, operation_name, request_name
from controlplane.deployment import object_effects
from controlplane.deployment.batches import write
from controlplane.requestlog import outbox
from controlplane.requestlog.models import FINAL_STATES, Request, State

FEW = 20
"""Most requests that are reported to live pages one by one; more are reported by one event with counts."""

_DECIDED = (
    "state",
    "matched",
    "problem",
    "computed_at",
    "confirmed_at",
    "switches",
    "waits_for",
    "added",
    "removed",
    "modified",
    "merging",
)


def problem(
    kind: str, title: str, detail: str, switches: Iterable[str] = (), errors: Sequence[Any] = ()
) -> dict[str, Any]:
    """Return problem details in the form stored with a request."""
    return {
        "type": f"urn:tercast:problem:{kind}",
        "title": title,
        "detail": detail,
        "switches": sorted(switches),
        "errors": list(errors),
    }


def decide(rows: Sequence[Request], moving: Collection[int] = ()) -> None:
    """Store the planner's answers to requests; `problem` is set where it refused.

    A refused request has failed. A request that waits for no switch is active. All others deploy, and so do
    those that move topics (`moving`, by id).
    """
    now = timezone.now()
    for row in rows:
        row.computed_at = now
        if row.problem is not None:
            row.state, row.waits_for = State.FAILED, []
        elif row.waits_for or row.pk in moving:
            row.state = State.DEPLOYING
        else:
            row.state, row.confirmed_at = State.ACTIVE, now
    write(rows, _DECIDED)
    _follow(rows, decided=True)


def confirm(rows: Sequence[Request]) -> None:
    """Activate the requests that no longer wait for a switch."""
    now = timezone.now()
    for part in chunks([row.pk for row in rows]):
        Request.objects.filter(pk__in=part).update(
            state=State.ACTIVE, confirmed_at=now, waits_for=[], problem=None
        )
    for row in rows:
        row.state, row.confirmed_at, row.waits_for, row.problem = State.ACTIVE, now, [], None
    _follow(rows, decided=False)


def keep_waiting(rows: Sequence[Request], reasons: Mapping[str, str]) -> None:
    """Store that requests wait for fewer switches, or for other reasons; `reasons` by switch."""
    for row in rows:
        detail = "; ".join(reasons[name] for name in row.waits_for if name in reasons)
        row.problem = problem("waiting", "Waiting for switches", detail, row.waits_for)
    write(rows, ("waits_for", "problem"))


def _follow(rows: Sequence[Request], decided: bool) -> None:
    """Apply the new states of requests to their objects, and notify live pages."""
    object_effects.apply(rows, decided)
    if len(rows) <= FEW:
        for row in rows:
            outbox.emit("request", event(row))
    else:
        states = Counter(str(row.state) for row in rows)
        outbox.emit("requests", {**states, "last": max(row.pk for row in rows)})
    names = {name for row in rows if row.state in FINAL_STATES for name in _names(row)}
    if names:
        transaction.on_commit(lambda: notify_ended(names))


def _names(row: Request) -> list[str]:
    """Return the names of the request and its operation in notifications."""
    operation = row.operation_id
    return [request_name(row.pk), *([] if operation is None else [operation_name(operation)])]


def event(row: Request) -> dict[str, Any]:
    """Return a request in the form for live pages."""
    return {
        "id": row.pk,
        "kind": row.kind,
        "state": str(row.state),
        "matched": row.matched,
        "problem": row.problem,
        "merging": row.merging,
        "received_at": row.received_at.isoformat(),
        "confirmed_at": row.confirmed_at.isoformat() if row.confirmed_at else None,
    }
