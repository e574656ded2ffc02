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
from rest_framework.viewsets import ViewSetMixin

from controlplane.accounts.models import Token
from controlplane.accounts.roles import Role, role_of
from controlplane.api.permissions import needed_role
from controlplane.api.problems import not_found
from controlplane.api.views import StrictView


class AllowedSerializer(serializers.Serializer[Any]):
    """What the caller may do with a resource."""

    resource = serializers.CharField()
    methods = serializers.ListField(child=serializers.CharField())


class MeSerializer(serializers.Serializer[Any]):
    """The caller."""

    username = serializers.CharField()
    role = serializers.ChoiceField(choices=[role.name.lower() for role in Role if role])
    login = serializers.ChoiceField(choices=("session", "token"))
    token = serializers.CharField(allow_null=True, help_text="name of the token in use")
    token_expires_at = serializers.DateTimeField(allow_null=True)
    may = AllowedSerializer(many=True)


class MeView(StrictView):
    """The caller, and what it may do."""

    @extend_schema(operation_id="me", responses=MeSerializer, tags=["system"])
    def get(self, request: Request) -> Response:
        """Who the caller is, and which methods it may use on which resource."""
        token = request.auth if isinstance(request.auth, Token) else None
        role = role_of(request.user)
        return Response(
            {
                "username": request.user.get_username(),
                "role": role.name.lower(),
                "login": "token" if token else "session",
                "token": token.name if token else None,
                "token_expires_at": token.expires_at if token else None,
                "may": allowed(role),
            }
        )


def allowed(role: Role) -> list[dict[str, Any]]:
    """The methods that `role` may use, by resource."""
    from controlplane.api.urls import resources  # noqa: PLC0415 - the routes import this module's views

    out = []
    for prefix, viewset in resources:
        methods = {method.upper() for method in _methods(viewset)}
        granted = sorted(method for method in methods if needed_role(method, viewset) <= role)
        out.append({"resource": prefix, "methods": granted})
    return out


def _methods(viewset: type[ViewSetMixin]) -> list[str]:
    actions = {
        "list": "get",
        "retrieve": "get",
        "create": "post",
        "partial_update": "patch",
        "destroy": "delete",
    }
    return [method for action, method in actions.items() if hasattr(viewset, action)]


class SchemaView(SpectacularAPIView):
    """The OpenAPI schema."""


class DocsView(SpectacularSwaggerSplitView):
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
