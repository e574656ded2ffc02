"""Writing the trail: before an action is carried out, and again when it has ended."""

import time
from collections import OrderedDict
from typing import Any

from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from controlplane.accounts.callers import address_of, client_of
from controlplane.accounts.models import Token
from controlplane.api.request_id import request_id
from controlplane.trail.models import Action, Outcome

TOGETHER = 60.0
"""Seconds within which denied attempts that are alike are counted in one row."""

COMMAND = "command"
"""Stands for the method of what came by no call."""

_KNOWN = 1000
_recent: OrderedDict[tuple[object, ...], tuple[int, float]] = OrderedDict()


def begin(request: HttpRequest, resource: str) -> int:
    """Note that an action is about to be carried out; its id, for `end`."""
    row = _row(request, resource)
    row.outcome = Outcome.BEGUN
    row.save(force_insert=True)
    return row.pk


def end(pk: int, status: int, found: str | None, detail: str) -> None:
    """Note what became of it; `found` is the address of the object that it made."""
    outcome = outcome_of(status)
    fields: dict[str, Any] = {"outcome": outcome, "status": status, "detail": storable(detail)[:300]}
    if found:
        fields["object"] = found[:300]
    Action.objects.filter(pk=pk).update(last_at=timezone.now(), **fields)


def note(request: HttpRequest, resource: str, status: int, detail: str = "", **fields: Any) -> None:
    """Note something that is over; denied attempts that are alike are one row a minute."""
    row = _row(request, resource)
    row.status, row.outcome, row.detail = status, outcome_of(status), storable(detail)[:300]
    for name, value in fields.items():
        setattr(row, name, storable(value) if isinstance(value, str) else value)
    if row.outcome == Outcome.DENIED and _counted(row):
        return
    row.save(force_insert=True)
    if row.outcome == Outcome.DENIED:
        _recent[_likeness(row)] = (row.pk, time.monotonic())
        while len(_recent) > _KNOWN:
            _recent.popitem(last=False)


def note_command(resource: str, found: str, detail: str) -> None:
    """Note what somebody at this machine did by a command, where no call and no log-in was."""
    now = timezone.now()
    Action.objects.create(
        at=now,
        last_at=now,
        method=COMMAND,
        resource=resource[:100],
        object=found[:300],
        outcome=Outcome.DONE,
        detail=detail[:300],
    )


def storable(text: str) -> str:
    """`text` as every database takes it: PostgreSQL has no U+0000."""
    return text.replace("\0", "%00")


def outcome_of(status: int) -> Outcome:
    """What a status of HTTP says of an action."""
    if status < 400:
        return Outcome.DONE
    if status in (401, 403, 429):
        return Outcome.DENIED
    return Outcome.REFUSED if status < 500 else Outcome.FAILED


def _counted(row: Action) -> bool:
    """Whether it was counted in a row of the last minute."""
    pk, at = _recent.get(_likeness(row), (0, float("-inf")))
    if time.monotonic() - at > TOGETHER:
        return False
    return bool(Action.objects.filter(pk=pk).update(times=F("times") + 1, last_at=row.last_at))


def _likeness(row: Action) -> tuple[object, ...]:
    """What alike means; without log-in whatever the address asks for, so that nobody fills the trail."""
    who = (row.actor, row.token_id, row.address, row.method, row.status)
    return (*who, row.resource, row.object) if row.actor else who


def _row(request: HttpRequest, resource: str) -> Action:
    now = timezone.now()
    token = getattr(request, "auth", None)
    user = getattr(request, "user", None)
    row = Action(
        at=now,
        last_at=now,
        actor=user.get_username() if user is not None and user.is_authenticated else "",
        address=address_of(request),
        method=request.method or "",
        resource=resource[:100],
        object=storable(request.path)[:300],
        call=request_id(request),
    )
    if isinstance(token, Token):
        client = client_of(token)
        row.token, row.token_id = token.name, token.pk
        row.client = "" if client is None else f"{client.kind} {client.name}"[:120]
    return row
