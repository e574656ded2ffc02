"""The states of requests on their way, with all that follows from them: objects, problems, live events.

Each function runs in its caller's transaction.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.utils import timezone

from controlplane.common.chunks import chunks
from controlplane.deployment import object_effects
from controlplane.deployment.batches import write
from controlplane.requestlog import outbox
from controlplane.requestlog.models import Request, State

FEW = 20
"""Up to so many requests are told to live pages one by one; more, by one event with their numbers."""

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
    """Problem details as they are stored with a request."""
    return {
        "type": f"urn:tercast:problem:{kind}",
        "title": title,
        "detail": detail,
        "switches": sorted(switches),
        "errors": list(errors),
    }


def decide(rows: Sequence[Request], moving: Collection[int] = ()) -> None:
    """Requests that the planner has answered, their fields filled in: `problem` where it refused.

    A refused one has failed; one that waits for no switch is active; the others deploy, and so do those that
    are `moving` topics, by id.
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
    """Requests that wait for nothing any more are active."""
    now = timezone.now()
    for part in chunks([row.pk for row in rows]):
        Request.objects.filter(pk__in=part).update(
            state=State.ACTIVE, confirmed_at=now, waits_for=[], problem=None
        )
    for row in rows:
        row.state, row.confirmed_at, row.waits_for, row.problem = State.ACTIVE, now, [], None
    _follow(rows, decided=False)


def keep_waiting(rows: Sequence[Request], reasons: Mapping[str, str]) -> None:
    """Requests that wait for fewer switches than before, or for another reason; `reasons` by switch."""
    for row in rows:
        detail = "; ".join(reasons[name] for name in row.waits_for if name in reasons)
        row.problem = problem("waiting", "Waiting for switches", detail, row.waits_for)
    write(rows, ("waits_for", "problem"))


def _follow(rows: Sequence[Request], decided: bool) -> None:
    """What requests do that have just reached a state: to their objects, and to live pages."""
    object_effects.apply(rows, decided)
    if len(rows) <= FEW:
        for row in rows:
            outbox.emit("request", event(row))
    else:
        states = Counter(str(row.state) for row in rows)
        outbox.emit("requests", {**states, "last": max(row.pk for row in rows)})


def event(row: Request) -> dict[str, Any]:
    """A request as live pages see it."""
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
