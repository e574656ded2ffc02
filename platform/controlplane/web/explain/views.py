"""Views of `/api/v1/explain/` and of the origin of table entries."""

from collections.abc import Iterable

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.common.problems import not_found
from controlplane.explain.entry_origin import origin_of
from controlplane.explain.explanation import explain_event
from controlplane.explain.question import PARAMETERS, ExplainQuestion
from controlplane.network.models import InstalledEntry
from controlplane.rest.base_views import StrictView
from controlplane.rest.query_parameters import read_id
from controlplane.web.explain.serializers import EntryOriginSerializer, ExplanationSerializer


class ExplainView(StrictView):
    """Explanation of an event's path."""

    def known_parameters(self) -> Iterable[str]:
        """Return the names of the query parameters."""
        return PARAMETERS

    problems = ("404", "409")
    """Additional error codes, because the question names objects."""

    @extend_schema(
        operation_id="explain",
        tags=["explain"],
        responses=ExplanationSerializer,
        parameters=[
            OpenApiParameter(
                "publisher",
                str,
                required=True,
                description="name or id of a publisher, or name of an advertisement such as a7",
            ),
            OpenApiParameter(
                "values", str, required=True, description='event as {"low": 92} or as low=92,symbol=IBM'
            ),
            OpenApiParameter("topic", str, description="topic; required if the publisher advertises several"),
            OpenApiParameter("trace", bool, description="whether to check the real switches (default: true)"),
        ],
    )
    def get(self, request: Request) -> Response:
        """Explain an event: dz, address, path with entries, its receivers, other hosts, reasons."""
        return Response(explain_event(ExplainQuestion.read(request.query_params)))


class EntryOriginView(StrictView):
    """Origin of a table entry."""

    @extend_schema(operation_id="tables_entry_origin", tags=["tables"], responses=EntryOriginSerializer)
    def get(self, request: Request, pk: str, entry: str) -> Response:
        """Return the subscriptions that an installed entry serves, according to the plan."""
        rows = InstalledEntry.objects.filter(switch=read_id(pk)).select_related("switch")
        row = rows.filter(pk=read_id(entry)).first()
        if row is None:
            raise not_found(
                f"Table {pk} has no entry {entry}. Entries change with subscriptions; read the table again."
            )
        return Response(origin_of(row))
