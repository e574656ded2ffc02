"""Views of `/api/v1/requests/` and `/api/v1/operations/`."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.db.models import Q
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request as Call
from rest_framework.response import Response

from controlplane.accounts.callers import Client, caller_of
from controlplane.common.notifications.end_notifications import operation_name, request_name
from controlplane.common.problems import Problem, not_found
from controlplane.planning.planner_state import last_removed
from controlplane.planning.request_objects import of_client
from controlplane.requestlog.models import Operation, RefusedItem, Request, State
from controlplane.rest.base_views import ListAndRead, Resource
from controlplane.rest.openapi import PREFER
from controlplane.rest.permissions import BOTH_READ
from controlplane.rest.prefer_header import Wait
from controlplane.rest.query_parameters import FLAG, ID, INTEGER, TEXT, TIME, QueryFilterField, choice
from controlplane.web.requests.accepted_responses import (
    operation_ended,
    rendered_operations,
    rendered_requests,
    request_ended,
)
from controlplane.web.requests.serializers import (
    OperationSerializer,
    RefusedItemSerializer,
    RequestSerializer,
)

_GONE = "Request {} no longer exists. Requests without an object are deleted {} days after their end."

STATE = QueryFilterField("state", "state", choice(*State.values), ("in",))


@extend_schema_view(
    list=extend_schema(operation_id="requests_list", tags=["requests"]),
    retrieve=extend_schema(operation_id="requests_read", tags=["requests"], parameters=[PREFER]),
)
class RequestViewSet(ListAndRead):
    """Requests: the log of all changes of the network."""

    queryset = Request.objects.all()
    serializer_class = RequestSerializer
    noun = "request"
    csv = True
    clients = BOTH_READ
    filters = (
        ID,
        STATE,
        QueryFilterField("kind", "kind", TEXT, ("in",)),
        QueryFilterField("object", "subject", TEXT, ("in",)),
        QueryFilterField("matched", "matched", FLAG),
        QueryFilterField("operation", "operation", INTEGER),
        QueryFilterField("received_at", "received_at", TIME, ("gte", "lte")),
    )
    search = ("subject", "kind", "call")

    def own(self, client: Client) -> Q:
        """Return the condition for requests that concern announcements of the client."""
        return of_client(client)

    def rendered(self, rows: Any, many: bool = False) -> Any:
        """Return requests with their objects."""
        found = rendered_requests(rows if many else [rows], caller_of(self.request).client)
        return found if many else found[0]

    def find(self, queryset: Any = None) -> Any:
        """Return the request in the path; raise `Problem` (404), with the reason if it was deleted."""
        try:
            return super().find(queryset)
        except Problem as problem:
            if problem.status == HTTPStatus.NOT_FOUND and int(self.kwargs["pk"]) <= last_removed():
                raise not_found(_GONE.format(self.kwargs["pk"], settings.ENV.request_days)) from None
            raise

    def retrieve(self, request: Call, pk: str) -> Response:
        """Return one request. `Prefer: wait=N` waits for its end."""
        wait = Wait.read(request)
        row = self.find()
        wait.until(lambda: request_ended(row.pk), request_name(row.pk))
        return Response(self.rendered(self.find()), headers=wait.headers)


@extend_schema_view(
    list=extend_schema(operation_id="operations_list", tags=["requests"]),
    retrieve=extend_schema(operation_id="operations_read", tags=["requests"], parameters=[PREFER]),
)
class OperationViewSet(ListAndRead):
    """Operations: bulk calls and their progress."""

    queryset = Operation.objects.all()
    serializer_class = OperationSerializer
    noun = "operation"
    clients = BOTH_READ
    filters = (ID, QueryFilterField("created_at", "created_at", TIME, ("gte", "lte")))

    def own(self, client: Client) -> Q:
        """Return the condition for calls with announcements of the client."""
        return _with_requests_of(client)

    def rendered(self, rows: Any, many: bool = False) -> Any:
        """Return operations with the states of their requests."""
        found = rendered_operations(rows if many else [rows], caller_of(self.request).client)
        return found if many else found[0]

    def retrieve(self, request: Call, pk: str) -> Response:
        """Return one operation. `Prefer: wait=N` waits for the end of all its requests."""
        wait = Wait.read(request)
        row = self.find()
        wait.until(lambda: operation_ended(row.pk), operation_name(row.pk))
        return Response(self.rendered(row), headers=wait.headers)


@extend_schema_view(list=extend_schema(operation_id="operations_results", tags=["requests"]))
class OperationResultsViewSet(Resource):
    """Result of each item of a bulk call."""

    queryset = Request.objects.all()
    serializer_class = RequestSerializer
    noun = "operation"
    clients = BOTH_READ
    orderings = ("index",)
    filters = (STATE, QueryFilterField("index", "index", INTEGER, ("in", "gte", "lte")))

    def own(self, client: Client) -> Q:
        """Return the condition for requests that concern announcements of the client."""
        return of_client(client)

    def list(self, request: Call, pk: str) -> Response:
        """Return a page of the requests of the items, in the order of the call."""
        client = caller_of(request).client
        row = self.find(Operation.objects.filter(_with_requests_of(client) if client else Q()))
        rows = self.paginate_queryset(self.filter_queryset(self.rows().filter(operation=row)))
        return self.get_paginated_response(rendered_requests(rows or [], client))


@extend_schema_view(list=extend_schema(operation_id="operations_refused", tags=["requests"]))
class RefusedItemsViewSet(Resource):
    """Skipped items of a bulk call with `atomic=false`."""

    queryset = RefusedItem.objects.all()
    serializer_class = RefusedItemSerializer
    noun = "operation"
    clients = BOTH_READ
    orderings = ("index",)
    filters = (QueryFilterField("index", "index", INTEGER, ("in", "gte", "lte")),)

    def list(self, request: Call, pk: str) -> Response:
        """Return a page of the skipped items with their errors, in the order of the call."""
        client = caller_of(request).client
        row = self.find(Operation.objects.filter(_with_requests_of(client) if client else Q()))
        refused = self.get_queryset().filter(operation=row)
        if client is not None and row.client != str(client):
            refused = refused.none()  # skipped items of another caller
        rows = self.paginate_queryset(self.filter_queryset(refused))
        return self.get_paginated_response(self.rendered(rows or [], many=True))


def _with_requests_of(client: Client) -> Q:
    return Q(pk__in=Request.objects.filter(of_client(client)).values("operation"))
