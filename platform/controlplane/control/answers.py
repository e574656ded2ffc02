"""The answers of calls that change the network: 202 with what was logged, or what it would cost."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count
from drf_spectacular.utils import OpenApiResponse, PolymorphicProxySerializer
from rest_framework import status
from rest_framework.response import Response

from controlplane.affected.answer import affected
from controlplane.api.prefer import Awaited, Wait, awaited
from controlplane.api.views import url
from controlplane.control.changes import Logged, Payload
from controlplane.control.dry_run import CostSerializer, Encodings, cost
from controlplane.control.models import FINAL_STATES, Operation, Request, State
from controlplane.control.objects import objects_of
from controlplane.control.serializers import OperationSerializer, RequestSerializer
from controlplane.registry.unreachable import of_requests

COST = CostSerializer
ACCEPTED = OpenApiResponse(RequestSerializer, "Logged; `Location` names the request.")
ACCEPTED_ANY = OpenApiResponse(
    PolymorphicProxySerializer("RequestOrOperation", [RequestSerializer, OperationSerializer], None),
    "Logged; `Location` names the request, or the operation for a list.",
)


def rendered_requests(rows: Sequence[Request]) -> list[dict[str, Any]]:
    """The request resources, their objects looked up together."""
    context = {"objects": objects_of(rows), "unreachable": of_requests(rows)}
    serializer = RequestSerializer(rows, many=True, context=context)
    return list(serializer.data)


def rendered_operations(rows: Sequence[Operation]) -> list[dict[str, Any]]:
    """The operation resources, their requests counted together."""
    requests = Request.objects.filter(operation__in=[row.pk for row in rows]).order_by()
    states: dict[int, dict[str, int]] = defaultdict(dict)
    for pk, state, n in requests.values_list("operation", "state").annotate(n=Count("id")):
        states[pk][state] = n
    merging = _merging(pk for pk, counts in states.items() if counts.keys() - {State.QUEUED, State.PLANNING})
    return list(OperationSerializer(rows, many=True, context={"states": states, "merging": merging}).data)


def _merging(operations: Iterable[int]) -> dict[int, list[tuple[datetime, dict[str, Any]]]]:
    """By operation, when its requests that merge something were decided, and what they merge."""
    found: dict[int, list[tuple[datetime, dict[str, Any]]]] = defaultdict(list)
    if ids := list(operations):
        rows = Request.objects.filter(operation__in=ids, merging__isnull=False).order_by()
        for pk, decided, merging in rows.values_list("operation", "computed_at", "merging"):
            if pk is not None and decided is not None and merging is not None:
                found[pk].append((decided, merging))
    return found


def accepted(wait: Wait, logged: Logged) -> Awaited:
    """202 with the request (or operation) resource, after the wait that the caller asked for."""
    pk = logged.pk
    if isinstance(logged, Request):
        return awaited(wait, lambda: request_ended(pk), lambda: _request_answer(pk))
    return awaited(wait, lambda: operation_ended(pk), lambda: _operation_answer(logged))


def _request_answer(pk: int) -> Response:
    body = rendered_requests([Request.objects.get(pk=pk)])[0]
    return Response(body, status.HTTP_202_ACCEPTED, headers={"Location": url("requests", pk)})


def _operation_answer(logged: Operation) -> Response:
    body = rendered_operations([logged])[0]
    return Response(body, status.HTTP_202_ACCEPTED, headers={"Location": url("operations", logged.pk)})


def cost_answer(
    payloads: Sequence[Payload],
    encodings: Encodings | None = None,
    items: int | None = None,
    removed: Any = None,
) -> Response:
    """200 with what the payloads would cost, and whom it affects that `removed` goes; nothing is stored."""
    told = cost(payloads, encodings, len(payloads) if items is None else items)
    return Response(told if removed is None else {**told, "affected": affected(removed)})


def request_ended(pk: int) -> bool:
    """Whether the request is in a final state."""
    return Request.objects.filter(pk=pk, state__in=FINAL_STATES).exists()


def operation_ended(pk: int) -> bool:
    """Whether all requests of the operation are in a final state."""
    return not Request.objects.filter(operation=pk).exclude(state__in=FINAL_STATES).exists()
