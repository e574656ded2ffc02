"""Roles: a viewer reads, an operator changes the network, an administrator manages users as well."""

import enum
from typing import Any


class Role(enum.IntEnum):
    """What someone may do; each role may do what the ones before it may."""

    NOBODY = 0
    VIEWER = 1
    OPERATOR = 2
    ADMINISTRATOR = 3


def role_of(user: Any) -> Role:
    """The role that a caller has: nobody's without log-in or standing, else `standing_role`."""
    if not user.is_authenticated or not user.is_active:
        return Role.NOBODY
    return standing_role(user)


def standing_role(user: Any) -> Role:
    """The highest role among the user's groups; superusers are administrators, others at least viewers."""
    if user.is_superuser:
        return Role.ADMINISTRATOR
    cached: Role | None = getattr(user, "_tercast_role", None)
    if cached is None:
        names = {group.name.upper() for group in user.groups.all()}
        cached = max((role for role in Role if role.name in names), default=Role.VIEWER)
        user._tercast_role = cached
    return max(cached, Role.VIEWER)
