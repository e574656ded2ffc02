"""Serializers of switches."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.network.models import Port, Switch
from controlplane.rest.base_views import url
from controlplane.rest.fields import (
    Dpid,
    Flag,
    Integer,
    Mapped,
    Name,
    Number,
    Text,
)

MAX_BUDGET = 10_000_000
MAX_SWITCHES = 10_000
MAX_STANDBY = 8
MAX_PLACE = 1_000_000
"""Maximum distance of a switch from the centre of the map."""


def request_url(pk: int | None) -> str | None:
    """Return the address of a request; None without one."""
    return None if pk is None else url("requests", pk)


class PortSerializer(serializers.ModelSerializer[Port]):
    """Port of a switch, as the controller reports it."""

    class Meta:
        model = Port
        fields = ("number", "name", "mac", "up")


class FeaturesSerializer(serializers.Serializer[Any]):
    """Features that a switch reported when it connected. Null: not reported."""

    capacity = serializers.IntegerField(
        allow_null=True, help_text="maximum number of entries in its table, including those of other programs"
    )
    groups = serializers.IntegerField(allow_null=True, help_text="maximum number of groups")
    meters = serializers.IntegerField(allow_null=True, help_text="maximum number of meters")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Return all features, also for a switch that never connected."""
        return {name: instance.get(name) for name in ("capacity", "groups", "meters")}


class SwitchSerializer(serializers.ModelSerializer[Switch]):
    """OpenFlow switch."""

    url = serializers.SerializerMethodField()
    entries = serializers.IntegerField(source="entry_count", help_text="number of installed content entries")
    exact_entries = serializers.IntegerField(
        help_text="number of content entries that the table would have without aggregation"
    )
    ports = PortSerializer(many=True, help_text="ports that the controller reports")
    problems = serializers.ListField(
        child=serializers.CharField(), help_text="required features that are missing, and refused entries"
    )
    lacks = serializers.ListField(
        child=serializers.CharField(), help_text="optional features that are missing"
    )
    features = FeaturesSerializer(help_text="features that the switch reported")
    request = serializers.SerializerMethodField()
    removal = serializers.SerializerMethodField()
    x = serializers.SerializerMethodField(help_text="position to the right; null until it has a position")
    y = serializers.SerializerMethodField(help_text="position downwards; a link is about 100 long")
    epoch = serializers.IntegerField(
        help_text="number of the connection to the controller; it only increases"
    )
    in_step = serializers.SerializerMethodField(
        help_text="whether the table matched the plan on the current connection"
    )

    class Meta:
        model = Switch
        fields = (
            "id",
            "url",
            "name",
            "dpid",
            "label",
            "latitude",
            "longitude",
            "x",
            "y",
            "tcam_budget",
            "capacity",
            "entries",
            "exact_entries",
            "up",
            "connected",
            "epoch",
            "in_step",
            "address",
            "problems",
            "lacks",
            "features",
            "ports",
            "request",
            "removal",
            "created_at",
        )
        read_only_fields = fields

    def get_url(self, row: Switch) -> str:
        """Address of the switch."""
        return url("switches", row.pk)

    def get_x(self, row: Switch) -> float | None:
        """Position to the right."""
        place = getattr(row, "place", None)
        return None if place is None else place.x

    def get_y(self, row: Switch) -> float | None:
        """Position downwards."""
        place = getattr(row, "place", None)
        return None if place is None else place.y

    def get_in_step(self, row: Switch) -> bool:
        """Whether the table was read back, and repaired if necessary, since the switch connected."""
        return row.connected and 0 < row.epoch == row.reconciled_epoch

    def get_request(self, row: Switch) -> str | None:
        """Address of the request that adds it."""
        return request_url(row.request_id)

    def get_removal(self, row: Switch) -> str | None:
        """Address of the request that removes it."""
        return request_url(row.removal_id)


class SwitchChangeSerializer(serializers.Serializer[Any]):
    """Changes of a switch: its budget, whether the network uses it, and how it is displayed."""

    tcam_budget = Integer(
        min_value=0,
        max_value=MAX_BUDGET,
        allow_null=True,
        required=False,
        help_text="maximum content entries; null: no limit",
    )
    up = Flag(required=False, help_text="false: the network does not use the switch")
    label = Text(max_length=200, allow_blank=True, required=False, help_text="text on the map")  # type: ignore[assignment]
    latitude = Number(
        min_value=-90, max_value=90, allow_null=True, required=False, help_text="latitude in degrees"
    )
    longitude = Number(
        min_value=-180, max_value=180, allow_null=True, required=False, help_text="longitude in degrees"
    )
    x = Number(min_value=-MAX_PLACE, max_value=MAX_PLACE, required=False, help_text="position to the right")
    y = Number(min_value=-MAX_PLACE, max_value=MAX_PLACE, required=False, help_text="position downwards")


@extend_schema_field({"type": "object", "additionalProperties": {"type": "integer", "nullable": True}})
class Budgets(Mapped):
    """Budgets by switch name."""

    member = Integer(min_value=0, max_value=MAX_BUDGET, allow_null=True)
    most = MAX_SWITCHES


@extend_schema_serializer(examples=[OpenApiExample("budgets", {"budgets": {"s1": 600, "s2": None}})])
class BudgetsSerializer(serializers.Serializer[Any]):
    """Budgets of many switches."""

    budgets = Budgets(help_text="maximum content entries by switch name; null: no limit")


@extend_schema_serializer(
    examples=[OpenApiExample("switch", {"name": "s1", "dpid": "0000000000000001", "tcam_budget": 600})]
)
class SwitchCreateSerializer(serializers.Serializer[Any]):
    """Switch to add."""

    name = Name(help_text="name of the switch, also in requests and plans")
    dpid = Dpid(help_text="datapath id: 16 hexadecimal digits, not all zero; pairs with colons are accepted")
    tcam_budget = Integer(
        min_value=0,
        max_value=MAX_BUDGET,
        allow_null=True,
        default=None,
        help_text="maximum content entries; null: no limit",
    )
    label = Text(max_length=200, allow_blank=True, default="", help_text="text on the map")  # type: ignore[assignment]
    latitude = Number(
        min_value=-90, max_value=90, allow_null=True, default=None, help_text="latitude in degrees"
    )
    longitude = Number(
        min_value=-180, max_value=180, allow_null=True, default=None, help_text="longitude in degrees"
    )
