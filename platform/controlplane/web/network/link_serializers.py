"""Serializers of links."""

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
    """Link between two switches."""

    lost = serializers.IntegerField(
        help_text="packets sent into the link that did not arrive, counted when the link is down"
    )

    url = serializers.SerializerMethodField()
    a = serializers.CharField(source="a.name", help_text="switch at one end")
    b = serializers.CharField(source="b.name", help_text="switch at the other end")
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
        """Address of the link."""
        return url("links", row.pk)

    def get_request(self, row: Link) -> str | None:
        """Address of the request that adds it."""
        return request_url(row.request_id)

    def get_removal(self, row: Link) -> str | None:
        """Address of the request that removes it."""
        return request_url(row.removal_id)


@extend_schema_serializer(
    examples=[OpenApiExample("link", {"a": "s1", "a_port": 1, "b": "s2", "b_port": 1, "cost": 1})]
)
class LinkCreateSerializer(serializers.Serializer[Any]):
    """Link to add, with the switch and port of both ends."""

    a = Reference(help_text="switch at one end")
    a_port = Integer(min_value=1, max_value=MAX_PORT, help_text="port at this end")
    b = Reference(help_text="switch at the other end")
    b_port = Integer(min_value=1, max_value=MAX_PORT, help_text="port at the other end")
    cost = Integer(min_value=1, max_value=MAX_COST, default=1, help_text="cost of the link in path selection")


class LinkChangeSerializer(serializers.Serializer[Any]):
    """Changes of a link."""

    up = Flag(required=False, help_text="false: the link is not used")
