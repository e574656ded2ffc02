"""Views of `/api/v1/topics/`."""

from typing import Any

from django.db.models import Q
from drf_spectacular.utils import (
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_view,
)
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.callers import Client, caller_of
from controlplane.registry import topics
from controlplane.rest.base_views import ListAndRead, WriteOptions, url
from controlplane.rest.openapi import ATOMIC, DRY_RUN, WRITE
from controlplane.rest.permissions import BOTH_READ
from controlplane.rest.query_parameters import (
    ID,
    INTEGER,
    QueryFilterField,
    read_id,
)
from controlplane.rest.request_body import read_body
from controlplane.web.registry.topic_serializers import (
    TopicChangeSerializer,
    TopicCreateSerializer,
    TopicSerializer,
)
from controlplane.web.registry.views import CREATED, GONE, NAME
from controlplane.web.requests.accepted_responses import ACCEPTED, COST, accepted, cost_answer


@extend_schema_view(
    list=extend_schema(operation_id="topics_list", tags=["topics"]),
    retrieve=extend_schema(operation_id="topics_read", tags=["topics"]),
)
class TopicViewSet(ListAndRead):
    """Topics: event spaces with ordered attributes, some of which are indexed."""

    serializer_class = TopicSerializer
    noun = "topic"
    clients = BOTH_READ
    filters = (ID, NAME, QueryFilterField("code", "code", INTEGER, ("in",)), CREATED)
    search = ("name",)
    orderings = ("id", "name", "code")

    def get_queryset(self) -> Any:
        """Return all topics that are not being removed."""
        return topics.visible()

    def rendered(self, rows: Any, many: bool = False) -> Any:
        """Return topics with the numbers of their announcements."""
        counts = topics.counts_of(rows if many else [rows], caller_of(self.request).client)
        context = {**self.get_serializer_context(), "counts": counts}
        return TopicSerializer(rows, many=many, context=context).data

    def own(self, client: Client) -> Q:
        """Return a condition for all topics: every client token may read them."""
        return Q()

    @extend_schema(
        operation_id="topics_create",
        tags=["topics"],
        request=TopicCreateSerializer,
        responses={201: TopicSerializer, 200: COST},
        parameters=[DRY_RUN, ATOMIC],
    )
    def create(self, request: Request) -> Response:
        """Create a topic."""
        options = WriteOptions.read(request)
        body = read_body(request, TopicCreateSerializer())
        if options.dry_run:
            return cost_answer([topics.payload(topics.draft(body))])
        row = topics.add(body, request.user)
        return Response(
            self.rendered(row), status.HTTP_201_CREATED, headers={"Location": url("topics", row.pk)}
        )

    @extend_schema(
        operation_id="topics_update",
        tags=["topics"],
        request=TopicChangeSerializer,
        responses={
            202: ACCEPTED,
            200: PolymorphicProxySerializer("TopicOrCost", [TopicSerializer, COST], None),
        },
        parameters=[*WRITE],
    )
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change the indexed attributes, their automatic choice, the cuts, or the seal of a topic."""
        options = WriteOptions.read(request)
        body = read_body(request, TopicChangeSerializer(partial=True))
        values = topics.read_change(body, self.find())
        if options.dry_run:
            asked = topics.change_payload(self.find(), values)
            return cost_answer([asked] if asked else [])
        row, logged = topics.change(read_id(pk), values, request.user)
        return accepted(options.wait, logged) if logged else Response(self.rendered(row))

    @extend_schema(
        operation_id="topics_delete",
        tags=["topics"],
        request=None,
        responses={204: GONE, 200: COST},
        parameters=[DRY_RUN, ATOMIC],
    )
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a topic; 409 while it is in use."""
        if WriteOptions.read(request).dry_run:
            row = topics.removable(read_id(pk))
            return cost_answer([topics.removal(row)], removed=row)
        topics.remove(read_id(pk), request.user)
        return Response(status=status.HTTP_204_NO_CONTENT)
