"""View of `/api/v1/topics/<id>/sources/`: the source address of each advertisement's events."""

from typing import Any, ClassVar

from django.db.models import Q
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.callers import SUBSCRIBER, caller_of
from controlplane.accounts.roles import Role
from controlplane.accounts.scopes import Scope
from controlplane.common.problems import not_found
from controlplane.registry import event_keys, topics
from controlplane.registry.duplicates import LASTING
from controlplane.registry.models import Advertisement, SealKey, Subscription, Topic
from controlplane.requestlog.models import State
from controlplane.rest.base_views import Resource, StrictView
from controlplane.rest.permissions import GET, Clients
from controlplane.rest.query_parameters import ID, read_id
from controlplane.web.registry.topic_serializers import SealSerializer
from tercast.client.event_origins import OriginPolicy


class SourceSerializer(serializers.Serializer[Any]):
    """Source of an advertisement's events. Its address never changes."""

    id = serializers.IntegerField(help_text="id of the advertisement; events contain it after an `a`")
    ip = serializers.CharField(source="publisher.host.ip", help_text="IP address of the publisher's host")
    seal = serializers.SerializerMethodField()
    keys = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ChoiceField(choices=tuple(OriginPolicy)))
    def get_seal(self, row: Advertisement) -> str:
        """Whether events are sealed. During a change, accept both sealed and unsealed events."""
        seal: str = self.context["seals"][row.pk]["seal"]
        return seal

    @extend_schema_field(SealSerializer(many=True, allow_null=True))
    def get_keys(self, row: Advertisement) -> list[dict[str, Any]] | None:
        """Keys of seals to accept; null except for subscribers of the topic and operators."""
        keys: list[dict[str, Any]] | None = self.context["seals"][row.pk]["keys"]
        return keys


class KeyNumberSerializer(serializers.ModelSerializer[SealKey]):
    """Newest keys of a topic. Publishers use them after their next lease call."""

    class Meta:
        model = SealKey
        fields = ("number", "made_at")
        read_only_fields = fields


@extend_schema_view(list=extend_schema(operation_id="topics_sources", tags=["topics"]))
class SourceViewSet(Resource):
    """Sources of a topic's events, for viewers and for client tokens of its subscribers."""

    queryset = Advertisement.objects.exclude(state__in=(State.FAILED, State.WITHDRAWN)).select_related(
        "publisher__host"
    )
    serializer_class = SourceSerializer
    noun = "topic"
    clients: ClassVar[Clients] = {SUBSCRIBER: GET}
    filters = (ID,)

    def list(self, request: Request, pk: str) -> Response:
        """Return a page of advertisements with the source address of their events."""
        topic = self._topic()
        rows = self.get_queryset().filter(topic=topic)
        page = self.paginate_queryset(self.filter_queryset(rows)) or []
        caller = caller_of(request)
        entitled = caller.client is not None or caller.has(Role.OPERATOR, Scope.WRITE)
        seals = event_keys.seals_of_sources(topic, (row.pk for row in page), entitled)
        shown = SourceSerializer(page, many=True, context={"seals": seals}).data
        response = self.get_paginated_response(shown)
        response["Cache-Control"] = "no-store"
        return response

    def _topic(self) -> Topic:
        """Return the topic.

        Raises:
            Problem: 404 if the topic does not exist, or if the client's subscriber has no subscription to it.
        """
        topic: Topic = self.find(topics.visible())
        client = caller_of(self.request).client
        if client is not None and not _subscribes(client.pk, topic):
            raise not_found(
                f"{client.name} has no subscription to a topic {topic.pk}. Subscribe to it first."
            )
        return topic


def _subscribes(subscriber: int, topic: Topic) -> bool:
    return Subscription.objects.filter(LASTING & Q(subscriber=subscriber, topic=topic)).exists()


class SealKeyView(StrictView):
    """Keys of a sealed topic."""

    keyed = versioned = False

    @extend_schema(
        operation_id="topics_rotate_keys", tags=["topics"], request=None, responses={201: KeyNumberSerializer}
    )
    def post(self, request: Request, pk: str) -> Response:
        """Replace the keys of a sealed topic. The old keys remain valid for a limited time."""
        return Response(KeyNumberSerializer(event_keys.rotate(read_id(pk))).data, status.HTTP_201_CREATED)
