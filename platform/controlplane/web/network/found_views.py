"""Views of `/api/v1/found-links/`: discovered links that an operator approves or rejects."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.network import found_links
from controlplane.network.models import FoundLink, FoundReason, FoundState
from controlplane.rest.base_views import ListAndRead
from controlplane.rest.openapi import PREFER
from controlplane.rest.prefer_header import Wait
from controlplane.rest.query_parameters import ID, INTEGER, TEXT, TIME, QueryFilterField, choice, read_id
from controlplane.web.requests.accepted_responses import ACCEPTED, accepted


class FoundLinkSerializer(serializers.ModelSerializer[FoundLink]):
    """Link that probes cross and that is not in the network."""

    a = serializers.CharField(source="a.name")
    b = serializers.CharField(source="b.name")

    class Meta:
        model = FoundLink
        fields = (
            "id",
            "a",
            "a_port",
            "b",
            "b_port",
            "state",
            "reason",
            "detail",
            "found_at",
            "seen_at",
            "decided_by",
            "decided_at",
        )
        read_only_fields = fields


@extend_schema_view(
    list=extend_schema(operation_id="found_links_list", tags=["links"]),
    retrieve=extend_schema(operation_id="found_links_read", tags=["links"]),
)
class FoundLinkViewSet(ListAndRead):
    """Found links that wait for approval or are rejected."""

    queryset = FoundLink.objects.select_related("a", "b")
    serializer_class = FoundLinkSerializer
    noun = "found link"
    write_parameters: ClassVar[frozenset[str]] = frozenset()
    filters = (
        ID,
        QueryFilterField("a", "a__name", TEXT, ("in",)),
        QueryFilterField("a_port", "a_port", INTEGER),
        QueryFilterField("b", "b__name", TEXT, ("in",)),
        QueryFilterField("b_port", "b_port", INTEGER),
        QueryFilterField("state", "state", choice(*FoundState.values), ("in",)),
        QueryFilterField("reason", "reason", choice(*FoundReason.values), ("in",)),
        QueryFilterField("found_at", "found_at", TIME, ("gte", "lte")),
    )
    search = ("a__name", "b__name")

    @extend_schema(
        operation_id="found_links_approve",
        tags=["links"],
        request=None,
        responses={202: ACCEPTED},
        parameters=[PREFER],
    )
    def approve(self, request: Request, pk: str) -> Response:
        """Add the link to the network."""
        wait = Wait.read(request)
        self.find()
        return accepted(wait, found_links.approve(read_id(pk), request.user))

    @extend_schema(
        operation_id="found_links_reject",
        tags=["links"],
        request=None,
        responses={200: FoundLinkSerializer},
    )
    def reject(self, request: Request, pk: str) -> Response:
        """Keep the link out of the network until it is approved."""
        self.find()
        return Response(self.rendered(found_links.reject(read_id(pk), request.user)))
