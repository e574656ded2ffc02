"""Topics, as the API reads and shows them."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.registry.models import Topic
from controlplane.rest.base_views import url
from controlplane.rest.fields import Flag, Integer, Name
from controlplane.web.registry.attribute_schema import AttributesField, IndexedField
from controlplane.web.registry.serializers import request_url


class TopicCountsSerializer(serializers.Serializer[Any]):
    """What lives of a topic, neither failed nor withdrawn."""

    publishers = serializers.IntegerField(help_text="that advertise it")
    advertisements = serializers.IntegerField()
    subscribers = serializers.IntegerField(help_text="that subscribe to it")
    subscriptions = serializers.IntegerField()


class SealSerializer(serializers.Serializer[Any]):
    """A key that events of one advertisement are sealed with; keep it secret."""

    number = serializers.IntegerField()
    key = serializers.CharField(help_text="32 bytes in base64")


class TopicSerializer(serializers.ModelSerializer[Topic]):
    """A topic."""

    url = serializers.SerializerMethodField()
    attributes = AttributesField()
    indexed = IndexedField()
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
        """What is announced of it; counted together for all rows by the view."""
        counts: dict[str, int] = self.context["counts"][row.pk]
        return counts

    def get_url(self, row: Topic) -> str:
        """Where it can be read again."""
        return url("topics", row.pk)

    def get_request(self, row: Topic) -> str | None:
        """The request that told the planner of it."""
        return request_url(row.request_id)

    def get_reindexing(self, row: Topic) -> str | None:
        """The last request that changed `indexed`."""
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


_SEAL_HELP = "true: events are sealed with keys that publishers and subscribers of the topic alone get"


@extend_schema_serializer(examples=[OpenApiExample("topic", _TOPIC)])
class TopicCreateSerializer(serializers.Serializer[Any]):
    """A new topic."""

    name = Name()
    attributes = AttributesField(help_text="1 to 64, in the order in which they take turns in a dz")
    indexed = IndexedField(required=False, help_text="names; all attributes when left out")
    code = Integer(required=False, min_value=0, help_text="even; the lowest free one when left out")
    seal = Flag(required=False, help_text=_SEAL_HELP)


class TopicChangeSerializer(serializers.Serializer[Any]):
    """What can be changed of a topic."""

    indexed = IndexedField(required=False, help_text="the new indexed attributes")
    automatic_indexing = Flag(
        required=False, help_text="true: the topic chooses by itself, by past events, what it indexes"
    )
    seal = Flag(required=False, help_text=_SEAL_HELP)
