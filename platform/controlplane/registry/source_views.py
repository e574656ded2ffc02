"""`/api/v1/topics/<id>/sources/`: which address the events of each advertisement come from."""

from typing import Any, ClassVar

from django.db.models import Q
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.accounts.callers import SUBSCRIBER, caller_of
from controlplane.api.permissions import GET, Clients
from controlplane.api.problems import not_found
from controlplane.api.query import ID
from controlplane.api.views import Resource
from controlplane.control.models import State
from controlplane.registry import topics
from controlplane.registry.duplicates import LASTING
from controlplane.registry.models import Advertisement, Subscription, Topic


class SourceSerializer(serializers.Serializer[Any]):
    """The source of an advertisement's events; it never changes."""

    id = serializers.IntegerField(help_text="the advertisement's; events bear it behind an `a`")
    ip = serializers.CharField(source="publisher.host.ip", help_text="the address of its host")


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
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset().filter(topic=topic)))
        return self.get_paginated_response(self.rendered(page or [], many=True))

    def _topic(self) -> Topic:
        """The topic; raises `Problem` (404) also where a client token's subscriber has no subscription."""
        topic: Topic = self.find(topics.visible())
        client = caller_of(self.request).client
        if client is not None and not _subscribes(client.pk, topic):
            raise not_found(f"There is no topic {topic.pk} that {client.name} subscribes to.")
        return topic


def _subscribes(subscriber: int, topic: Topic) -> bool:
    return Subscription.objects.filter(LASTING & Q(subscriber=subscriber, topic=topic)).exists()
