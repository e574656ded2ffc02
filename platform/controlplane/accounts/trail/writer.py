"""Records of the audit trail, written before an action and again after it."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from controlplane.accounts.authentication import CSRF_REFUSED
from controlplane.accounts.callers import address_of, client_of
from controlplane.accounts.models import Token
from controlplane.accounts.trail.models import Action, ActionOutcome
from controlplane.common.request_id import request_id

TOGETHER = timedelta(minutes=1)
"""Time in which identical denied attempts count in one row, over all processes."""

COMMAND = "command"
"""Method of actions by a command instead of a call."""

METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "POST", "PUT", "PATCH", "DELETE", "CONNECT"})
OTHER = "other"
"""Method of all unknown methods, because clients can invent any number of them."""


def begin(request: HttpRequest, resource: str) -> int:
    """Record that an action starts; return the id of the row for `end`."""
    row = _row(request, resource)
    row.outcome = ActionOutcome.BEGUN
    row.save(force_insert=True)
    return row.pk


def end(pk: int, status: int, found: str | None, detail: str) -> None:
    """Record the result of an action; `found` is the address of the object that it created.

    A denied attempt is added to an existing row of an identical one.
    """
    outcome = outcome_of(status)
    fields: dict[str, Any] = {"outcome": outcome, "status": status, "detail": storable(detail)[:300]}
    if found:
        fields["object"] = found[:300]
    if outcome == ActionOutcome.DENIED and _joins(pk, status):
        return
    Action.objects.filter(pk=pk).update(last_at=timezone.now(), **fields)


def record_action(request: HttpRequest, resource: str, status: int, detail: str = "", **fields: Any) -> None:
    """Record a completed action. Identical denied attempts within a minute share one row."""
    row = _row(request, resource)
    row.status, row.outcome, row.detail = status, outcome_of(status), storable(detail)[:300]
    for name, value in fields.items():
        setattr(row, name, storable(value) if isinstance(value, str) else value)
    if row.outcome != ActionOutcome.DENIED or not _counted(row):
        row.save(force_insert=True)


def record_throttled(request: HttpRequest, resource: str, name: str) -> None:
    """Record a log-in as `name` without a password check, in one row per address and minute."""
    row = _row(request, resource)
    row.status, row.outcome, row.object = 429, ActionOutcome.DENIED, resource[:300]
    row.actor, row.detail = storable(name)[:150], "throttled"
    like = {"address": row.address, "resource": row.resource, "status": row.status}
    earlier = _earlier(row, like)
    if earlier is None:
        row.save(force_insert=True)
        return
    several = {} if earlier.actor == row.actor else {"detail": "throttled; with several names"}
    Action.objects.filter(pk=earlier.pk).update(times=F("times") + 1, last_at=row.last_at, **several)


def record_command(resource: str, found: str, detail: str) -> None:
    """Record the action of a command on this machine, without a call and without a log-in."""
    now = timezone.now()
    Action.objects.create(
        at=now,
        last_at=now,
        method=COMMAND,
        resource=resource[:100],
        object=found[:300],
        outcome=ActionOutcome.DONE,
        detail=detail[:300],
    )


def storable(text: str) -> str:
    """Return `text` without U+0000, which PostgreSQL cannot store."""
    return text.replace("\0", "%00")


def outcome_of(status: int) -> ActionOutcome:
    """Return the outcome of an action by its HTTP status."""
    if status < 400:
        return ActionOutcome.DONE
    if status in (401, 403, 429):
        return ActionOutcome.DENIED
    return ActionOutcome.REFUSED if status < 500 else ActionOutcome.FAILED


def actor_of(request: HttpRequest) -> str:
    """Return the calling user, also without the session's CSRF token; "" if not authenticated."""
    user = getattr(request, CSRF_REFUSED, None) or getattr(request, "user", None)
    return user.get_username() if user is not None and user.is_authenticated else ""


def _joins(pk: int, status: int) -> bool:
    """Whether the attempt of row `pk` was counted in an earlier row and its own row deleted."""
    row = Action.objects.filter(pk=pk).first()
    if row is None:
        return False
    row.status, row.last_at = status, timezone.now()
    with transaction.atomic():
        if joins := _counted(row):
            Action.objects.filter(pk=pk).delete()
    return joins


def _counted(row: Action) -> bool:
    """Whether the attempt was counted in a row of the last minute."""
    earlier = _earlier(row, _likeness(row))
    if earlier is None:
        return False
    return bool(Action.objects.filter(pk=earlier.pk).update(times=F("times") + 1, last_at=row.last_at))


def _earlier(row: Action, like: dict[str, object]) -> Action | None:
    """Return the row of the last minute that counts denied attempts with the `like` values."""
    known = Action.objects.filter(at__gt=row.last_at - TOGETHER, outcome=ActionOutcome.DENIED, **like)
    return known.exclude(pk=row.pk).order_by("-id").first()


def _likeness(row: Action) -> dict[str, object]:
    """Return the values that identical attempts share.

    For unauthenticated attempts the requested object does not matter, so that no client can fill the trail.
    """
    names = ("actor", "token_id", "address", "method", "status")
    more = ("resource", "object") if row.actor and row.status != 429 else ()
    return {name: getattr(row, name) for name in (*names, *more)}


def _row(request: HttpRequest, resource: str) -> Action:
    now = timezone.now()
    token = getattr(request, "auth", None)
    method = request.method or ""
    row = Action(
        at=now,
        last_at=now,
        actor=actor_of(request),
        address=address_of(request),
        method=method if method in METHODS else OTHER,
        resource=resource[:100],
        object=storable(request.path)[:300],
        call=request_id(request),
    )
    if isinstance(token, Token):
        client = client_of(token)
        row.token, row.token_id = token.name, token.pk
        row.client = "" if client is None else f"{client.kind} {client.name}"[:120]
    return row
