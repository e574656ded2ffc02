"""`/api/v1/topics/<id>/sources/`: which address the events of each advertisement come from."""

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
    """The source of an advertisement's events; its address never changes."""

    id = serializers.IntegerField(help_text="the advertisement's; events bear it behind an `a`")
    ip = serializers.CharField(source="publisher.host.ip", help_text="the address of its host")
    seal = serializers.SerializerMethodField()
    keys = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ChoiceField(choices=tuple(OriginPolicy)))
    def get_seal(self, row: Advertisement) -> str:
        """Whether its events are sealed; while that changes, both are to be accepted."""
        seal: str = self.context["seals"][row.pk]["seal"]
        return seal

    @extend_schema_field(SealSerializer(many=True, allow_null=True))
    def get_keys(self, row: Advertisement) -> list[dict[str, Any]] | None:
        """Keys whose seals are to be accepted; null for all but subscribers of the topic and operators."""
        keys: list[dict[str, Any]] | None = self.context["seals"][row.pk]["keys"]
        return keys


class KeyNumberSerializer(serializers.ModelSerializer[SealKey]):
    """The newest keys of a topic; publishers use them from their next question on."""

    class Meta:
        model = SealKey
        fields = ("number", "made_at")
        read_only_fields = fields


@extend_schema_view(list=extend_schema(operation_id="topics_sources", tags=["topics"]))
class SourceViewSet(Resource):
    """Sources of a topic's events: for viewers, and for client tokens of its subscribers."""

    queryset = Advertisement.objects.exclude(state__in=(State.FAILED, State.WITHDRAWN)).select_related(
        "publisher__host"
    )
    serializer_class = SourceSerializer
    noun = "topic"
    clients: ClassVar[Clients] = {SUBSCRIBER: GET}
    filters = (ID,)

    def list(self, request: Request, pk: str) -> Response:
        """Advertisements with the addresses that their events come from."""
        topic = self._topic()
        rows = self.get_queryset().filter(topic=topic)
        page = self.paginate_queryset(self.filter_queryset(rows)) or []
        caller = caller_of(request)
        entitled = caller.client is not None or caller.has(Role.OPERATOR, Scope.WRITE)
        told = event_keys.told_sources(topic, (row.pk for row in page), entitled)
        shown = SourceSerializer(page, many=True, context={"seals": told}).data
        response = self.get_paginated_response(shown)
        response["Cache-Control"] = "no-store"
        return response

    def _topic(self) -> Topic:
        """The topic; raises `Problem` (404) also where a client token's subscriber has no subscription."""
        topic: Topic = self.find(topics.visible())
        client = caller_of(self.request).client
        if client is not None and not _subscribes(client.pk, topic):
            raise not_found(f"There is no topic {topic.pk} that {client.name} subscribes to.")
        return topic


def _subscribes(subscriber: int, topic: Topic) -> bool:
    return Subscription.objects.filter(LASTING & Q(subscriber=subscriber, topic=topic)).exists()


class SealKeyView(StrictView):
    """The keys of a sealed topic."""

    keyed = versioned = False

    @extend_schema(
        operation_id="topics_rotate_keys", tags=["topics"], request=None, responses={201: KeyNumberSerializer}
    )
    def post(self, request: Request, pk: str) -> Response:
        """Replace the keys: publishers use the new ones, and the old ones are accepted for a time."""
        return Response(KeyNumberSerializer(event_keys.rotate(read_id(pk))).data, status.HTTP_201_CREATED)
