"""Serializers of hosts."""

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
    """Switch port that a host is attached to."""

    switch = Reference(help_text="name of the switch")
    port = Integer(min_value=1, max_value=MAX_PORT)


class HostSerializer(serializers.ModelSerializer[Host]):
    """Host at a switch port."""

    url = serializers.SerializerMethodField()
    switch = serializers.CharField(source="switch.name")
    standby = AttachmentSerializer(many=True, help_text="standby attachments, in the order of use")
    origin = serializers.SerializerMethodField()
    last_seen_at = serializers.SerializerMethodField()
    delivered = serializers.SerializerMethodField(
        help_text="number of delivered events, over all reporters; null: no report"
    )
    unwanted = serializers.SerializerMethodField(
        help_text="false positives: number of delivered events that no subscription at the host matches"
    )
    last_event_at = serializers.SerializerMethodField(help_text="time of the last delivery; null: no report")
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
        """Address of the host."""
        return url("hosts", row.pk)

    @extend_schema_field(serializers.ChoiceField(choices=Origin.choices))
    def get_origin(self, row: Host) -> str:
        """Origin of the registration: in band, or over the API."""
        return str(Origin.IN_BAND if signals_of(row).in_band else Origin.API)

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_last_seen_at(self, row: Host) -> Any:
        """Time of its last control message; null before the first one."""
        return signals_of(row).last_seen_at

    def arrivals(self, row: Host) -> DeliveryArrivals:
        """Return the delivery reports of a host."""
        found: DeliveryArrivals = self.context["arrivals"].get(row.pk, NOTHING_REPORTED)
        return found

    def get_delivered(self, row: Host) -> int | None:
        """Number of delivered events."""
        return self.arrivals(row).delivered

    def get_unwanted(self, row: Host) -> int | None:
        """Number of false positives."""
        return self.arrivals(row).unwanted

    def get_last_event_at(self, row: Host) -> datetime | None:
        """Time of the last delivery."""
        return self.arrivals(row).last_at

    def get_has_key(self, row: Host) -> bool:
        """Whether its control messages must be sealed."""
        return signals_of(row).has_key

    def get_request(self, row: Host) -> str | None:
        """Address of the request that adds it."""
        return request_url(row.request_id)

    def get_removal(self, row: Host) -> str | None:
        """Address of the request that removes it."""
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
    """Host to add."""

    name = Name(help_text="name of the host")
    switch = Reference(help_text="name of the switch")
    port = Integer(min_value=1, max_value=MAX_PORT, help_text="port of the switch")
    ip = HostAddress(
        version=4 if settings.ADDRESS_FAMILY == "ipv4" else 6, help_text="unicast IP address of the host"
    )
    mac = Mac(help_text="unicast MAC address of the host")
    standby = AttachmentSerializer(  # type: ignore[call-arg] # max_length is for many=True
        many=True,
        default=list,
        max_length=MAX_STANDBY,
        help_text="a list of standby attachments; each is used while all earlier ones are down",
    )


class HostChangeSerializer(serializers.Serializer[Any]):
    """New place of a host."""

    switch = Reference(required=False, help_text="name of the new switch")
    port = Integer(min_value=1, max_value=MAX_PORT, required=False, help_text="port of the new switch")
