"""`/api/v1/filters/preview/`."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.roles import Role
from controlplane.api.bodies import read_body
from controlplane.api.views import StrictView
from controlplane.preview.answer import answer
from controlplane.preview.asked import Asked
from controlplane.preview.serializers import PreviewAnswerSerializer, PreviewSerializer


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
        return Response(answer(Asked.read(read_body(request, PreviewSerializer()))))
