"""`/api/v1/switches/budgets/`: the budgets of many switches in one call."""

from typing import ClassVar

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.api.bodies import read_body
from controlplane.api.schema import WRITE
from controlplane.api.views import Resource, WriteOptions
from controlplane.control.answers import COST, accepted, cost_answer
from controlplane.control.serializers import OperationSerializer
from controlplane.network import budgets
from controlplane.network.models import Switch
from controlplane.network.serializers import BudgetsSerializer


class BudgetsViewSet(Resource):
    """Budgets of many switches."""

    queryset = Switch.objects.all()
    serializer_class = BudgetsSerializer
    noun = "switch"
    pagination_class = None
    filter_backends = ()
    bulk: ClassVar[bool] = True  # it takes as many bytes

    @extend_schema(
        operation_id="switches_budgets",
        tags=["switches"],
        request=BudgetsSerializer,
        responses={
            202: OpenApiResponse(OperationSerializer, "Logged; `Location` names the operation."),
            200: COST,
        },
        parameters=[*WRITE],
    )
    def create(self, request: Request) -> Response:
        """Set budgets, each by a request of its own: one that cannot hold fails alone."""
        options = WriteOptions.read(request)
        body = read_body(request, BudgetsSerializer())
        if options.dry_run:
            return cost_answer(budgets.draft(body))
        return accepted(options.wait, budgets.change(body, request.user))
