"""Hosts, as the API reads and shows them."""

from datetime import datetime
from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.network.models import Host
from controlplane.registry.models import Origin
from controlplane.rest.base_views import url
from controlplane.rest.fields import (
    MAX_PORT,
    HostAddress,
    Integer,
    Mac,
    Name,
    Reference,
)
from controlplane.signalling.models import signals_of
from controlplane.telemetry.activity.delivery_counts import NOTHING_REPORTED, DeliveryArrivals
from controlplane.web.network.serializers import MAX_STANDBY, request_url


class AttachmentSerializer(serializers.Serializer[Any]):
    """A port of a switch that a host is attached to."""

    switch = Reference(help_text="name of a switch")
    port = Integer(min_value=1, max_value=MAX_PORT)


class HostSerializer(serializers.ModelSerializer[Host]):
    """A host."""

    url = serializers.SerializerMethodField()
    switch = serializers.CharField(source="switch.name")
    standby = AttachmentSerializer(many=True)
    origin = serializers.SerializerMethodField()
    last_seen_at = serializers.SerializerMethodField()
    delivered = serializers.SerializerMethodField(
        help_text="events that reached it, over all reporters; null: nobody has reported any"
    )
    unwanted = serializers.SerializerMethodField(help_text="those of them that no subscription there wanted")
    last_event_at = serializers.SerializerMethodField(help_text="when the last of them came, if anybody told")
    has_key = serializers.SerializerMethodField()
    request = serializers.SerializerMethodField()
    removal = serializers.SerializerMethodField()

    class Meta:
        model = Host
        fields = (
            "id",
            "url",
            "name",
            "switch",
            "port",
            "ip",
            "mac",
            "standby",
            "origin",
            "last_seen_at",
            "delivered",
            "unwanted",
            "last_event_at",
            "has_key",
            "request",
            "removal",
            "created_at",
        )
        read_only_fields = fields

    def get_url(self, row: Host) -> str:
        """Where it can be read again."""
        return url("hosts", row.pk)

    @extend_schema_field(serializers.ChoiceField(choices=Origin.choices))
    def get_origin(self, row: Host) -> str:
        """How it was registered."""
        return str(Origin.IN_BAND if signals_of(row).in_band else Origin.API)

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_last_seen_at(self, row: Host) -> Any:
        """When its last control message came in; null while none has."""
        return signals_of(row).last_seen_at

    def arrivals(self, row: Host) -> DeliveryArrivals:
        """What was reported of it."""
        found: DeliveryArrivals = self.context["arrivals"].get(row.pk, NOTHING_REPORTED)
        return found

    def get_delivered(self, row: Host) -> int | None:
        """How many events reached it."""
        return self.arrivals(row).delivered

    def get_unwanted(self, row: Host) -> int | None:
        """How many of them for nothing."""
        return self.arrivals(row).unwanted

    def get_last_event_at(self, row: Host) -> datetime | None:
        """When the last one came."""
        return self.arrivals(row).last_at

    def get_has_key(self, row: Host) -> bool:
        """Whether its control messages need a seal."""
        return signals_of(row).has_key

    def get_request(self, row: Host) -> str | None:
        """The request that added it."""
        return request_url(row.request_id)

    def get_removal(self, row: Host) -> str | None:
        """The request that removes it."""
        return request_url(row.removal_id)


@extend_schema_serializer(
    examples=[
        OpenApiExample(
            "host",
            {
                "name": "h1",
                "switch": "s1",
                "port": 3,
                "ip": "fd00::1",
                "mac": "02:00:00:00:00:01",
                "standby": [{"switch": "s2", "port": 4}],
            },
        )
    ]
)
class HostCreateSerializer(serializers.Serializer[Any]):
    """A new host."""

    name = Name()
    switch = Reference(help_text="name of a switch")
    port = Integer(min_value=1, max_value=MAX_PORT)
    ip = HostAddress(version=4 if settings.ADDRESS_FAMILY == "ipv4" else 6)
    mac = Mac()
    standby = AttachmentSerializer(  # type: ignore[call-arg] # max_length is for many=True
        many=True,
        default=list,
        max_length=MAX_STANDBY,
        help_text="used in order while the earlier ones are down",
    )


class HostChangeSerializer(serializers.Serializer[Any]):
    """Where a host moves to."""

    switch = Reference(required=False)
    port = Integer(min_value=1, max_value=MAX_PORT, required=False)
