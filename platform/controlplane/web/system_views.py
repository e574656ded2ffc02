"""Who the caller is, and what there is."""

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
    """What the caller may do with a resource."""

    resource = serializers.CharField(help_text="its address; a list and its objects are one")
    methods = serializers.ListField(child=serializers.ChoiceField(choices=METHODS))


class ClientSerializer(serializers.Serializer[Any]):
    """Whom a client token is good for."""

    kind = serializers.ChoiceField(choices=("publisher", "subscriber"))
    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    host = serializers.CharField()


class MeSerializer(serializers.Serializer[Any]):
    """The caller."""

    id = serializers.IntegerField(help_text="of the user")
    username = serializers.CharField()
    role = serializers.ChoiceField(choices=[role.name.lower() for role in Role if role])
    login = serializers.ChoiceField(choices=("session", "token"))
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=[scope.value for scope in Scope]))
    client = ClientSerializer(
        allow_null=True, help_text="whom the token is good for, where it is for one alone"
    )
    token = serializers.CharField(allow_null=True, help_text="name of the token in use")
    token_expires_at = serializers.DateTimeField(allow_null=True)
    may = AllowedSerializer(many=True)


class MeView(StrictView):
    """The caller, and what it may do."""

    clients = BOTH_READ

    @extend_schema(operation_id="me", responses=MeSerializer, tags=["system"])
    def get(self, request: Request) -> Response:
        """Who the caller is, and which methods it may use on which resource."""
        token = request.auth if isinstance(request.auth, Token) else None
        caller = caller_of(request)
        told = {
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
        return Response(MeSerializer(told).data)


def allowed(caller: Caller) -> list[dict[str, Any]]:
    """The methods that the caller may use, by resource."""
    granted: dict[str, set[str]] = {}
    for route in routes():
        may = {method for method in route.methods if refused(caller, method, route.view) is None}
        granted.setdefault(route.resource, set()).update(may)
    return [{"resource": name, "methods": sorted(methods)} for name, methods in granted.items()]


class _Counted(APIView):
    """Counts as a call like any other."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Count it, before anything else is done."""
        rate_limits.check(request, open_view=False)
        super().initial(request, *args, **kwargs)


class SchemaView(_Counted, SpectacularAPIView):
    """The OpenAPI schema."""


class DocsView(_Counted, SpectacularSwaggerSplitView):
    """The browsable page, from local files; a browser without log-in is sent to log in."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """The page, or the way to the log-in."""
        if not request.user.is_authenticated and "Authorization" not in request.headers:
            return HttpResponseRedirect(f"/login/?next={request.path}")
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response


class NothingHereView(StrictView):
    """Every address under /api/ that is none."""

    open = True
    authentication_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Answer 404, with the remedy where a slash is all that is missing."""
        path = request.path
        detail = f"There is nothing at {path}. See /api/schema/ for what there is."
        if not path.endswith("/") and _resolves(path + "/"):
            detail = f"There is nothing at {path}. The address ends with a slash: {path}/"
        raise not_found(detail)


def _resolves(path: str) -> bool:
    match = get_resolver().resolve(path)
    return getattr(match.func, "cls", None) is not NothingHereView
