"""Permission class for every view of the API. It decides by role, scope and client."""

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
class AccessRequirement:
    """Requirements of a method of a view: a role, and a scope if the caller uses a token."""

    role: Role
    scope: Scope


class RolePermission(BasePermission):
    """Permission by role: viewers read and operators write, unless the view has other roles.

    A view declares them with `open`, `read_role`, `write_role` and `write_scope`. Client tokens may use only
    the methods in the view's `clients`. Views restrict them further to their own objects.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the caller may use this method here."""
        refusal = refused(caller_of(request), request.method or "GET", view)
        if refusal is not None:
            self.message = refusal
        return refusal is None


def refused(caller: Caller, method: str, view: Any) -> str | None:
    """Return why the caller may not use `method` on `view` (view or class); None if it may."""
    if getattr(view, "open", False):
        return None
    if caller.client is not None:
        return _client_refused(caller, method, view)
    need = needed(method, view)
    remedy = getattr(view, "remedy", "")
    if caller.role < need.role:
        return (
            f"This call needs the role {need.role.name.lower()}; your role is {caller.role.name.lower()}. "
            + (remedy or "Ask an administrator for the role.")
        )
    if need.scope not in caller.scopes:
        return (
            f"This call needs a token with the scope {need.scope}; "
            f"your token has {', '.join(sorted(caller.scopes))}. "
            + (remedy or "Create a token with this scope.")
        )
    return None


def _client_refused(caller: Caller, method: str, view: Any) -> str | None:
    assert caller.client is not None
    kind = caller.client.kind
    if Scope.CLIENT not in caller.scopes or caller.role < Role.OPERATOR:
        return (
            "The user of this client token has no permission to write, so the token is not valid. "
            "Ask an administrator for the role operator."
        )
    clients: Clients = getattr(view, "clients", {})
    method = "GET" if method in SAFE_METHODS else method
    if method in clients.get(kind, ()):
        return None
    return (
        f"This client token is valid only for the {kind} {caller.client.name}, which may not make this call. "
        "Use a token of a user."
    )


def needed(method: str, view: Any) -> AccessRequirement:
    """Return the lowest role that may use `method` on `view` (view or class), and the scope."""
    if method in SAFE_METHODS:
        role = getattr(view, "read_role", READ)
        return AccessRequirement(role, BY_ROLE[role])
    role = getattr(view, "write_role", WRITE)
    return AccessRequirement(role, getattr(view, "write_scope", BY_ROLE[role]))
