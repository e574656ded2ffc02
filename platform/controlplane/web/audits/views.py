"""Views of `/api/v1/audits/`."""

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.deployment.audits import audits
from controlplane.deployment.audits.models import (
    Audit,
    AuditState,
    AuditTrigger,
    Check,
    CheckState,
    Drift,
    DriftKind,
)
from controlplane.network.ports import check_switch, find_switches
from controlplane.rest.base_views import ListAndRead, Resource, url
from controlplane.rest.openapi import PREFER
from controlplane.rest.prefer_header import Awaited, Wait
from controlplane.rest.query_parameters import FLAG, ID, TEXT, TIME, QueryFilterField, choice
from controlplane.rest.request_body import Errors, read_body
from controlplane.web.audits.serializers import (
    AuditCreateSerializer,
    AuditSerializer,
    CheckSerializer,
    DriftSerializer,
)

ACCEPTED = OpenApiResponse(AuditSerializer, "Accepted; `Location` is the address of the audit.")
SWITCH = QueryFilterField("switch", "switch", TEXT, ("in",))


@extend_schema_view(
    list=extend_schema(operation_id="audits_list", tags=["audits"]),
    retrieve=extend_schema(operation_id="audits_read", tags=["audits"], parameters=[PREFER]),
)
class AuditViewSet(ListAndRead):
    """Audits: comparisons of switch tables with the plan."""

    queryset = Audit.objects.all()
    serializer_class = AuditSerializer
    noun = "audit"
    write_parameters: ClassVar[frozenset[str]] = frozenset()
    filters = (
        ID,
        QueryFilterField("state", "state", choice(*AuditState.values), ("in",)),
        QueryFilterField("trigger", "trigger", choice(*AuditTrigger.values), ("in",)),
        QueryFilterField("repair", "repair", FLAG),
        QueryFilterField("created_at", "created_at", TIME, ("gte", "lte")),
    )

    def rendered(self, rows: Any, many: bool = False) -> Any:
        """Return audits with the numbers of switches in each state."""
        listed = list(rows) if many else [rows]
        shown = AuditSerializer(listed, many=True, context={"counts": audits.counts(listed)}).data
        return shown if many else shown[0]

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return one audit. `Prefer: wait=N` waits for its end."""
        wait = Wait.read(request)
        row = self.find()
        wait.until(lambda: audits.is_over(row.pk))
        return Response(self.rendered(self.find()), headers=wait.headers)

    @extend_schema(
        operation_id="audits_create",
        tags=["audits"],
        request=AuditCreateSerializer,
        responses={202: ACCEPTED},
        parameters=[PREFER],
    )
    def create(self, request: Request) -> Response:
        """Read tables from switches, report differences from the plan, and repair them."""
        wait = Wait.read(request)
        body = read_body(request, AuditCreateSerializer())
        values = body.items[0]
        names = values.get("switches")
        _check(names or [], body.errors)
        audit = audits.request_audit(names, values.get("repair", True), request.user)
        return Awaited(wait, lambda: audits.is_over(audit.pk), lambda: self._accepted(audit.pk))

    def _accepted(self, pk: int) -> Response:
        body: Any = self.rendered(audits.find(pk))
        return Response(body, status.HTTP_202_ACCEPTED, headers={"Location": url("audits", pk)})


def _check(names: list[str], errors: Errors) -> None:
    """Raise `Problem` with earlier errors and one error for each name that is not a switch."""
    known = find_switches(names)
    for index, name in enumerate(names):
        if name not in known:
            check_switch(errors, 0, ("switches", index), name, known)
    errors.check()


@extend_schema_view(list=extend_schema(operation_id="audits_checks", tags=["audits"]))
class CheckViewSet(Resource):
    """Result of an audit by switch."""

    queryset = Check.objects.all()
    serializer_class = CheckSerializer
    noun = "audit"
    filters = (SWITCH, QueryFilterField("state", "state", choice(*CheckState.values), ("in",)))
    search = ("switch", "detail")

    def list(self, request: Request, pk: str) -> Response:
        """Return a page of the results of an audit, by switch."""
        audit = self.find(Audit.objects.all())
        rows = self.paginate_queryset(self.filter_queryset(self.get_queryset().filter(audit=audit)))
        return self.get_paginated_response(self.rendered(rows or [], many=True))


@extend_schema_view(list=extend_schema(operation_id="audits_drift", tags=["audits"]))
class DriftViewSet(Resource):
    """Entries that differed in an audit."""

    queryset = Drift.objects.select_related("check_of")
    serializer_class = DriftSerializer
    noun = "audit"
    filters = (
        QueryFilterField("switch", "check_of__switch", TEXT, ("in",)),
        QueryFilterField("kind", "kind", choice(*DriftKind.values), ("in",)),
        QueryFilterField("dst", "dst", TEXT),
    )
    search = ("check_of__switch", "dst")

    def list(self, request: Request, pk: str) -> Response:
        """Return a page of the entries that differed in an audit."""
        audit = self.find(Audit.objects.all())
        rows = self.get_queryset().filter(check_of__audit=audit)
        page = self.paginate_queryset(self.filter_queryset(rows))
        return self.get_paginated_response(self.rendered(page or [], many=True))
