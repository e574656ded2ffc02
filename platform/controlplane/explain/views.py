"""`/api/v1/explain/`."""

from collections.abc import Iterable

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.api.views import StrictView
from controlplane.explain.answer import answer
from controlplane.explain.asked import PARAMETERS, Asked
from controlplane.explain.serializers import ExplanationSerializer


class ExplainView(StrictView):
    """Why an event goes where it goes."""

    def known_parameters(self) -> Iterable[str]:
        """What a question says."""
        return PARAMETERS

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
        return Response(answer(Asked.read(request.query_params)))
