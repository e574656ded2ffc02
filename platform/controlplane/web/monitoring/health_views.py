"""`/api/v1/health/`: whether the platform is well, and what is not."""

import time
from collections.abc import Mapping
from threading import Lock
from typing import Any

from django.db import Error as DatabaseError
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.callers import caller_of
from controlplane.accounts.roles import Role
from controlplane.accounts.scopes import Scope
from controlplane.common.database_patience import waiting_at_most
from controlplane.common.problems import bad_parameter
from controlplane.operations import health_checks as checks
from controlplane.operations.health_checks import CHECKS, CheckStatus, Finding
from controlplane.rest.base_views import StrictView
from tercast.errors import shown

KEPT_SECONDS = 2.0
"""How old an answer to somebody without log-in may be: nobody makes the controller busy by asking."""


class HealthCheckSerializer(serializers.Serializer[Any]):
    """One part of the platform."""

    name = serializers.ChoiceField(choices=tuple(CHECKS))
    status = serializers.ChoiceField(choices=checks.STATUSES)
    detail = serializers.CharField(allow_null=True, help_text="null without log-in")


class HealthSerializer(serializers.Serializer[Any]):
    """The platform; its status is the worst of its checks."""

    status = serializers.ChoiceField(choices=checks.STATUSES)
    checks = HealthCheckSerializer(many=True)


class HealthView(StrictView):
    """Open to all, without details."""

    open = True

    def known_parameters(self) -> tuple[str, ...]:
        """Some checks alone."""
        return ("only",)

    def perform_authentication(self, request: Request) -> None:
        """Not before the database is known to answer."""

    def check_permissions(self, request: Request) -> None:
        """Allow everybody; who asks is looked up with a short wait."""

    @extend_schema(
        operation_id="health",
        auth=[],
        tags=["system"],
        responses={
            200: HealthSerializer,
            503: OpenApiResponse(HealthSerializer, "Something has failed: no change can be carried out."),
        },
        parameters=[
            OpenApiParameter("only", str, description=f"some of {', '.join(CHECKS)}, separated by commas")
        ],
    )
    def get(self, request: Request) -> Response:
        """What is checked and how it is; 503 when something has failed. Who is logged in is told details."""
        names = _chosen(request.query_params.get("only"))
        full = _may_see(request)
        found = checks.look(names) if full else _kept(names)
        overall = checks.overall(found)
        body = {
            "status": overall,
            "checks": [
                {"name": name, "status": one.status, "detail": one.told if full else None}
                for name, one in found.items()
            ],
        }
        failed = overall is CheckStatus.FAILED
        code = status.HTTP_503_SERVICE_UNAVAILABLE if failed else status.HTTP_200_OK
        return Response(body, code)


def _chosen(text: str | None) -> Mapping[str, Any]:
    if text is None:
        return CHECKS
    names = text.split(",")
    for name in names:
        if name not in CHECKS:
            detail = f"There is no check {shown(name)}; there are {', '.join(CHECKS)}."
            raise bad_parameter("only", "not_a_choice", detail, name)
    return {name: CHECKS[name] for name in CHECKS if name in names}


def _may_see(request: Request) -> bool:
    """Whether the caller may read; without a database nobody may."""
    try:
        with waiting_at_most(checks.WRITE_WAIT_MS):
            return caller_of(request).has(Role.VIEWER, Scope.READ)
    except DatabaseError:
        return False


_answers: dict[tuple[str, ...], tuple[float, dict[str, Finding]]] = {}
_lock = Lock()


def _kept(names: Mapping[str, Any]) -> dict[str, Finding]:
    """What was found a moment ago, else what is found now; one looks at a time."""
    key = tuple(names)
    with _lock:
        at, found = _answers.get(key, (float("-inf"), {}))
        if time.monotonic() - at > KEPT_SECONDS:
            found = checks.look(names)
            _answers[key] = time.monotonic(), found
        return found
