"""Serializers of access tokens and users."""

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.accounts.login import MAX_PASSWORD
from controlplane.accounts.models import Token
from controlplane.accounts.roles import standing_role
from controlplane.accounts.scopes import Scope
from controlplane.accounts.users import ROLES
from controlplane.registry.client_tokens import MAX_NAME, STANDINGS
from controlplane.rest.base_views import url
from controlplane.rest.fields import Choice, Flag, Name, Reference, Secret, Text, Time

_SCRIPT = {"name": "nightly report", "scopes": ["read"], "expires_at": "2030-01-01T00:00:00Z"}
_LAPTOP = {"name": "alice's laptop", "subscriber": "alice"}
_OLGA = {"username": "olga", "role": "operator", "password": "correct horse battery"}
SCOPES = tuple(scope.value for scope in Scope)


class TokenSerializer(serializers.Serializer[Any]):
    """Access token, without its text."""

    id = serializers.IntegerField()
    url = serializers.SerializerMethodField()
    name = serializers.CharField()
    user = serializers.CharField(source="user.username", help_text="user that owns the token")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES))
    publisher = serializers.CharField(
        source="publisher.name", allow_null=True, default=None, help_text="publisher of a client token"
    )
    subscriber = serializers.CharField(
        source="subscriber.name", allow_null=True, default=None, help_text="subscriber of a client token"
    )
    standing = serializers.ChoiceField(
        choices=STANDINGS, help_text="whether the token is valid, and if not, why"
    )
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True, help_text="end of validity; null: never")
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="last use, to the minute")
    revoked_at = serializers.DateTimeField(allow_null=True, help_text="time of the revocation")

    def get_url(self, row: Token) -> str:
        """Address of the token."""
        return url("tokens", row.pk)


class TokenIssuedSerializer(TokenSerializer):
    """New access token, with its text."""

    token = serializers.CharField(help_text="text of the token; it is not stored and cannot be shown again")


class ScopesField(serializers.ListField):
    """List of scopes without repetition."""

    def to_internal_value(self, data: Any) -> list[str]:
        """Return the scopes in order, each once."""
        if not isinstance(data, list):
            raise serializers.ValidationError("The value is not a list; give a list of scopes.", "wrong_type")
        return list(dict.fromkeys(super().to_internal_value(data)))


@extend_schema_serializer(examples=[OpenApiExample("script", _SCRIPT), OpenApiExample("client", _LAPTOP)])
class TokenCreateSerializer(serializers.Serializer[Any]):
    """Access token to create."""

    name = Text(max_length=MAX_NAME, help_text="purpose of the token")
    scopes = ScopesField(
        child=Choice(SCOPES),
        required=False,
        help_text="permissions of the token, within the user's role; default: all scopes of the caller",
    )
    publisher = Reference(required=False, help_text="publisher; the token is valid only for it")
    subscriber = Reference(required=False, help_text="subscriber; the token is valid only for it")
    expires_at = Time(required=False, allow_null=True, help_text="end of validity; default: never")
    user = Reference(required=False, help_text="owner (administrators only); default: the caller")


@extend_schema_field(serializers.ChoiceField(choices=ROLES))
class RoleField(serializers.ReadOnlyField):
    """Role of a user."""

    def to_representation(self, value: User) -> str:
        """Return the name of the role."""
        return standing_role(value).name.lower()


class UserSerializer(serializers.Serializer[Any]):
    """User of the platform."""

    id = serializers.IntegerField()
    url = serializers.SerializerMethodField()
    username = serializers.CharField()
    role = RoleField(source="*", help_text="role; an inactive user keeps it")
    active = serializers.BooleanField(source="is_active")
    has_password = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField(source="date_joined")
    last_login = serializers.DateTimeField(allow_null=True)

    def get_url(self, row: User) -> str:
        """Address of the user."""
        return url("users", row.pk)

    def get_has_password(self, row: User) -> bool:
        """Whether the user can log in with a password. Users without a password have only tokens."""
        return row.has_usable_password()


@extend_schema_serializer(examples=[OpenApiExample("user", _OLGA)])
class UserCreateSerializer(serializers.Serializer[Any]):
    """User to create."""

    username = Name(max_length=150)
    role = Choice(ROLES)
    password = Secret(required=False, max_length=MAX_PASSWORD, help_text="password; without it: only tokens")
    active = Flag(
        required=False, help_text="false: the user cannot log in, and the user's tokens do not work"
    )


class UserChangeSerializer(serializers.Serializer[Any]):
    """Changes of a user."""

    role = Choice(ROLES, required=False)
    password = Secret(
        required=False,
        allow_null=True,
        max_length=MAX_PASSWORD,
        help_text="new password, which ends the user's sessions; null: only tokens",
    )
    active = Flag(
        required=False, help_text="false: the user cannot log in, and the user's tokens do not work"
    )


class OwnPasswordSerializer(serializers.Serializer[Any]):
    """Change of the caller's own password."""

    current = Secret(max_length=MAX_PASSWORD, help_text="present password")
    password = Secret(max_length=MAX_PASSWORD, help_text="new password; it ends all other sessions")
