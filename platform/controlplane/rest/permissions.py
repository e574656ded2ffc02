"""The one permission class: it decides by role, scope and client, for every view of the API."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from controlplane.accounts.callers import PUBLISHER, SUBSCRIBER, Caller, caller_of
from controlplane.accounts.roles import Role
from controlplane.accounts.scopes import BY_ROLE, Scope

READ, WRITE = Role.VIEWER, Role.OPERATOR

Clients = Mapping[str, frozenset[str]]
"""Methods of a view that client tokens may use, by kind of client."""

GET = frozenset({"GET"})
BOTH_READ: Clients = {PUBLISHER: GET, SUBSCRIBER: GET}


@dataclass(frozen=True, slots=True)
class Need:
    """What a method of a view takes: a role, and a scope where the caller is a token."""

    role: Role
    scope: Scope


class RolePermission(BasePermission):
    """Viewers read, operators write, unless a view's `open`, `read_role`, `write_role`, `write_scope` differ.

    Client tokens may do what the view's `clients` names and nothing else; views narrow that to their own.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the caller may use this method here."""
        refusal = refused(caller_of(request), request.method or "GET", view)
        if refusal is not None:
            self.message = refusal
        return refusal is None


def refused(caller: Caller, method: str, view: Any) -> str | None:
    """Why the caller may not use `method` on `view` (a view or its class); None when it may."""
    if getattr(view, "open", False):
        return None
    if caller.client is not None:
        return _client_refused(caller, method, view)
    need = needed(method, view)
    remedy = getattr(view, "remedy", "")
    if caller.role < need.role:
        return (
            f"This needs the role {need.role.name.lower()}; you have the role {caller.role.name.lower()}. "
            + (remedy or "Ask an administrator for it.")
        )
    if need.scope not in caller.scopes:
        return (
            f"This needs a token with the scope {need.scope}; yours has {', '.join(sorted(caller.scopes))}. "
            + (remedy or "Issue another.")
        )
    return None


def _client_refused(caller: Caller, method: str, view: Any) -> str | None:
    assert caller.client is not None
    kind = caller.client.kind
    if Scope.CLIENT not in caller.scopes or caller.role < Role.OPERATOR:
        return "The user of this token may not write any more; its client tokens are good for nothing."
    clients: Clients = getattr(view, "clients", {})
    method = "GET" if method in SAFE_METHODS else method
    if method in clients.get(kind, ()):
        return None
    return f"This token is good for the {kind} {caller.client.name} alone, which has no use for this."


def needed(method: str, view: Any) -> Need:
    """The least role that may use `method` on `view` (a view or its class), and the scope."""
    if method in SAFE_METHODS:
        role = getattr(view, "read_role", READ)
        return Need(role, BY_ROLE[role])
    role = getattr(view, "write_role", WRITE)
    return Need(role, getattr(view, "write_scope", BY_ROLE[role]))
