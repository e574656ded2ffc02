"""Links, as the API reads and shows them."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

from controlplane.network.models import Link
from controlplane.rest.base_views import url
from controlplane.rest.fields import (
    MAX_PORT,
    Flag,
    Integer,
    Reference,
)
from controlplane.web.network.serializers import request_url

MAX_COST = (1 << 31) - 1


class LinkSerializer(serializers.ModelSerializer[Link]):
    """A link between two switches."""

    lost = serializers.IntegerField(
        help_text="packets sent into it that did not arrive, counted when it is down"
    )

    url = serializers.SerializerMethodField()
    a = serializers.CharField(source="a.name")
    b = serializers.CharField(source="b.name")
    request = serializers.SerializerMethodField()
    removal = serializers.SerializerMethodField()

    class Meta:
        model = Link
        fields = (
            "id",
            "url",
            "a",
            "a_port",
            "b",
            "b_port",
            "cost",
            "up",
            "discovered_at",
            "lost",
            "request",
            "removal",
            "created_at",
        )
        read_only_fields = fields

    def get_url(self, row: Link) -> str:
        """Where it can be read again."""
        return url("links", row.pk)

    def get_request(self, row: Link) -> str | None:
        """The request that added it."""
        return request_url(row.request_id)

    def get_removal(self, row: Link) -> str | None:
        """The request that removes it."""
        return request_url(row.removal_id)


@extend_schema_serializer(
    examples=[OpenApiExample("link", {"a": "s1", "a_port": 1, "b": "s2", "b_port": 1, "cost": 1})]
)
class LinkCreateSerializer(serializers.Serializer[Any]):
    """A new link; both ends are named."""

    a = Reference(help_text="name of a switch")
    a_port = Integer(min_value=1, max_value=MAX_PORT)
    b = Reference(help_text="name of another switch")
    b_port = Integer(min_value=1, max_value=MAX_PORT)
    cost = Integer(min_value=1, max_value=MAX_COST, default=1)


class LinkChangeSerializer(serializers.Serializer[Any]):
    """What can be changed of a link."""

    up = Flag(required=False)
