"""Views of the caller, of the OpenAPI schema, and of unknown addresses."""

from typing import Any

from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import get_resolver
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from controlplane.accounts.callers import Caller, caller_of
from controlplane.accounts.models import Token
from controlplane.accounts.roles import Role
from controlplane.accounts.scopes import Scope
from controlplane.common.problems import not_found
from controlplane.rest import rate_limits
from controlplane.rest.base_views import StrictView
from controlplane.rest.permissions import BOTH_READ, refused
from controlplane.rest.routes import METHODS, routes


class AllowedSerializer(serializers.Serializer[Any]):
    """Permissions of the caller for a resource."""

    resource = serializers.CharField(
        help_text="address of the resource; a list and its objects are one resource"
    )
    methods = serializers.ListField(
        child=serializers.ChoiceField(choices=METHODS), help_text="methods that the caller may use"
    )


class ClientSerializer(serializers.Serializer[Any]):
    """Publisher or subscriber of a client token."""

    kind = serializers.ChoiceField(choices=("publisher", "subscriber"), help_text="kind of client")
    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    host = serializers.CharField()


class MeSerializer(serializers.Serializer[Any]):
    """Caller, with permissions."""

    id = serializers.IntegerField(help_text="id of the user")
    username = serializers.CharField(help_text="name of the user")
    role = serializers.ChoiceField(
        choices=[role.name.lower() for role in Role if role], help_text="role of the user"
    )
    login = serializers.ChoiceField(choices=("session", "token"), help_text="method of authentication")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=[scope.value for scope in Scope]),
        help_text="scopes of the caller",
    )
    client = ClientSerializer(
        allow_null=True, help_text="publisher or subscriber of a client token; null for all other callers"
    )
    token = serializers.CharField(allow_null=True, help_text="name of the token in use")
    token_expires_at = serializers.DateTimeField(
        allow_null=True, help_text="expiry of the token; null: never"
    )
    may = AllowedSerializer(many=True, help_text="permissions by resource")


class MeView(StrictView):
    """Caller, with permissions."""

    clients = BOTH_READ

    @extend_schema(operation_id="me", responses=MeSerializer, tags=["system"])
    def get(self, request: Request) -> Response:
        """Return the caller, and the methods that the caller may use on each resource."""
        token = request.auth if isinstance(request.auth, Token) else None
        caller = caller_of(request)
        fields = {
            "id": request.user.pk,
            "username": request.user.get_username(),
            "role": caller.role.name.lower(),
            "login": "token" if token else "session",
            "scopes": sorted(caller.scopes),
            "client": caller.client,
            "token": token.name if token else None,
            "token_expires_at": token.expires_at if token else None,
            "may": allowed(caller),
        }
        return Response(MeSerializer(fields).data)


def allowed(caller: Caller) -> list[dict[str, Any]]:
    """Return the methods that the caller may use, by resource."""
    granted: dict[str, set[str]] = {}
    for route in routes():
        may = {method for method in route.methods if refused(caller, method, route.view) is None}
        granted.setdefault(route.resource, set()).update(may)
    return [{"resource": name, "methods": sorted(methods)} for name, methods in granted.items()]


class _CountedView(APIView):
    """Base of views that count as API calls although they are not `StrictView`s."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Count the call before anything else."""
        rate_limits.check(request, open_view=False)
        super().initial(request, *args, **kwargs)


class SchemaView(_CountedView, SpectacularAPIView):
    """OpenAPI schema."""


class DocsView(_CountedView, SpectacularSwaggerSplitView):
    """Browsable API page from local files. Browsers without a session are sent to the log-in."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Return the page, or a redirection to the log-in."""
        if not request.user.is_authenticated and "Authorization" not in request.headers:
            return HttpResponseRedirect(f"/login/?next={request.path}")
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response


class NothingHereView(StrictView):
    """View of all unknown addresses under /api/."""

    open = True
    authentication_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Answer 404, with the remedy if only the final slash is missing."""
        path = request.path
        detail = f"Nothing exists at {path}. /api/schema/ lists all addresses."
        if not path.endswith("/") and _resolves(path + "/"):
            detail = f"Nothing exists at {path}. Addresses end with a slash: use {path}/"
        raise not_found(detail)


def _resolves(path: str) -> bool:
    match = get_resolver().resolve(path)
    return getattr(match.func, "cls", None) is not NothingHereView
