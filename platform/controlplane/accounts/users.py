"""Creation and changes of users. At least one administrator always remains."""

from typing import Any

from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q

from controlplane.accounts.roles import Role
from controlplane.common.problems import FieldError, conflict, invalid, no_such
from tercast.errors import shown

ADMINISTRATORS = Q(is_active=True) & (Q(is_superuser=True) | Q(groups__name=Role.ADMINISTRATOR.name.lower()))
ROLES = tuple(role.name.lower() for role in Role if role)


def creation_errors(values: dict[str, Any]) -> list[FieldError]:
    """Return the errors in the name and the password of a new user."""
    name = values.get("username")
    errors = []
    if name is not None and User.objects.filter(username=name).exists():
        detail = f"username {shown(name)} is already used by another user. Use another value."
        errors.append(FieldError("/username", "not_unique", detail, name))
    return errors + password_errors(User(username=name or ""), values.get("password"))


def add(values: dict[str, Any]) -> User:
    """Create a user with a role, from values without errors."""
    user = User(username=values["username"], is_active=values.get("active", True))
    _set_password(user, values.get("password"))
    with transaction.atomic():
        user.save()
        _set_role(user, values["role"])
    return user


def change(pk: int, values: dict[str, Any], actor: Any) -> User:
    """Change role, `active` or password.

    Raises:
        Problem: 404 if the user does not exist, 409 if the change would lock out the caller or the last
            administrator.
    """
    with transaction.atomic():
        locked = User.objects.select_for_update().filter(pk__in=_administrators()).order_by("pk")
        administrators = {row.pk for row in locked}
        user = User.objects.select_for_update().filter(pk=pk).first()
        if user is None:
            raise no_such("user", pk)
        stays = values.get("role", "administrator") == "administrator" and values.get("active", True)
        if pk in administrators and not stays:
            _check_left(user, administrators, actor)
        if "password" in values:
            _set_password(user, values["password"])
        user.is_active = values.get("active", user.is_active)
        user.save()
        if "role" in values:
            _set_role(user, values["role"])
    return user


def _administrators() -> list[int]:
    return list(User.objects.filter(ADMINISTRATORS).values_list("pk", flat=True).distinct())


def _check_left(user: User, administrators: set[int], actor: Any) -> None:
    if user.pk == actor.pk:
        detail = "This change would lock you out. Ask another administrator to make it."
        raise conflict("locks_out", detail)
    if administrators == {user.pk}:
        raise conflict(
            "last_administrator",
            f"{user.username} is the last administrator. Make another user an administrator first.",
        )


def set_own_password(user: User, password: str) -> None:
    """Change the password of the caller; raise `Problem` if the new one is weak."""
    errors = password_errors(user, password)
    if errors:
        raise invalid(errors)
    _set_password(user, password)
    with transaction.atomic():
        user.save(update_fields=("password",))


def password_errors(user: User, password: str | None) -> list[FieldError]:
    """Return an error for each rule that a new password of `user` breaks."""
    if password is None:
        return []
    try:
        validate_password(password, user)
    except ValidationError as error:
        texts = [f"{text} Choose another password." for text in error.messages]
        return [FieldError("/password", "weak_password", text) for text in texts]
    return []


def _set_password(user: User, password: str | None) -> None:
    if password is None:
        user.set_unusable_password()
    else:
        user.set_password(password)


def _set_role(user: User, role: str) -> None:
    """Set the role group. Only administrators keep their access to Django's admin pages."""
    wanted, _ = Group.objects.get_or_create(name=role)
    user.groups.remove(*Group.objects.filter(name__in=ROLES).exclude(pk=wanted.pk))
    user.groups.add(wanted)
    if role != Role.ADMINISTRATOR.name.lower() and (user.is_staff or user.is_superuser):
        user.is_staff = user.is_superuser = False
        user.save(update_fields=("is_staff", "is_superuser"))
    if hasattr(user, "_tercast_role"):
        del user._tercast_role
