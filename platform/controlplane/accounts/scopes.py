"""Scopes of tokens. A token permits what its scopes name and the role of its user allows."""

import enum

from controlplane.accounts.roles import Role


class Scope(enum.StrEnum):
    """Permission of a token. `client` is for one publisher or subscriber, without other scopes."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"
    CLIENT = "client"


ALL = (Scope.READ, Scope.WRITE, Scope.ADMIN)
"""All scopes of a user."""

BY_ROLE = {Role.VIEWER: Scope.READ, Role.OPERATOR: Scope.WRITE, Role.ADMINISTRATOR: Scope.ADMIN}
"""Scope that a call needs in addition to a role, by role."""


def scopes_of(role: Role) -> tuple[Scope, ...]:
    """Return all scopes that a user of this role can use."""
    return tuple(scope for needed, scope in BY_ROLE.items() if needed <= role)
