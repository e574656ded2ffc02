"""`Idempotency-Key`: a call is carried out once, and its answer kept in the transaction that did it."""

import json
import re
import secrets
from collections.abc import Callable
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

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
GIVEN_UP = timedelta(minutes=5)
"""After so long without an end a call is taken for dead; should it live, it commits nothing any more."""

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True, slots=True)
class HeldKey:
    """The right to carry out the call of a key."""

    pk: int
    attempt: str

    def rows(self) -> Any:
        """The row of the call, as long as the right is this one's."""
        return Reply.objects.filter(pk=self.pk, attempt=self.attempt, status=None)


def key_of(request: Request) -> str | None:
    """The key that a call came with; raises `Problem` for one that cannot be."""
    key = request.headers.get(HEADER)
    if key is not None and not _KEY.fullmatch(key):
        detail = f"{HEADER} has 1 to 255 visible ASCII characters. Use, say, a UUID."
        raise bad_parameter(HEADER, "bad_key", detail, key[:100])
    return key


def once(request: Request, key: str, secret: bool, act: Callable[[], Response]) -> Response:
    """The answer of `act`, or the one that an earlier call with the key got; `act` is in a transaction.

    Raises `Problem`: 409 while the first call is in flight, 422 when the key came with another call. A call
    that was refused changed nothing, and its key is free again.
    """
    held = _hold(request, key)
    if isinstance(held, Reply):
        return _again(held)
    try:
        with transaction.atomic():
            if not held.rows().select_for_update().exists():
                raise _in_flight()
            response = act()
            _keep(held, response, secret)
    except BaseException:
        held.rows().delete()
        raise
    return response


def keep_end(request: Request, key: str, response: Response) -> None:
    """Keep the answer that a caller waited for, in place of the first one."""
    rows = Reply.objects.filter(principal=principal(request), key=key).exclude(body="")
    body = JSONRenderer().render(response.data).decode()
    rows.update(body=body, size=len(body))


def prune() -> None:
    """Forget keys that are older than they are kept."""
    Reply.objects.filter(began_at__lt=_oldest()).delete()


def _oldest() -> Any:
    return timezone.now() - timedelta(hours=settings.ENV.key_hours)


def _hold(request: Request, key: str) -> HeldKey | Reply:
    """The right to carry the call out, or the answer of who did."""
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
    if row is None:  # the first one was refused meanwhile
        raise _in_flight()
    if any(getattr(row, name) != value for name, value in call.items()):
        came = f"{HEADER} {key} came with another call ({row.method} {row.path})"
        raise Problem(422, "key_reused", f"{came}. Use a new key for a new call.")
    if row.status is not None:
        return row
    given_up = clock.over("began_at", GIVEN_UP, timezone.now())
    dead = Reply.objects.filter(given_up, pk=row.pk, attempt=row.attempt, status=None)
    if not dead.update(attempt=mine, began_at=timezone.now()):
        raise _in_flight()
    return HeldKey(row.pk, mine)


def _check_room(new: Reply) -> None:
    """Raise `Problem` (429) where the caller had as many keys, or as much kept for them, as there may be."""
    others = Reply.objects.filter(principal=new.principal, began_at__gte=_oldest()).exclude(pk=new.pk)
    held = others.aggregate(keys=Count("id"), size=Sum("size", default=0), oldest=Min("began_at"))
    most, room = settings.ENV.keys, settings.ENV.key_megabytes << 20
    if held["keys"] < most and held["size"] < room:
        return
    wait = max(1, ceil((held["oldest"] - _oldest()).total_seconds()))
    detail = (
        f"Answers to {held['keys']} calls of yours with an {HEADER} are kept, of {held['size']} characters; "
        f"{most} calls and {room} characters are the most. Call without a key, or in {wait} seconds."
    )
    raise Problem(429, "too_many_keys", detail, headers={"Retry-After": str(wait)})


def _in_flight() -> Problem:
    detail = f"The first call with this {HEADER} is still in flight. Ask again in a second."
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
            f"{made} was made with the same {HEADER}. What it showed once is not kept; "
            "make another one with a new key."
        )
        raise conflict("shown_once", detail)
    headers = {REPLAYED: "true", **({"Location": row.location} if row.location else {})}
    data = json.loads(row.body) if row.body and row.status != 204 else None
    return Response(data, row.status, headers=headers)


def _digest(request: Request) -> str:
    """Keyed, since bodies may hold what is easily guessed."""
    body = request._request.body
    return salted_hmac("tercast.replies", body, algorithm="sha256").hexdigest()
