"""`/api/v1/moves/`, and the leases of publishers."""

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.callers import PUBLISHER, Client, caller_of, owner_of
from controlplane.common.problems import bad_parameter, not_found
from controlplane.registry.models import Advertisement
from controlplane.registry.transitions import leases
from controlplane.registry.transitions.models import Lease, Move, Stage
from controlplane.rest.base_views import ListAndRead, Resource
from controlplane.rest.permissions import Clients
from controlplane.rest.query_parameters import FLAG, ID, INTEGER, TEXT, QueryFilterField, choice, read_id
from controlplane.rest.request_body import read_one
from controlplane.web.registry.lease_serializers import (
    LeaseRequestSerializer,
    LeaseSerializer,
    MoveSerializer,
)


@extend_schema_view(
    list=extend_schema(operation_id="moves_list", tags=["topics"]),
    retrieve=extend_schema(operation_id="moves_read", tags=["topics"]),
)
class MoveViewSet(ListAndRead):
    """Topics that go, or went, from one encoding to another."""

    queryset = Move.objects.select_related("topic")
    serializer_class = MoveSerializer
    noun = "move"
    filters = (
        ID,
        QueryFilterField("topic", "topic__name", TEXT, ("in",)),
        QueryFilterField("request", "request", INTEGER),
        QueryFilterField("stage", "stage", choice(*Stage.values), ("in",)),
        QueryFilterField("in_place", "in_place", FLAG),
    )
    search = ("topic__name",)


class LeaseViewSet(Resource):
    """How a publisher encodes the events of an advertisement: for its client token, and for operators."""

    queryset = Lease.objects.all()
    serializer_class = LeaseSerializer
    noun = "lease"
    remedy = (
        "Publishers take leases with a client token of their own (POST tokens/ with `publisher`). Ask an"
        " operator for one."
    )
    audited = keyed = versioned = False
    clients: ClassVar[Clients] = {PUBLISHER: frozenset({"POST", "DELETE"})}
    pagination_class = None
    filter_backends = ()
    write_parameters: ClassVar[frozenset[str]] = frozenset({"holder"})

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """As of any view; and a client token holds leases of its own advertisements only."""
        super().initial(request, *args, **kwargs)
        client = caller_of(request).client
        if client is not None and self.action is not None:
            self.check_own(client)

    def check_own(self, client: Client) -> None:
        """The path names an advertisement."""
        pk = read_id(self.kwargs["pk"])
        if not Advertisement.objects.filter(pk=pk, publisher=client.pk).exists():
            raise not_found(f"There is no advertisement {pk} of yours.")

    @extend_schema(
        operation_id="advertisements_lease",
        tags=["advertisements"],
        request=LeaseRequestSerializer,
        responses={200: LeaseSerializer},
    )
    def create(self, request: Request, pk: str) -> Response:
        """Ask for the encoding, and confirm the one in use."""
        body = read_one(request, LeaseRequestSerializer())
        caller = owner_of(request)
        answer = leases.hold(read_id(pk), body["holder"], body["version"], caller)
        return Response(answer, headers={"Cache-Control": "no-store"})

    @extend_schema(
        operation_id="advertisements_release",
        tags=["advertisements"],
        request=None,
        responses={204: None},
        parameters=[OpenApiParameter("holder", str, required=True, description="the lease to give back")],
    )
    def destroy(self, request: Request, pk: str) -> Response:
        """Say that it sends nothing any more."""
        holder = request.query_params.get("holder")
        if not holder:
            raise bad_parameter("holder", "required", "holder is missing; it names the lease to give back.")
        leases.release(read_id(pk), holder)
        return Response(status=status.HTTP_204_NO_CONTENT)
