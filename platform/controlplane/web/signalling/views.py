"""Views of `/api/v1/signalling/` and of the keys of hosts."""

from base64 import b64encode
from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.common.problems import not_found
from controlplane.network.models import Host
from controlplane.rest.base_views import Resource, Single
from controlplane.rest.query_parameters import ID, INTEGER, TEXT, TIME, QueryFilterField
from controlplane.rest.request_body import read_one
from controlplane.signalling import keys
from controlplane.signalling.models import Policy, Refusal
from controlplane.signalling.policy import change_policy, policy_and_counts
from controlplane.web.signalling.serializers import (
    KeySerializer,
    RefusalSerializer,
    SignallingChangeSerializer,
    SignallingSerializer,
)

NOTHING: frozenset[str] = frozenset()


class KeyViewSet(Resource):
    """Key of a host."""

    queryset = Host.objects.all()
    serializer_class = KeySerializer
    noun = "host"
    secret = True
    write_parameters = NOTHING
    pagination_class = None
    filter_backends = ()

    @extend_schema(
        operation_id="hosts_key_create", tags=["hosts"], request=None, responses={201: KeySerializer}
    )
    def create(self, request: Request, pk: str) -> Response:
        """Create or replace the key of a host. From now on its control messages must be sealed."""
        host = self.find()
        signals, key = keys.give(host)
        shown = {"host": host.name, "key": b64encode(key).decode(), "made_at": signals.key_made_at}
        return Response(KeySerializer(shown).data, status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="hosts_key_delete",
        tags=["hosts"],
        request=None,
        responses={204: OpenApiResponse(description="The key is no longer valid.")},
    )
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete the key of a host. Its control messages no longer need a seal."""
        host = self.find()
        if not keys.take_away(host):
            raise not_found(f"Host {host.name} has no key. Create one with POST.")
        return Response(status=status.HTTP_204_NO_CONTENT)


class SignallingViewSet(Single):
    """Policy of in-band signalling."""

    queryset = Policy.objects.all()
    serializer_class = SignallingSerializer
    noun = "policy"
    write_parameters = NOTHING

    def rendered(self, rows: Any, many: bool = False) -> Any:
        """Return the policy, and the numbers of accepted, dropped and refused messages."""
        return SignallingSerializer(policy_and_counts(rows)).data

    @extend_schema(operation_id="signalling_read", tags=["signalling"], responses=SignallingSerializer)
    def list(self, request: Request) -> Response:
        """Return the policy, and the numbers of accepted, dropped and refused messages."""
        return Response(self.rendered(self.find()))

    @extend_schema(
        operation_id="signalling_update",
        tags=["signalling"],
        request=SignallingChangeSerializer,
        responses=SignallingSerializer,
    )
    def partial_update(self, request: Request) -> Response:
        """Change the policy of in-band signalling."""
        change_policy(read_one(request, SignallingChangeSerializer(partial=True)))
        return self.list(request)


@extend_schema_view(list=extend_schema(operation_id="refusals_list", tags=["signalling"]))
class RefusalViewSet(Resource):
    """Newest control messages that the platform refused."""

    queryset = Refusal.objects.all()
    serializer_class = RefusalSerializer
    noun = "refusal"
    filters = (
        ID,
        QueryFilterField("reason", "reason", TEXT, ("in",)),
        QueryFilterField("host", "host", TEXT, ("in",)),
        QueryFilterField("dpid", "dpid", TEXT, ("in",)),
        QueryFilterField("port", "port", INTEGER),
        QueryFilterField("refused_at", "refused_at", TIME, ("gte", "lte")),
    )
    search = ("reason", "detail", "dpid", "mac", "ip", "host")

    def list(self, request: Request) -> Response:
        """Return a page of refused messages."""
        rows = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response(self.rendered(rows, many=True))
