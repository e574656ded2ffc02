"""Views of `/api/v1/traffic/`."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.callers import PUBLISHER, SUBSCRIBER, caller_of
from controlplane.rest.base_views import ListAndRead, Resource, StrictView, WriteOptions
from controlplane.rest.openapi import PARTLY
from controlplane.rest.permissions import Clients
from controlplane.rest.query_parameters import ID, TEXT, TIME, QueryFilterField, choice
from controlplane.rest.request_body import read_body, read_one, report_refused, taking
from controlplane.telemetry import ownership, samples
from controlplane.telemetry.activity import reports
from controlplane.telemetry.models import EventSample, TrafficReport
from controlplane.telemetry.traffic_reports import report, totals
from controlplane.web.telemetry.traffic_serializers import (
    EventSampleCreateSerializer,
    EventSampleSerializer,
    SamplesSerializer,
    SamplesTakenSerializer,
    TotalsSerializer,
    TrafficReportCreateSerializer,
    TrafficReportSerializer,
)

REPORT = frozenset({"POST"})


@extend_schema_view(
    list=extend_schema(operation_id="traffic_list", tags=["traffic"]),
    retrieve=extend_schema(operation_id="traffic_read", tags=["traffic"]),
)
class TrafficViewSet(ListAndRead):
    """Event counters: the latest report of each reporter."""

    audited = keyed = False
    queryset = TrafficReport.objects.all()
    serializer_class = TrafficReportSerializer
    noun = "report"
    clients: ClassVar[Clients] = {PUBLISHER: REPORT, SUBSCRIBER: REPORT}
    filters = (
        ID,
        QueryFilterField("reporter", "reporter", TEXT, ("in",)),
        QueryFilterField("kind", "kind", choice("publisher", "subscriber"), ("in",)),
    )
    search = ("reporter",)
    write_parameters: ClassVar[frozenset[str]] = frozenset()

    @extend_schema(
        operation_id="traffic_report",
        tags=["traffic"],
        request=TrafficReportCreateSerializer,
        responses={200: TrafficReportSerializer},
    )
    def create(self, request: Request) -> Response:
        """Report counters. They replace the reporter's earlier ones."""
        values = read_one(request, TrafficReportCreateSerializer())
        client = caller_of(request).client
        if client is not None:
            ownership.check_name(client, "reporter", values["reporter"], client.name)
            values = reports.own(values, client)
        kind = "" if client is None else client.kind
        return Response(self.rendered(report(values, request.user, kind)))


class TrafficTotalsView(StrictView):
    """Event counters over all reporters."""

    @extend_schema(operation_id="traffic_totals", tags=["traffic"], responses=TotalsSerializer)
    def get(self, request: Request) -> Response:
        """Return the sums. p50 is the mean weighted by deliveries, p99 the largest value."""
        return Response(totals())


class SampleViewSet(Resource):
    """Samples of past events for aggregation."""

    audited = keyed = False
    queryset = EventSample.objects.all()
    serializer_class = EventSampleCreateSerializer
    noun = "sample"
    clients: ClassVar[Clients] = {PUBLISHER: REPORT}
    bulk = True
    pagination_class = None
    filter_backends = ()
    write_parameters: ClassVar[frozenset[str]] = frozenset({PARTLY.name})

    def lists(self) -> bool:
        """Return False: the answer is one object without pages."""
        return False

    @extend_schema(operation_id="samples_read", tags=["traffic"], responses=SamplesSerializer)
    def list(self, request: Request) -> Response:
        """Return the number of stored samples, by topic and publisher."""
        return Response(SamplesSerializer({"most": samples.KEPT, "topics": samples.counts()}).data)

    @extend_schema(
        operation_id="samples_report",
        tags=["traffic"],
        request=EventSampleCreateSerializer,
        responses={201: SamplesTakenSerializer},
        parameters=[PARTLY],
    )
    def create(self, request: Request) -> Response:
        """Report one event or a list: all or none, or with `atomic=false` only the valid items."""
        partly = WriteOptions.read(request, lists=True).partly
        body = read_body(request, EventSampleCreateSerializer(), bulk=True, partly=partly)
        client = caller_of(request).client
        if client is not None:
            ownership.check_samples(client, body.items, body.bulk)
        fields = {"items": len(body.items)}
        samples.store_samples(taking(body, samples.draft))
        report_refused(fields, body)
        return Response(fields, status.HTTP_201_CREATED)


@extend_schema_view(list=extend_schema(operation_id="samples_events", tags=["traffic"]))
class SampleEventsViewSet(Resource):
    """Stored past events."""

    queryset = EventSample.objects.select_related("topic", "advertisement__publisher")
    serializer_class = EventSampleSerializer
    noun = "event"
    filters = (
        ID,
        QueryFilterField("topic", "topic__name", TEXT, ("in",)),
        QueryFilterField("publisher", "advertisement__publisher__name", TEXT, ("in",)),
        QueryFilterField("reported_at", "reported_at", TIME, ("gte", "lte")),
    )
    search = ("topic__name", "advertisement__publisher__name")

    def list(self, request: Request) -> Response:
        """Return a page of stored past events."""
        rows = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response(self.rendered(rows or [], many=True))
