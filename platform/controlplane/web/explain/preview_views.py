"""`/api/v1/filters/preview/`."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.roles import Role
from controlplane.explain.filter_preview.preview import answer
from controlplane.explain.filter_preview.question import PreviewQuestion
from controlplane.rest.base_views import StrictView
from controlplane.rest.request_body import read_body
from controlplane.web.explain.preview_serializers import PreviewAnswerSerializer, PreviewSerializer


class PreviewView(StrictView):
    """What a filter means and would cost, as it is typed."""

    audited = keyed = False
    write_role = Role.VIEWER

    @extend_schema(
        operation_id="filters_preview",
        tags=["filters"],
        request=PreviewSerializer,
        responses={200: PreviewAnswerSerializer},
    )
    def post(self, request: Request) -> Response:
        """Place and kind of a mistake; or canonical text, dz cells, volumes, whom it meets, and its cost."""
        return Response(answer(PreviewQuestion.read(read_body(request, PreviewSerializer()))))
