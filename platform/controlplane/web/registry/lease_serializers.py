"""Leases and moves, as the API reads and shows them."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

from controlplane.registry.transitions.models import Move, Stage
from controlplane.rest.fields import Integer, Name
from controlplane.web.registry.attribute_schema import IndexedField
from controlplane.web.registry.serializers import request_url
from controlplane.web.registry.topic_serializers import SealSerializer


@extend_schema_serializer(examples=[OpenApiExample("lease", {"holder": "3f7c", "version": None})])
class LeaseRequestSerializer(serializers.Serializer[Any]):
    """What a publisher says of itself."""

    holder = Name(max_length=64, help_text="a name of the running publisher's own, the same in all its calls")
    version = Integer(
        min_value=1,
        max_value=2**31 - 1,
        allow_null=True,
        help_text="the version that it uses, and no other any more; null when it has none yet",
    )


class LeaseSerializer(serializers.Serializer[Any]):
    """The encoding to use from now on, and for how long without asking again."""

    topic = serializers.CharField()
    version = serializers.IntegerField(help_text="confirm it in the next call")
    code = serializers.IntegerField(help_text="the topic code of the events' addresses")
    indexed = serializers.ListField(child=serializers.CharField())
    expires_in = serializers.FloatField(help_text="seconds; then send nothing before the next answer")
    poll_in = serializers.FloatField(help_text="seconds until the next call is expected")
    seal = SealSerializer(allow_null=True, help_text="what events are to be sealed with; null: they are not")


class MoveSerializer(serializers.ModelSerializer[Move]):
    """A topic on its way to another encoding."""

    topic = serializers.CharField(source="topic.name")
    request = serializers.SerializerMethodField()
    stage = serializers.ChoiceField(choices=Stage.choices)
    indexed = IndexedField()

    class Meta:
        model = Move
        fields = (
            "id",
            "topic",
            "request",
            "version",
            "code",
            "indexed",
            "stage",
            "in_place",
            "told_at",
            "followed_at",
        )
        read_only_fields = fields

    def get_request(self, row: Move) -> str | None:
        """The request that ends with it."""
        return request_url(row.request_id)
