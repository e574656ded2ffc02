"""Answers of calls that change the network: the logged request (202) or the cost (200)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count
from drf_spectacular.utils import OpenApiResponse, PolymorphicProxySerializer
from rest_framework import status
from rest_framework.response import Response

from controlplane.accounts.callers import Client
from controlplane.common.notifications.end_notifications import operation_name, request_name
from controlplane.explain.call_cost import Encodings, cost
from controlplane.explain.impact.counts import affected
from controlplane.planning.request_objects import objects_of, of_client
from controlplane.registry.disclosure import cost_for, request_for
from controlplane.registry.missing_path_text import of_requests
from controlplane.requestlog.logged_rows import Logged, Payload
from controlplane.requestlog.models import FINAL_STATES, Operation, Request, State
from controlplane.rest.base_views import url
from controlplane.rest.prefer_header import Awaited, Wait
from controlplane.web.requests.cost_serializers import CostSerializer
from controlplane.web.requests.serializers import OperationSerializer, RequestSerializer

COST = CostSerializer
ACCEPTED = OpenApiResponse(RequestSerializer, "Logged; `Location` is the address of the request.")
ACCEPTED_ANY = OpenApiResponse(
    PolymorphicProxySerializer("RequestOrOperation", [RequestSerializer, OperationSerializer], None),
    "Logged; `Location` is the address of the request, or of the operation for a list.",
)


def rendered_requests(rows: Sequence[Request], client: Client | None = None) -> list[dict[str, Any]]:
    """Render requests with their objects; for `client`, without data of others."""
    named = client is None
    context = {"objects": objects_of(rows), "unreachable": of_requests(rows), "named": named}
    serializer = RequestSerializer(rows, many=True, context=context)
    return [request_for(each, client) for each in serializer.data]


def rendered_operations(rows: Sequence[Operation], client: Client | None = None) -> list[dict[str, Any]]:
    """Render operations with the counts of their requests; for `client`, only its own requests."""
    requests = Request.objects.filter(operation__in=[row.pk for row in rows]).order_by()
    if client is not None:
        requests = requests.filter(of_client(client))
    states: dict[int, dict[str, int]] = defaultdict(dict)
    for pk, state, n in requests.values_list("operation", "state").annotate(n=Count("id")):
        states[pk][state] = n
    if client is not None:
        return [_of_client(row, states[row.pk], client) for row in rows]
    merging = _merging(pk for pk, counts in states.items() if counts.keys() - {State.QUEUED, State.PLANNING})
    return list(OperationSerializer(rows, many=True, context={"states": states, "merging": merging}).data)


def _of_client(row: Operation, states: dict[str, int], client: Client) -> dict[str, Any]:
    """Render an operation for a client token. Of others' calls it counts only own items."""
    if row.client != str(client):
        row.items, row.refused = sum(states.values()), 0
    return dict(OperationSerializer(row, context={"states": {row.pk: states}, "merging": {}}).data)


def _merging(operations: Iterable[int]) -> dict[int, list[tuple[datetime, dict[str, Any]]]]:
    """Return time and merged entries of each request that merges, by operation."""
    found: dict[int, list[tuple[datetime, dict[str, Any]]]] = defaultdict(list)
    if ids := list(operations):
        rows = Request.objects.filter(operation__in=ids, merging__isnull=False).order_by()
        for pk, decided, merging in rows.values_list("operation", "computed_at", "merging"):
            if pk is not None and decided is not None and merging is not None:
                found[pk].append((decided, merging))
    return found


def accepted(wait: Wait, logged: Logged, client: Client | None = None) -> Awaited:
    """Return 202 with the request or operation, after the wait that the caller asked for."""
    pk = logged.pk
    if isinstance(logged, Request):
        return Awaited(wait, lambda: request_ended(pk), lambda: _request_answer(pk, client), request_name(pk))
    return Awaited(
        wait, lambda: operation_ended(pk), lambda: _operation_answer(logged, client), operation_name(pk)
    )


def _request_answer(pk: int, client: Client | None) -> Response:
    body = rendered_requests([Request.objects.get(pk=pk)], client)[0]
    return Response(body, status.HTTP_202_ACCEPTED, headers={"Location": url("requests", pk)})


def _operation_answer(logged: Operation, client: Client | None) -> Response:
    body = rendered_operations([logged], client)[0]
    return Response(body, status.HTTP_202_ACCEPTED, headers={"Location": url("operations", logged.pk)})


def cost_answer(
    payloads: Sequence[Payload],
    encodings: Encodings | None = None,
    items: int | None = None,
    removed: Any = None,
    client: Client | None = None,
) -> Response:
    """Return 200 with the cost of the payloads, and the effects if `removed` is removed.

    Nothing is stored. For `client`, numbers replace data that a client token may not read.
    """
    estimate = cost(payloads, encodings, len(payloads) if items is None else items)
    if removed is not None:
        estimate["affected"] = affected(removed)
    return Response(cost_for(estimate, client))


def request_ended(pk: int) -> bool:
    """Whether the request is in a final state."""
    return Request.objects.filter(pk=pk, state__in=FINAL_STATES).exists()


def operation_ended(pk: int) -> bool:
    """Whether all requests of the operation are in a final state."""
    return not Request.objects.filter(operation=pk).exclude(state__in=FINAL_STATES).exists()
