"""Views of `/api/v1/moves/` and of the publishers' leases."""

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
    """Moves: changes of topics from one encoding to another, in progress or complete."""

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
    """Leases for the encoding of an advertisement's events, for client tokens and operators."""

    queryset = Lease.objects.all()
    serializer_class = LeaseSerializer
    noun = "lease"
    remedy = (
        "Publishers take leases with their own client token. Ask an operator to create one "
        "(POST tokens/ with `publisher`)."
    )
    audited = keyed = versioned = False
    clients: ClassVar[Clients] = {PUBLISHER: frozenset({"POST", "DELETE"})}
    pagination_class = None
    filter_backends = ()
    write_parameters: ClassVar[frozenset[str]] = frozenset({"holder"})

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the call like any view, and allow a client token only leases of its publisher."""
        super().initial(request, *args, **kwargs)
        client = caller_of(request).client
        if client is not None and self.action is not None:
            self.check_own(client)

    def check_own(self, client: Client) -> None:
        """Raise `Problem` (404) unless the advertisement in the path belongs to the client."""
        pk = read_id(self.kwargs["pk"])
        if not Advertisement.objects.filter(pk=pk, publisher=client.pk).exists():
            raise not_found(f"Your publisher has no advertisement {pk}.")

    @extend_schema(
        operation_id="advertisements_lease",
        tags=["advertisements"],
        request=LeaseRequestSerializer,
        responses={200: LeaseSerializer},
    )
    def create(self, request: Request, pk: str) -> Response:
        """Return the encoding to use, and record the version that the publisher uses now."""
        body = read_one(request, LeaseRequestSerializer())
        caller = owner_of(request)
        answer = leases.hold(read_id(pk), body["holder"], body["version"], caller)
        return Response(answer, headers={"Cache-Control": "no-store"})

    @extend_schema(
        operation_id="advertisements_release",
        tags=["advertisements"],
        request=None,
        responses={204: None},
        parameters=[OpenApiParameter("holder", str, required=True, description="holder to release")],
    )
    def destroy(self, request: Request, pk: str) -> Response:
        """Return a lease. The publisher sends no more events."""
        holder = request.query_params.get("holder")
        if not holder:
            detail = "holder is missing. Give the holder of the lease to return."
            raise bad_parameter("holder", "required", detail)
        leases.release(read_id(pk), holder)
        return Response(status=status.HTTP_204_NO_CONTENT)
