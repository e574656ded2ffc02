"""Tokens and users, as the API reads and shows them."""

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.accounts.login import MAX_PASSWORD
from controlplane.accounts.models import Token
from controlplane.accounts.roles import standing_role
from controlplane.accounts.scopes import Scope
from controlplane.registry.client_tokens import MAX_NAME, STANDINGS
from controlplane.rest.base_views import url
from controlplane.rest.fields import Choice, Flag, Name, Reference, Secret, Text, Time
from controlplane.web.accounts.user_changes import ROLES

_SCRIPT = {"name": "nightly report", "scopes": ["read"], "expires_at": "2030-01-01T00:00:00Z"}
_LAPTOP = {"name": "alice's laptop", "subscriber": "alice"}
_OLGA = {"username": "olga", "role": "operator", "password": "correct horse battery"}
SCOPES = tuple(scope.value for scope in Scope)


class TokenSerializer(serializers.Serializer[Any]):
    """A token, without its text."""

    id = serializers.IntegerField()
    url = serializers.SerializerMethodField()
    name = serializers.CharField()
    user = serializers.CharField(source="user.username")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES))
    publisher = serializers.CharField(source="publisher.name", allow_null=True, default=None)
    subscriber = serializers.CharField(source="subscriber.name", allow_null=True, default=None)
    standing = serializers.ChoiceField(choices=STANDINGS)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="to the minute or so")
    revoked_at = serializers.DateTimeField(allow_null=True)

    def get_url(self, row: Token) -> str:
        """Where it can be read again."""
        return url("tokens", row.pk)


class TokenIssuedSerializer(TokenSerializer):
    """A new token, with its text."""

    token = serializers.CharField(help_text="the text; it is not kept and cannot be shown again")


class ScopesField(serializers.ListField):
    """Scopes, each at most once."""

    def to_internal_value(self, data: Any) -> list[str]:
        """The scopes."""
        if not isinstance(data, list):
            raise serializers.ValidationError("This is not a list of scopes.", "wrong_type")
        return list(dict.fromkeys(super().to_internal_value(data)))


@extend_schema_serializer(examples=[OpenApiExample("script", _SCRIPT), OpenApiExample("client", _LAPTOP)])
class TokenCreateSerializer(serializers.Serializer[Any]):
    """A new token."""

    name = Text(max_length=MAX_NAME, help_text="what it is for")
    scopes = ScopesField(
        child=Choice(SCOPES),
        required=False,
        help_text="what it is good for, within the role; all that the caller has when left out",
    )
    publisher = Reference(required=False, help_text="a publisher: the token is good for it alone")
    subscriber = Reference(required=False, help_text="a subscriber: the token is good for it alone")
    expires_at = Time(required=False, allow_null=True, help_text="never when left out")
    user = Reference(required=False, help_text="whose it is (administrators only); by default the caller's")


@extend_schema_field(serializers.ChoiceField(choices=ROLES))
class RoleField(serializers.ReadOnlyField):
    """The role of a user."""

    def to_representation(self, value: User) -> str:
        """Its name."""
        return standing_role(value).name.lower()


class UserSerializer(serializers.Serializer[Any]):
    """A user."""

    id = serializers.IntegerField()
    url = serializers.SerializerMethodField()
    username = serializers.CharField()
    role = RoleField(source="*", help_text="whoever is not active has it no less")
    active = serializers.BooleanField(source="is_active")
    has_password = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField(source="date_joined")
    last_login = serializers.DateTimeField(allow_null=True)

    def get_url(self, row: User) -> str:
        """Where it can be read again."""
        return url("users", row.pk)

    def get_has_password(self, row: User) -> bool:
        """Whether the user can log in at a page; programs' users have tokens only."""
        return row.has_usable_password()


@extend_schema_serializer(examples=[OpenApiExample("user", _OLGA)])
class UserCreateSerializer(serializers.Serializer[Any]):
    """A new user."""

    username = Name(max_length=150)
    role = Choice(ROLES)
    password = Secret(required=False, max_length=MAX_PASSWORD, help_text="none: the user has tokens only")
    active = Flag(required=False)


class UserChangeSerializer(serializers.Serializer[Any]):
    """What can be changed of a user."""

    role = Choice(ROLES, required=False)
    password = Secret(
        required=False,
        allow_null=True,
        max_length=MAX_PASSWORD,
        help_text="ends the user's sessions; null: tokens only",
    )
    active = Flag(required=False, help_text="false: neither log-in nor tokens work")


class OwnPasswordSerializer(serializers.Serializer[Any]):
    """A change of the caller's own password."""

    current = Secret(max_length=MAX_PASSWORD)
    password = Secret(max_length=MAX_PASSWORD, help_text="the new one; ends all other sessions")
