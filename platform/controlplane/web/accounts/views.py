"""Views of `/api/v1/tokens/`, `/api/v1/users/` and the caller's own password."""

from typing import Any

from django.contrib.auth import update_session_auth_hash
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts import user_versions, users
from controlplane.accounts.callers import caller_of
from controlplane.accounts.login import check_password
from controlplane.accounts.models import Token
from controlplane.accounts.roles import Role
from controlplane.accounts.scopes import Scope
from controlplane.accounts.tokens import revoke_token
from controlplane.common.problems import conflict
from controlplane.registry import client_tokens
from controlplane.rest.base_views import ListAndRead, StrictView, url
from controlplane.rest.query_parameters import FLAG, ID, TEXT, TIME, QueryFilterField, choice
from controlplane.rest.request_body import read_body
from controlplane.web.accounts.serializers import (
    OwnPasswordSerializer,
    TokenCreateSerializer,
    TokenIssuedSerializer,
    TokenSerializer,
    UserChangeSerializer,
    UserCreateSerializer,
    UserSerializer,
)

NOTHING: frozenset[str] = frozenset()


@extend_schema_view(
    list=extend_schema(operation_id="tokens_list", tags=["accounts"]),
    retrieve=extend_schema(operation_id="tokens_read", tags=["accounts"]),
)
class TokenViewSet(ListAndRead):
    """Access tokens: the caller's own, or all for administrators. Tokens do not change."""

    serializer_class = TokenSerializer
    noun = "token"
    write_role = Role.VIEWER
    write_scope = Scope.WRITE
    write_parameters = NOTHING
    secret = True
    filters = (
        ID,
        QueryFilterField("name", "name", TEXT, ("in",)),
        QueryFilterField("user", "user__username", TEXT, ("in",)),
        QueryFilterField("publisher", "publisher__name", TEXT, ("in",)),
        QueryFilterField("subscriber", "subscriber__name", TEXT, ("in",)),
        QueryFilterField("standing", "standing", choice(*client_tokens.STANDINGS), ("in",)),
        QueryFilterField("created_at", "created_at", TIME, ("gte", "lte")),
        QueryFilterField("expires_at", "expires_at", TIME, ("gte", "lte")),
        QueryFilterField("last_used_at", "last_used_at", TIME, ("gte", "lte")),
    )
    search = ("name", "user__username", "publisher__name", "subscriber__name")
    orderings = ("id", "name", "created_at")

    def get_queryset(self) -> Any:
        """Return the caller's own tokens, or all for an administrator."""
        rows = client_tokens.with_standing()
        if caller_of(self.request).has(Role.ADMINISTRATOR, Scope.ADMIN):
            return rows
        return rows.filter(user=self.request.user.pk)

    @extend_schema(
        operation_id="tokens_create",
        tags=["accounts"],
        request=TokenCreateSerializer,
        responses={201: TokenIssuedSerializer},
    )
    def create(self, request: Request) -> Response:
        """Create a token. Only this answer contains its text."""
        body = read_body(request, TokenCreateSerializer())
        own = request.auth if isinstance(request.auth, Token) else None
        issued = client_tokens.issue(body, caller_of(request), request.user, own)
        shown: Any = client_tokens.with_standing().get(pk=issued.token.pk)
        shown.token = issued.text
        headers = {"Location": url("tokens", issued.token.pk)}
        return Response(TokenIssuedSerializer(shown).data, status.HTTP_201_CREATED, headers=headers)

    @extend_schema(
        operation_id="tokens_revoke",
        tags=["accounts"],
        request=None,
        responses={204: OpenApiResponse(description="The token is revoked.")},
    )
    def destroy(self, request: Request, pk: str) -> Response:
        """Revoke a token permanently. It remains in the list."""
        revoke_token(self.find())
        return Response(status=status.HTTP_204_NO_CONTENT)


@extend_schema_view(
    list=extend_schema(operation_id="users_list", tags=["accounts"]),
    retrieve=extend_schema(operation_id="users_read", tags=["accounts"]),
)
class UserViewSet(ListAndRead):
    """Users and their roles, for administrators."""

    queryset = user_versions.with_version().prefetch_related("groups")
    serializer_class = UserSerializer
    noun = "user"
    read_role = write_role = Role.ADMINISTRATOR
    write_parameters = NOTHING
    filters = (
        ID,
        QueryFilterField("username", "username", TEXT, ("in",)),
        QueryFilterField("active", "is_active", FLAG),
        QueryFilterField("created_at", "date_joined", TIME, ("gte", "lte")),
        QueryFilterField("last_login", "last_login", TIME, ("gte", "lte")),
    )
    search = ("username",)
    orderings = ("id", "username")

    @extend_schema(
        operation_id="users_create",
        tags=["accounts"],
        request=UserCreateSerializer,
        responses={201: UserSerializer},
    )
    def create(self, request: Request) -> Response:
        """Create a user with a role."""
        body = read_body(request, UserCreateSerializer())
        body.errors.found += users.creation_errors(body.items[0])
        body.errors.check()
        row = users.add(body.items[0])
        headers = {"Location": url("users", row.pk)}
        return Response(self.rendered(row), status.HTTP_201_CREATED, headers=headers)

    @extend_schema(
        operation_id="users_update",
        tags=["accounts"],
        request=UserChangeSerializer,
        responses=UserSerializer,
    )
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change role, `active` or password, unless this locks out an administrator.

        The call fails (409) if it would lock out the caller or the last administrator.
        """
        user = self.find()
        body = read_body(request, UserChangeSerializer(partial=True))
        values = body.items[0]
        body.errors.found += users.password_errors(user, values.get("password"))
        body.errors.check()
        return Response(self.rendered(users.change(user.pk, values, request.user)))


class OwnPasswordView(StrictView):
    """Password of the caller."""

    write_role = Role.VIEWER
    write_scope = Scope.WRITE
    keyed = False  # a rolled back transaction would also lose the count of wrong passwords

    @extend_schema(
        operation_id="me_password",
        tags=["accounts"],
        request=OwnPasswordSerializer,
        responses={
            204: OpenApiResponse(description="The password has changed; all other sessions have ended.")
        },
    )
    def post(self, request: Request) -> Response:
        """Change the caller's password. The limit for wrong passwords is that of log-ins."""
        body = read_body(request, OwnPasswordSerializer())
        body.errors.check()
        values = body.items[0]
        user: Any = request.user
        if not user.has_usable_password():
            detail = "Your account has no password. Ask an administrator to set one."
            raise conflict("no_password", detail)
        if not check_password(request, values["current"]):
            detail = "This is not your present password. Try again."
            body.errors.add(0, ("current",), "wrong_password", detail)
            body.errors.check()
        users.set_own_password(user, values["password"])
        if request.auth is None:
            update_session_auth_hash(request._request, user)
        return Response(status=status.HTTP_204_NO_CONTENT)
