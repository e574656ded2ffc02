"""Who calls, and what the caller may do: the role of the user, within the scopes of the token."""

from dataclasses import dataclass
from typing import Any

from controlplane.accounts.models import Token
from controlplane.accounts.roles import Role, role_of
from controlplane.accounts.scopes import ALL, Scope

PUBLISHER, SUBSCRIBER = "publisher", "subscriber"


@dataclass(frozen=True, slots=True)
class Client:
    """The publisher or subscriber that a client token is good for; `host` is where it is."""

    kind: str
    pk: int
    name: str
    host_id: int
    host: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.pk}"


@dataclass(frozen=True, slots=True)
class Caller:
    """A user with a role and the scopes of its log-in; `client` where a client token speaks for one alone."""

    role: Role
    scopes: frozenset[str]
    client: Client | None

    def has(self, role: Role, scope: Scope) -> bool:
        """Whether it has the role, and the scope to use it."""
        return self.client is None and self.role >= role and scope in self.scopes


def caller_of(request: Any) -> Caller:
    """The caller of a request of the REST framework."""
    token = request.auth if isinstance(request.auth, Token) else None
    scopes = frozenset(ALL if token is None else token.scopes)
    return Caller(role_of(request.user), scopes, None if token is None else client_of(token))


def client_of(token: Token) -> Client | None:
    """Whom the token is good for; None for a token of a user's."""
    one = token.client
    if one is None:
        return None
    kind = PUBLISHER if token.publisher_id is not None else SUBSCRIBER
    return Client(kind, one.pk, one.name, one.host_id, one.host.name)


def principal(request: Any) -> str:
    """A name for whom limits and keys are bound to: a token, a user, or an address without log-in."""
    if isinstance(getattr(request, "auth", None), Token):
        return f"token:{request.auth.pk}"
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return f"user:{user.pk}"
    return f"address:{address_of(request)}"


def owner_of(request: Any) -> str:
    """Name the publisher, subscriber or user that calls, whichever of its tokens it uses."""
    client = caller_of(request).client
    return f"user:{request.user.pk}" if client is None else str(client)


def address_of(request: Any) -> str:
    """The address that a call came from, as the server has it."""
    return str(request.META.get("REMOTE_ADDR") or "")[:45]
