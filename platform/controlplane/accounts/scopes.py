"""Scopes: what a token was issued for; it may do what its scopes say and the role of its user allows."""

import enum

from controlplane.accounts.roles import Role


class Scope(enum.StrEnum):
    """One thing that a token is good for; `client` stands alone, for one publisher or subscriber."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"
    CLIENT = "client"


ALL = (Scope.READ, Scope.WRITE, Scope.ADMIN)
"""Everything that a user may do."""

BY_ROLE = {Role.VIEWER: Scope.READ, Role.OPERATOR: Scope.WRITE, Role.ADMINISTRATOR: Scope.ADMIN}
"""The scope that what needs a role needs as well."""


def scopes_of(role: Role) -> tuple[Scope, ...]:
    """All scopes that mean something to a user of this role."""
    return tuple(scope for needed, scope in BY_ROLE.items() if needed <= role)
