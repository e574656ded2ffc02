"""View of `/api/v1/switches/budgets/`: the budgets of many switches in one call."""

from typing import ClassVar

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.network import budgets
from controlplane.network.models import Switch
from controlplane.rest.base_views import Resource, WriteOptions
from controlplane.rest.openapi import WRITE
from controlplane.rest.request_body import read_body
from controlplane.web.network.serializers import BudgetsSerializer
from controlplane.web.requests.accepted_responses import COST, accepted, cost_answer
from controlplane.web.requests.serializers import OperationSerializer


class BudgetsViewSet(Resource):
    """Budgets of many switches."""

    queryset = Switch.objects.all()
    serializer_class = BudgetsSerializer
    noun = "switch"
    pagination_class = None
    filter_backends = ()
    bulk: ClassVar[bool] = True  # accept as many bytes as for lists

    @extend_schema(
        operation_id="switches_budgets",
        tags=["switches"],
        request=BudgetsSerializer,
        responses={
            202: OpenApiResponse(OperationSerializer, "Logged; `Location` is the address of the operation."),
            200: COST,
        },
        parameters=[*WRITE],
    )
    def create(self, request: Request) -> Response:
        """Set budgets. Each one is a separate request, and fails separately."""
        options = WriteOptions.read(request)
        body = read_body(request, BudgetsSerializer())
        if options.dry_run:
            return cost_answer(budgets.draft(body))
        return accepted(options.wait, budgets.change(body, request.user))
