"""Serializers of topics."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.registry.models import Topic
from controlplane.rest.base_views import url
from controlplane.rest.fields import Flag, Integer, Name
from controlplane.web.registry.attribute_schema import AttributesField, CutsField, IndexedField
from controlplane.web.registry.serializers import request_url

CUTS_HELP = (
    "cuts, which the first bits of a dz follow: the nodes of a binary tree, depth first; empty: no cuts. "
    "Below the leaves, the indexed attributes are halved"
)


class TopicCountsSerializer(serializers.Serializer[Any]):
    """Number of active announcements of a topic, and of their owners."""

    publishers = serializers.IntegerField(help_text="number of publishers that advertise it")
    advertisements = serializers.IntegerField(help_text="number of active advertisements")
    subscribers = serializers.IntegerField(help_text="number of subscribers that subscribe to it")
    subscriptions = serializers.IntegerField(help_text="number of active subscriptions")


class SealSerializer(serializers.Serializer[Any]):
    """Secret key that seals the events of one advertisement."""

    number = serializers.IntegerField(help_text="number of the key")
    key = serializers.CharField(help_text="key: 32 bytes in base64; keep it secret")


class TopicSerializer(serializers.ModelSerializer[Topic]):
    """Topic: an event space with ordered attributes."""

    url = serializers.SerializerMethodField()
    attributes = AttributesField(help_text="attributes, in the order in which they alternate in a dz")
    indexed = IndexedField(help_text="indexed attributes")
    cuts = CutsField(help_text=CUTS_HELP)
    request = serializers.SerializerMethodField()
    reindexing = serializers.SerializerMethodField()
    counts = serializers.SerializerMethodField()

    class Meta:
        model = Topic
        fields = (
            "id",
            "url",
            "name",
            "code",
            "attributes",
            "indexed",
            "cuts",
            "automatic_indexing",
            "seal",
            "request",
            "reindexing",
            "counts",
            "created_at",
        )
        read_only_fields = fields

    @extend_schema_field(TopicCountsSerializer)
    def get_counts(self, row: Topic) -> dict[str, int]:
        """Number of active announcements, and of their owners."""
        counts: dict[str, int] = self.context["counts"][row.pk]
        return counts

    def get_url(self, row: Topic) -> str:
        """Address of the topic."""
        return url("topics", row.pk)

    def get_request(self, row: Topic) -> str | None:
        """Address of the request that added the topic to the planner."""
        return request_url(row.request_id)

    def get_reindexing(self, row: Topic) -> str | None:
        """Address of the last request that changed `indexed` or `cuts`."""
        return request_url(row.reindexing_id)


_TOPIC = {
    "name": "quotes",
    "attributes": [
        {"name": "symbol", "type": "string"},
        {"name": "open", "type": "float", "min": 0.0, "max": 10000.0},
        {"name": "volume", "type": "int", "min": 0, "max": 1000000000},
    ],
    "indexed": ["symbol", "open"],
}


_SEAL_HELP = "true: events are sealed with keys that only publishers and subscribers of the topic get"


@extend_schema_serializer(examples=[OpenApiExample("topic", _TOPIC)])
class TopicCreateSerializer(serializers.Serializer[Any]):
    """Topic to create."""

    name = Name(help_text="name of the topic")
    attributes = AttributesField(help_text="1 to 64 attributes, in the order in which they alternate in a dz")
    indexed = IndexedField(required=False, help_text="names of the indexed attributes; default: all")
    cuts = CutsField(required=False, help_text=CUTS_HELP)
    code = Integer(required=False, min_value=0, help_text="even topic code; default: the lowest unused one")
    seal = Flag(required=False, help_text=_SEAL_HELP)


class TopicChangeSerializer(serializers.Serializer[Any]):
    """Changes of a topic."""

    indexed = IndexedField(required=False, help_text="new indexed attributes; default: no change")
    cuts = CutsField(required=False, help_text="new cuts; empty: remove all cuts; default: no change")
    automatic_indexing = Flag(
        required=False, help_text="true: the platform chooses the indexed attributes from past events"
    )
    seal = Flag(required=False, help_text=_SEAL_HELP)
