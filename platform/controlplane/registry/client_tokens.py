"""Tokens as the API issues them: never for more than the caller's own log-in is good for."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, QuerySet, Value, When
from django.utils import timezone

from controlplane.accounts.callers import PUBLISHER, SUBSCRIBER, Caller
from controlplane.accounts.models import Token
from controlplane.accounts.roles import Role, role_of
from controlplane.accounts.scopes import Scope, scopes_of
from controlplane.accounts.tokens import new_token
from controlplane.common.problems import FieldError, Problem
from controlplane.registry.models import Publisher, Subscriber
from controlplane.rest.request_body import Body, Errors
from tercast.errors import shown

STANDINGS = ("good", "expired", "revoked")
MAX_NAME = 100
"""Characters of what a token is for."""

MOST = 1000
"""How many good tokens a user may have at a time."""


@dataclass(frozen=True, slots=True)
class Issued:
    """A token and its text."""

    token: Token
    text: str


def with_standing() -> QuerySet[Any]:
    """All tokens, each with its `standing`."""
    standing = Case(
        When(revoked_at__isnull=False, then=Value("revoked")),
        When(expires_at__lte=timezone.now(), then=Value("expired")),
        default=Value("good"),
    )
    rows: QuerySet[Any] = Token.objects.select_related("user", PUBLISHER, SUBSCRIBER)
    found: QuerySet[Any] = rows.annotate(standing=standing)
    return found


def issue(body: Body, caller: Caller, user: Any, own: Token | None) -> Issued:
    """Issue a token by the caller's wish; `own` is the token that it is logged in with.

    Raises `Problem` (400 with all bad values, 403 for what the caller may not give).
    """
    values, errors = body.items[0], body.errors
    owner = _owner(values.get("user"), caller, user, errors)
    token = Token(user=owner or user, name=values.get("name", ""), expires_at=values.get("expires_at"))
    scopes = _client(token, values, caller, errors)
    if not _clients(values):
        scopes = _scopes(values.get("scopes"), caller, role_of(token.user), errors)
    _check_expiry(token, own, errors)
    errors.check()
    owner = token.user
    good = with_standing().filter(user=owner, standing="good").count()
    if good >= MOST:
        detail = f"{owner.username} has {good} tokens that are good; {MOST} are the most. Revoke some first."
        raise Problem(409, "too_many", detail)
    return Issued(token, new_token(token, scopes))


def _owner(name: str | None, caller: Caller, user: Any, errors: Errors) -> User | None:
    if name is None or name == user.username:
        found: User = user
        return found
    if not caller.has(Role.ADMINISTRATOR, Scope.ADMIN):
        raise forbidden("/user", "Only administrators issue tokens of other users. Leave `user` out.", name)
    owner = User.objects.filter(username=name).first()
    if owner is None:
        errors.add(0, ("user",), "unknown_user", f"There is no user {shown(name)}.", name)
    return owner


def _scopes(asked: list[str] | None, caller: Caller, role: Role, errors: Errors) -> list[str]:
    """The scopes asked for, or all that the caller has and the owner's role gives a meaning to."""
    if asked is None:
        return [scope for scope in scopes_of(role) if scope in caller.scopes]
    if not asked:
        errors.add(0, ("scopes",), "empty", "A token without a scope is good for nothing.")
    if Scope.CLIENT in asked:
        detail = "The scope client comes with `publisher` or `subscriber`, and alone. Leave `scopes` out."
        errors.add(0, ("scopes",), "not_a_choice", detail, Scope.CLIENT.value)
    beyond = sorted(set(asked) - caller.scopes - {Scope.CLIENT})
    if beyond:
        detail = f"Your own token has not the scope {', '.join(beyond)}, so that no other can have it of you."
        raise forbidden("/scopes", detail, beyond[0])
    return [scope for scope in Scope if scope in asked]


def _clients(values: dict[str, Any]) -> list[str]:
    return [kind for kind in (PUBLISHER, SUBSCRIBER) if values.get(kind) is not None]


def _client(token: Token, values: dict[str, Any], caller: Caller, errors: Errors) -> list[str]:
    """Bind the token to the client that is named; its scopes, or none where there is no client."""
    named = _clients(values)
    if not named:
        return []
    if len(named) > 1 or values.get("scopes") is not None:
        detail = "A client token has one publisher or one subscriber, and no scopes. Name one alone."
        errors.add(0, (named[0],), "not_alone", detail, values[named[0]])
    kind = named[0]
    if not caller.has(Role.OPERATOR, Scope.WRITE):
        detail = "Only who may write (role operator, scope write) issues tokens of clients."
        raise forbidden(f"/{kind}", detail, values[kind])
    if role_of(token.user) < Role.OPERATOR:
        detail = f"{token.user.username} may not write; client tokens of that user were good for nothing."
        raise forbidden(f"/{kind}", detail, values[kind])
    model: Any = Publisher if kind == PUBLISHER else Subscriber
    row = model.objects.filter(name=values[kind]).first()
    if row is None:
        detail = f"There is no {kind} {shown(values[kind])}. Register it first."
        errors.add(0, (kind,), f"unknown_{kind}", detail, values[kind])
    setattr(token, kind, row)
    return [Scope.CLIENT]


def _check_expiry(token: Token, own: Token | None, errors: Errors) -> None:
    shown_time = str(token.expires_at)
    if token.expires_at is not None and token.expires_at <= timezone.now():
        detail = f"{shown_time} is over. Give a time to come, or leave it out."
        errors.add(0, ("expires_at",), "out_of_range", detail, shown_time)
    limit = None if own is None else own.expires_at
    if limit is not None and (token.expires_at is None or token.expires_at > limit):
        detail = f"Your own token expires at {limit.isoformat()}; one that it issues cannot outlive it."
        raise forbidden("/expires_at", detail, None if token.expires_at is None else shown_time)


def forbidden(pointer: str, detail: str, value: object) -> Problem:
    """403 for a value that the caller may not give."""
    return Problem(403, "forbidden", detail, (FieldError(pointer, "forbidden", detail, value),))
