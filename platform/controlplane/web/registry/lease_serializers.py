"""Serializers of leases and moves."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

from controlplane.registry.transitions.models import Move, Stage
from controlplane.rest.fields import Integer, Name
from controlplane.web.registry.attribute_schema import CutsField, IndexedField
from controlplane.web.registry.serializers import request_url
from controlplane.web.registry.topic_serializers import SealSerializer


@extend_schema_serializer(examples=[OpenApiExample("lease", {"holder": "3f7c", "version": None})])
class LeaseRequestSerializer(serializers.Serializer[Any]):
    """State of a publisher that asks for a lease."""

    holder = Name(max_length=64, help_text="unique name of the publisher process, equal in all its calls")
    version = Integer(
        min_value=1,
        max_value=2**31 - 1,
        allow_null=True,
        help_text="version that the publisher uses now, and no other; null: it does not have one yet",
    )


class LeaseSerializer(serializers.Serializer[Any]):
    """Encoding to use from now on, with its validity."""

    topic = serializers.CharField(help_text="name of the topic")
    version = serializers.IntegerField(help_text="version of the encoding; confirm it in the next call")
    code = serializers.IntegerField(help_text="topic code in the addresses of events")
    indexed = serializers.ListField(child=serializers.CharField(), help_text="indexed attributes")
    cuts = CutsField(help_text="cuts, which the first bits of a dz follow; empty: no cuts")
    expires_in = serializers.FloatField(
        help_text="seconds of validity; send no event after this time until a call is answered"
    )
    poll_in = serializers.FloatField(help_text="seconds until the next call")
    seal = SealSerializer(allow_null=True, help_text="key to seal events with; null: events are not sealed")


class MoveSerializer(serializers.ModelSerializer[Move]):
    """Change of a topic from one encoding to another."""

    topic = serializers.CharField(source="topic.name", help_text="name of the topic")
    request = serializers.SerializerMethodField()
    stage = serializers.ChoiceField(choices=Stage.choices, help_text="stage of the migration")
    indexed = IndexedField(help_text="indexed attributes of the new encoding")
    cuts = CutsField(help_text="cuts of the new encoding; empty: no cuts")

    class Meta:
        model = Move
        fields = (
            "id",
            "topic",
            "request",
            "version",
            "code",
            "indexed",
            "cuts",
            "stage",
            "in_place",
            "told_at",
            "followed_at",
        )
        read_only_fields = fields

    def get_request(self, row: Move) -> str | None:
        """Address of the request that causes the move."""
        return request_url(row.request_id)
