"""`Idempotency-Key`: a call runs once, and its answer is stored in the same transaction."""

import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, Min, Sum
from django.utils import timezone
from django.utils.crypto import salted_hmac
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.callers import principal
from controlplane.common import clock
from controlplane.common.problems import Problem, bad_parameter, conflict
from controlplane.rest.idempotency.models import Reply
from controlplane.rest.prefer_header import Awaited

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
GIVEN_UP = timedelta(minutes=5)
"""Time after which an unfinished call counts as dead. If it still runs, it can commit nothing any more."""

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True, slots=True)
class HeldKey:
    """Right to run the call of a key."""

    pk: int
    attempt: str

    def rows(self) -> Any:
        """Return the row of the call while this attempt holds the right."""
        return Reply.objects.filter(pk=self.pk, attempt=self.attempt, status=None)


def key_of(request: Request) -> str | None:
    """Return the key of the call, None if it has no key; raise `Problem` for an invalid key."""
    key = request.headers.get(HEADER)
    if key is not None and not _KEY.fullmatch(key):
        detail = f"{HEADER} must have 1 to 255 visible ASCII characters. Use, for example, a UUID."
        raise bad_parameter(HEADER, "bad_key", detail, key[:100])
    return key


def once(request: Request, key: str, secret: bool, act: Callable[[], Response]) -> Response:
    """Run `act` in a transaction, or return the stored answer of an earlier call with the key.

    If the call is refused, it changes nothing, and its key is free again.

    Raises:
        Problem: 409 while the first call with the key runs, 422 if another call used the key.
    """
    held = _hold(request, key)
    if isinstance(held, Reply):
        return _again(held)
    try:
        with transaction.atomic():
            if not held.rows().select_for_update().exists():
                raise _in_flight()
            response = act()
            first = response.ready() if isinstance(response, Awaited) else response
            _keep(held, first, secret)
    except BaseException:
        held.rows().delete()
        raise
    return response if isinstance(response, Awaited) and response.wait.seconds else first


def keep_end(request: Request, key: str, response: Response) -> None:
    """Store the answer after the wait. It replaces the first answer."""
    rows = Reply.objects.filter(principal=principal(request), key=key).exclude(body="")
    body = JSONRenderer().render(response.data).decode()
    rows.update(body=body, size=len(body))


def prune() -> None:
    """Delete keys that are older than the retention time."""
    Reply.objects.filter(began_at__lt=_oldest()).delete()


def _oldest() -> Any:
    return timezone.now() - timedelta(hours=settings.ENV.key_hours)


def _hold(request: Request, key: str) -> HeldKey | Reply:
    """Return the right to run the call, or the stored answer if the call already ran."""
    mine = secrets.token_hex(16)
    call = {"method": request.method, "path": request.get_full_path(), "digest": _digest(request)}
    who = {"principal": principal(request), "key": key}
    Reply.objects.filter(**who, began_at__lt=_oldest()).delete()
    try:
        with transaction.atomic():
            made = Reply.objects.create(**who, **call, attempt=mine, began_at=timezone.now())
            _check_room(made)
        return HeldKey(made.pk, mine)
    except IntegrityError:
        row = Reply.objects.filter(**who).first()
    if row is None:  # the first call was refused in the meantime
        raise _in_flight()
    if any(getattr(row, name) != value for name, value in call.items()):
        raise _reused(key, row, call)
    if row.status is not None:
        return row
    given_up = clock.over("began_at", GIVEN_UP, timezone.now())
    dead = Reply.objects.filter(given_up, pk=row.pk, attempt=row.attempt, status=None)
    if not dead.update(attempt=mine, began_at=timezone.now()):
        raise _in_flight()
    return HeldKey(row.pk, mine)


def _reused(key: str, row: Reply, call: Mapping[str, Any]) -> Problem:
    first = f"{row.method} {row.path}"
    same = (row.method, row.path) == (call["method"], call["path"])
    owner = f"an earlier {first} with another body" if same else f"another call ({first})"
    detail = f"{HEADER} {key} belongs to {owner}. Use a new key for each new call."
    return Problem(422, "key_reused", detail)


def _check_room(new: Reply) -> None:
    """Raise `Problem` (429) if the caller has too many keys, or too much text stored for them."""
    others = Reply.objects.filter(principal=new.principal, began_at__gte=_oldest()).exclude(pk=new.pk)
    held = others.aggregate(keys=Count("id"), size=Sum("size", default=0), oldest=Min("began_at"))
    most, room = settings.ENV.keys, settings.ENV.key_megabytes << 20
    if held["keys"] < most and held["size"] < room:
        return
    wait = max(1, ceil((held["oldest"] - _oldest()).total_seconds()))
    detail = (
        f"Answers to {held['keys']} of your calls with an {HEADER} are stored ({held['size']} characters). "
        f"The limit is {most} calls or {room} characters. Send the call without a key, or retry in {wait} s."
    )
    raise Problem(429, "too_many_keys", detail, headers={"Retry-After": str(wait)})


def _in_flight() -> Problem:
    detail = f"The first call with this {HEADER} is still running. Send the call again in one second."
    problem = conflict("in_flight", detail)
    problem.headers = {"Retry-After": "1"}
    return problem


def _keep(held: HeldKey, response: Response, secret: bool) -> None:
    body = "" if secret else JSONRenderer().render(response.data).decode()
    location = response.headers.get("Location", "")
    if not held.rows().update(status=response.status_code, location=location, body=body, size=len(body)):
        raise _in_flight()


def _again(row: Reply) -> Response:
    if not row.body and row.status != 204:
        made = row.location or row.path
        detail = (
            f"A call with the same {HEADER} has already created {made}. Its secret was shown once and is not "
            "stored; create another object with a new key."
        )
        raise conflict("shown_once", detail)
    headers = {REPLAYED: "true", **({"Location": row.location} if row.location else {})}
    data = json.loads(row.body) if row.body and row.status != 204 else None
    return Response(data, row.status, headers=headers)


def _digest(request: Request) -> str:
    """Return a keyed hash of the body, because a body may contain text that is easy to guess."""
    body = request._request.body
    return salted_hmac("tercast.replies", body, algorithm="sha256").hexdigest()
