"""Creation of tokens by the API. A token never permits more than the caller's own log-in."""

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
"""Maximum characters of a token's name."""

MOST = 1000
"""Maximum number of valid tokens of a user."""


@dataclass(frozen=True, slots=True)
class Issued:
    """Token with its text."""

    token: Token
    text: str


def with_standing() -> QuerySet[Any]:
    """Return all tokens, each annotated with its `standing`."""
    standing = Case(
        When(revoked_at__isnull=False, then=Value("revoked")),
        When(expires_at__lte=timezone.now(), then=Value("expired")),
        default=Value("good"),
    )
    rows: QuerySet[Any] = Token.objects.select_related("user", PUBLISHER, SUBSCRIBER)
    found: QuerySet[Any] = rows.annotate(standing=standing)
    return found


def issue(body: Body, caller: Caller, user: Any, own: Token | None) -> Issued:
    """Create a token as the caller requests it.

    `own` is the token that the caller uses, None for a session.

    Raises:
        Problem: 400 with all invalid values, 403 for permissions that the caller cannot give, 409 if the
            user has too many valid tokens.
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
        detail = f"{owner.username} has {good} valid tokens; the limit is {MOST}. Revoke some first."
        raise Problem(409, "too_many", detail)
    return Issued(token, new_token(token, scopes))


def _owner(name: str | None, caller: Caller, user: Any, errors: Errors) -> User | None:
    if name is None or name == user.username:
        found: User = user
        return found
    if not caller.has(Role.ADMINISTRATOR, Scope.ADMIN):
        raise forbidden("/user", "Only administrators create tokens for other users. Omit `user`.", name)
    owner = User.objects.filter(username=name).first()
    if owner is None:
        detail = f"There is no user {shown(name)}. Use the name of an existing user."
        errors.add(0, ("user",), "unknown_user", detail, name)
    return owner


def _scopes(asked: list[str] | None, caller: Caller, role: Role, errors: Errors) -> list[str]:
    """Return the requested scopes, by default those of the caller that the owner's role can use."""
    if asked is None:
        return [scope for scope in scopes_of(role) if scope in caller.scopes]
    if not asked:
        detail = "The list of scopes is empty, so the token would permit nothing. Name at least one."
        errors.add(0, ("scopes",), "empty", detail)
    if Scope.CLIENT in asked:
        detail = "The scope client is only for tokens with `publisher` or `subscriber`. Omit `scopes`."
        errors.add(0, ("scopes",), "not_a_choice", detail, Scope.CLIENT.value)
    beyond = sorted(set(asked) - caller.scopes - {Scope.CLIENT})
    if beyond:
        missing = ", ".join(beyond)
        detail = f"Your token does not have the scope {missing}, so you cannot give it to a token. Omit it."
        raise forbidden("/scopes", detail, beyond[0])
    return [scope for scope in Scope if scope in asked]


def _clients(values: dict[str, Any]) -> list[str]:
    return [kind for kind in (PUBLISHER, SUBSCRIBER) if values.get(kind) is not None]


def _client(token: Token, values: dict[str, Any], caller: Caller, errors: Errors) -> list[str]:
    """Bind the token to the named client, and return its scopes; return none without a client."""
    named = _clients(values)
    if not named:
        return []
    if len(named) > 1 or values.get("scopes") is not None:
        detail = (
            "Give only one of `publisher`, `subscriber` and `scopes`: a client token is for one client only."
        )
        errors.add(0, (named[0],), "not_alone", detail, values[named[0]])
    kind = named[0]
    if not caller.has(Role.OPERATOR, Scope.WRITE):
        detail = "Client tokens require the role operator and the scope write. Ask an operator to create one."
        raise forbidden(f"/{kind}", detail, values[kind])
    if role_of(token.user) < Role.OPERATOR:
        owner = token.user.username
        detail = f"{owner} may not write, so client tokens of this user would not work. Use another `user`."
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
        detail = f"{shown_time} is in the past. Give a time in the future, or omit `expires_at`."
        errors.add(0, ("expires_at",), "out_of_range", detail, shown_time)
    limit = None if own is None else own.expires_at
    if limit is not None and (token.expires_at is None or token.expires_at > limit):
        detail = (
            f"Your own token expires at {limit.isoformat()}. A new token must not expire later than that."
        )
        raise forbidden("/expires_at", detail, None if token.expires_at is None else shown_time)


def forbidden(pointer: str, detail: str, value: object) -> Problem:
    """Return the problem 403 for a value that the caller may not give."""
    return Problem(403, "forbidden", detail, (FieldError(pointer, "forbidden", detail, value),))
