"""View of `/api/v1/health/`: the status of each part of the platform."""

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
"""Maximum age of an answer to an unauthenticated caller. Such calls cannot keep the controller busy."""


class HealthCheckSerializer(serializers.Serializer[Any]):
    """Status of one part of the platform."""

    name = serializers.ChoiceField(choices=tuple(CHECKS), help_text="name of the check")
    status = serializers.ChoiceField(choices=checks.STATUSES, help_text="status of the part")
    detail = serializers.CharField(allow_null=True, help_text="description; null without authentication")


class HealthSerializer(serializers.Serializer[Any]):
    """Status of the platform: the worst status of its checks."""

    status = serializers.ChoiceField(choices=checks.STATUSES, help_text="worst status of the checks")
    checks = HealthCheckSerializer(many=True, help_text="status of each part")


class HealthView(StrictView):
    """Health of the platform. Everyone may read it, but without details."""

    open = True

    def known_parameters(self) -> tuple[str, ...]:
        """Return the name of the query parameter that selects checks."""
        return ("only",)

    def perform_authentication(self, request: Request) -> None:
        """Skip authentication until the database is known to answer."""

    def check_permissions(self, request: Request) -> None:
        """Allow every caller. `get` authenticates with a short wait."""

    @extend_schema(
        operation_id="health",
        auth=[],
        tags=["system"],
        responses={
            200: HealthSerializer,
            503: OpenApiResponse(HealthSerializer, "A part has failed: no change can be carried out."),
        },
        parameters=[
            OpenApiParameter(
                "only", str, description=f"checks to run, separated by commas: {', '.join(CHECKS)}"
            )
        ],
    )
    def get(self, request: Request) -> Response:
        """Return the status of each check, with details for authenticated callers; 503 on failure."""
        names = _chosen(request.query_params.get("only"))
        full = _may_see(request)
        found = checks.run_checks(names) if full else _recent_findings(names)
        overall = checks.overall(found)
        body = {
            "status": overall,
            "checks": [
                {"name": name, "status": one.status, "detail": one.detail if full else None}
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
            detail = f"{shown(name)} is not a check; use one of {', '.join(CHECKS)}."
            raise bad_parameter("only", "not_a_choice", detail, name)
    return {name: CHECKS[name] for name in CHECKS if name in names}


def _may_see(request: Request) -> bool:
    """Whether the caller may read details. Without a database no caller may."""
    try:
        with waiting_at_most(checks.WRITE_WAIT_MS):
            return caller_of(request).has(Role.VIEWER, Scope.READ)
    except DatabaseError:
        return False


_answers: dict[tuple[str, ...], tuple[float, dict[str, Finding]]] = {}
_lock = Lock()


def _recent_findings(names: Mapping[str, Any]) -> dict[str, Finding]:
    """Return recent findings, or check now. Only one thread checks at a time."""
    key = tuple(names)
    with _lock:
        at, found = _answers.get(key, (float("-inf"), {}))
        if time.monotonic() - at > KEPT_SECONDS:
            found = checks.run_checks(names)
            _answers[key] = time.monotonic(), found
        return found
