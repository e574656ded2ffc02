"""`/api/v1/explain/`, and where the entries of tables come from."""

from collections.abc import Iterable

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.common.problems import not_found
from controlplane.explain.entry_origin import origin_of
from controlplane.explain.explanation import answer
from controlplane.explain.question import PARAMETERS, ExplainQuestion
from controlplane.network.models import InstalledEntry
from controlplane.rest.base_views import StrictView
from controlplane.rest.query_parameters import read_id
from controlplane.web.explain.serializers import EntryOriginSerializer, ExplanationSerializer


class ExplainView(StrictView):
    """Why an event goes where it goes."""

    def known_parameters(self) -> Iterable[str]:
        """What a question says."""
        return PARAMETERS

    problems = ("404", "409")
    """What its answers may be beside those of all views: it names objects in its question."""

    @extend_schema(
        operation_id="explain",
        tags=["explain"],
        responses=ExplanationSerializer,
        parameters=[
            OpenApiParameter(
                "publisher", str, required=True, description="by name or id, or an advertisement like a7"
            ),
            OpenApiParameter(
                "values", str, required=True, description='the event: {"low": 92}, or low=92,symbol=IBM'
            ),
            OpenApiParameter("topic", str, description="of several that the publisher advertises"),
            OpenApiParameter(
                "trace", bool, description="whether to look at the real switches, too (default: true)"
            ),
        ],
    )
    def get(self, request: Request) -> Response:
        """For one event: dz, address, the way with its entries, who receives it, who does not, and why."""
        return Response(answer(ExplainQuestion.read(request.query_params)))


class EntryOriginView(StrictView):
    """Why an entry of a table is there."""

    @extend_schema(operation_id="tables_entry_origin", tags=["tables"], responses=EntryOriginSerializer)
    def get(self, request: Request, pk: str, entry: str) -> Response:
        """The subscriptions that an installed entry stands for, as the plan has it."""
        rows = InstalledEntry.objects.filter(switch=read_id(pk)).select_related("switch")
        row = rows.filter(pk=read_id(entry)).first()
        if row is None:
            raise not_found(
                f"There is no entry {entry} in table {pk}; entries come and go with subscriptions."
            )
        return Response(origin_of(row))
