"""Views of `/api/v1/` demo, demo/launcher, test-events and connect."""

from typing import ClassVar

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.operations.demo import demo, test_events
from controlplane.operations.demo.connect import connect
from controlplane.operations.demo.models import TestEvent, TestState
from controlplane.rest.base_views import ListAndRead, StrictView, url
from controlplane.rest.openapi import PREFER
from controlplane.rest.prefer_header import Wait
from controlplane.rest.query_parameters import ID, QueryFilterField, choice
from controlplane.rest.request_body import read_body, read_one
from controlplane.web.demo.serializers import (
    ConnectSerializer,
    DemoAskSerializer,
    DemoSerializer,
    HeartbeatSerializer,
    OrdersSerializer,
    TestEventAskSerializer,
    TestEventSerializer,
)


class DemoView(StrictView):
    """Demo network."""

    @extend_schema(operation_id="demo_read", tags=["first use"], responses=DemoSerializer)
    def get(self, request: Request) -> Response:
        """Return the state of the demo, and whether it is available."""
        return Response(demo.read_demo_status())

    @extend_schema(
        operation_id="demo_ask",
        tags=["first use"],
        request=DemoAskSerializer,
        responses={202: OpenApiResponse(DemoSerializer, "Accepted; the launcher starts within a second.")},
    )
    def post(self, request: Request) -> Response:
        """Start or stop the demo; 409 if no launcher is available, or another network exists."""
        demo.request_demo(read_one(request, DemoAskSerializer())["action"] == "start")
        return Response(demo.read_demo_status(), status.HTTP_202_ACCEPTED)


class LauncherView(StrictView):
    """Heartbeats of launchers, and their orders."""

    audited = False

    @extend_schema(
        operation_id="demo_launcher",
        tags=["first use"],
        request=HeartbeatSerializer,
        responses={200: OrdersSerializer},
    )
    def post(self, request: Request) -> Response:
        """Accept a launcher's heartbeat, sent once a second, and return its orders."""
        values = read_one(request, HeartbeatSerializer())
        row = demo.heard(values)
        test_events.reported(values.get("tested") or [])
        return Response({"wanted": row.wanted, "tests": test_events.claim_events()})


@extend_schema_view(
    list=extend_schema(operation_id="testevents_list", tags=["first use"]),
    retrieve=extend_schema(operation_id="testevents_read", tags=["first use"], parameters=[PREFER]),
)
class TestEventViewSet(ListAndRead):
    """The newest 200 test events, with the hosts that received them."""

    queryset = TestEvent.objects.select_related("advertisement__topic", "advertisement__publisher__host")
    serializer_class = TestEventSerializer
    noun = "test event"
    filters = (ID, QueryFilterField("state", "state", choice(*TestState.values), ("in",)))
    search = ("advertisement__topic__name", "advertisement__publisher__name", "problem")
    write_parameters: ClassVar[frozenset[str]] = frozenset()

    def list(self, request: Request) -> Response:
        """Return a page of test events."""
        test_events.expire()
        return super().list(request)

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return one test event. `Prefer: wait=N` waits for its end."""
        wait = Wait.read(request)
        row = self.find()
        wait.until(lambda: test_events.ended(row.pk))
        test_events.expire()
        return Response(self.rendered(self.find()), headers=wait.headers)

    @extend_schema(
        operation_id="testevents_send",
        tags=["first use"],
        request=TestEventAskSerializer,
        responses={202: OpenApiResponse(TestEventSerializer, "Queued; `Location` is its address.")},
        parameters=[PREFER],
    )
    def create(self, request: Request) -> Response:
        """Publish an event once at its publisher's host in the demo network."""
        wait = Wait.read(request)
        row = test_events.queue_event(read_body(request, TestEventAskSerializer()), request.user)
        wait.until(lambda: test_events.ended(row.pk))
        headers = {"Location": url("test-events", row.pk), **wait.headers}
        body = self.rendered(self.get_queryset().get(pk=row.pk))
        return Response(body, status.HTTP_202_ACCEPTED, headers=headers)


class ConnectView(StrictView):
    """Address for switches."""

    @extend_schema(operation_id="connect", tags=["first use"], responses=ConnectSerializer)
    def get(self, request: Request) -> Response:
        """Return the controller's addresses, the command for a switch, and unconnected switches."""
        return Response(connect())
