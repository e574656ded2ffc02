"""Callers and their permissions: the role of the user, within the scopes of the token."""

from dataclasses import dataclass
from typing import Any

from controlplane.accounts.models import Token
from controlplane.accounts.roles import Role, role_of
from controlplane.accounts.scopes import ALL, Scope

PUBLISHER, SUBSCRIBER = "publisher", "subscriber"


@dataclass(frozen=True, slots=True)
class Client:
    """Publisher or subscriber of a client token, with its host."""

    kind: str
    pk: int
    name: str
    host_id: int
    host: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.pk}"


@dataclass(frozen=True, slots=True)
class Caller:
    """User with a role and scopes. `client` is set for a client token."""

    role: Role
    scopes: frozenset[str]
    client: Client | None

    def has(self, role: Role, scope: Scope) -> bool:
        """Whether the caller has the role, and the scope to use it."""
        return self.client is None and self.role >= role and scope in self.scopes


def caller_of(request: Any) -> Caller:
    """Return the caller of a request of the REST framework."""
    token = request.auth if isinstance(request.auth, Token) else None
    scopes = frozenset(ALL if token is None else token.scopes)
    return Caller(role_of(request.user), scopes, None if token is None else client_of(token))


def client_of(token: Token) -> Client | None:
    """Return the client of a token; None for a user's token."""
    one = token.client
    if one is None:
        return None
    kind = PUBLISHER if token.publisher_id is not None else SUBSCRIBER
    return Client(kind, one.pk, one.name, one.host_id, one.host.name)


def principal(request: Any) -> str:
    """Return the name that limits and idempotency keys apply to: a token, a user, or an address."""
    if isinstance(getattr(request, "auth", None), Token):
        return f"token:{request.auth.pk}"
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return f"user:{user.pk}"
    return f"address:{address_of(request)}"


def owner_of(request: Any) -> str:
    """Return the publisher, subscriber or user that calls, whichever of its tokens it uses."""
    client = caller_of(request).client
    return f"user:{request.user.pk}" if client is None else str(client)


def address_of(request: Any) -> str:
    """Return the source address of a call, as the server reports it."""
    return str(request.META.get("REMOTE_ADDR") or "")[:45]
