"""`/api/v1/traffic/`."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.api.bodies import read_one
from controlplane.api.query import ID, TEXT, Filter
from controlplane.api.views import ListAndRead, StrictView
from controlplane.telemetry.models import TrafficReport
from controlplane.telemetry.serializers import (
    TotalsSerializer,
    TrafficReportCreateSerializer,
    TrafficReportSerializer,
)
from controlplane.telemetry.services import report, totals


@extend_schema_view(
    list=extend_schema(operation_id="traffic_list", tags=["traffic"]),
    retrieve=extend_schema(operation_id="traffic_read", tags=["traffic"]),
)
class TrafficViewSet(ListAndRead):
    """Counters of events, the latest of each reporter."""

    queryset = TrafficReport.objects.all()
    serializer_class = TrafficReportSerializer
    noun = "report"
    filters = (ID, Filter("reporter", "reporter", TEXT, ("in",)))
    write_parameters: ClassVar[frozenset[str]] = frozenset()

    @extend_schema(
        operation_id="traffic_report",
        tags=["traffic"],
        request=TrafficReportCreateSerializer,
        responses={200: TrafficReportSerializer},
    )
    def create(self, request: Request) -> Response:
        """Report counters; they take the place of the reporter's earlier ones."""
        return Response(
            self.rendered(report(read_one(request, TrafficReportCreateSerializer()), request.user))
        )


class TrafficTotalsView(StrictView):
    """Counters over all reporters."""

    @extend_schema(operation_id="traffic_totals", tags=["traffic"], responses=TotalsSerializer)
    def get(self, request: Request) -> Response:
        """The sums; p50 is a mean weighted by deliveries, p99 the largest."""
        return Response(totals())
