"""View of `/api/v1/filters/preview/`."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.roles import Role
from controlplane.explain.filter_preview.preview import preview_filter
from controlplane.explain.filter_preview.question import PreviewQuestion
from controlplane.rest.base_views import StrictView
from controlplane.rest.request_body import read_body
from controlplane.web.explain.preview_serializers import PreviewAnswerSerializer, PreviewSerializer


class PreviewView(StrictView):
    """Check of a filter while a user types it."""

    audited = keyed = False
    write_role = Role.VIEWER

    @extend_schema(
        operation_id="filters_preview",
        tags=["filters"],
        request=PreviewSerializer,
        responses={200: PreviewAnswerSerializer},
    )
    def post(self, request: Request) -> Response:
        """Check a filter, and return its errors, or its normal form, dz cells, matches and cost."""
        return Response(preview_filter(PreviewQuestion.read(read_body(request, PreviewSerializer()))))
