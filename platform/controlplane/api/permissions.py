"""The one permission class: it decides by role, for every view of the API."""

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from controlplane.accounts.roles import Role, role_of

READ, WRITE = Role.VIEWER, Role.OPERATOR


class RolePermission(BasePermission):
    """Viewers read; operators also write; a view's `open` or `write_role` says otherwise."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the caller may use this method here."""
        if getattr(view, "open", False):
            return True
        needed = needed_role(request.method or "GET", view)
        role = role_of(request.user)
        if role < needed:
            self.message = (
                f"This needs the role {needed.name.lower()}; you have the role {role.name.lower()}. "
                "Ask an administrator for it."
            )
        return role >= needed


def needed_role(method: str, view: Any) -> Role:
    """The least role that may use `method` on `view` (a view or its class)."""
    if method in SAFE_METHODS:
        return READ
    return getattr(view, "write_role", WRITE)
