"""Roles: viewers read, operators change the network, administrators also manage users."""

import enum
from typing import Any


class Role(enum.IntEnum):
    """Role of a user. Each role includes the permissions of the roles before it."""

    NOBODY = 0
    VIEWER = 1
    OPERATOR = 2
    ADMINISTRATOR = 3


def role_of(user: Any) -> Role:
    """Return the role of a caller; `NOBODY` if unauthenticated or inactive."""
    if not user.is_authenticated or not user.is_active:
        return Role.NOBODY
    return standing_role(user)


def standing_role(user: Any) -> Role:
    """Return the highest role of the user's groups, at least viewer; for superusers the top."""
    if user.is_superuser:
        return Role.ADMINISTRATOR
    cached: Role | None = getattr(user, "_tercast_role", None)
    if cached is None:
        names = {group.name.upper() for group in user.groups.all()}
        cached = max((role for role in Role if role.name in names), default=Role.VIEWER)
        user._tercast_role = cached
    return max(cached, Role.VIEWER)
