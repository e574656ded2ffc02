"""Switches, links, hosts, tables and trees, as the API reads and shows them."""

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
"""How far from the middle of the picture a switch can be put."""


def request_url(pk: int | None) -> str | None:
    """Where a request is read; None without one."""
    return None if pk is None else url("requests", pk)


class PortSerializer(serializers.ModelSerializer[Port]):
    """A port, as the controller reports it."""

    class Meta:
        model = Port
        fields = ("number", "name", "mac", "up")


class FeaturesSerializer(serializers.Serializer[Any]):
    """What a switch told when it connected; null: it did not."""

    capacity = serializers.IntegerField(allow_null=True, help_text="entries in its table, whoever's")
    groups = serializers.IntegerField(allow_null=True)
    meters = serializers.IntegerField(allow_null=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """All of them, also of a switch that never connected."""
        return {name: instance.get(name) for name in ("capacity", "groups", "meters")}


class SwitchSerializer(serializers.ModelSerializer[Switch]):
    """A switch."""

    url = serializers.SerializerMethodField()
    entries = serializers.IntegerField(source="entry_count", help_text="content entries installed")
    exact_entries = serializers.IntegerField(
        help_text="content entries that it would have without aggregation"
    )
    ports = PortSerializer(many=True)
    problems = serializers.ListField(
        child=serializers.CharField(), help_text="what it lacks and is needed, or refused"
    )
    lacks = serializers.ListField(child=serializers.CharField(), help_text="what it can do without")
    features = FeaturesSerializer()
    request = serializers.SerializerMethodField()
    removal = serializers.SerializerMethodField()
    x = serializers.SerializerMethodField(help_text="in the picture; null until it has a place")
    y = serializers.SerializerMethodField(help_text="grows downwards; a link is about 100 long")
    epoch = serializers.IntegerField(help_text="of the connection to the controller; grows at every connect")
    in_step = serializers.SerializerMethodField(help_text="over this connection, its table equalled the plan")

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
        """Where it can be read again."""
        return url("switches", row.pk)

    def get_x(self, row: Switch) -> float | None:
        """To the right."""
        place = getattr(row, "place", None)
        return None if place is None else place.x

    def get_y(self, row: Switch) -> float | None:
        """Downwards."""
        place = getattr(row, "place", None)
        return None if place is None else place.y

    def get_in_step(self, row: Switch) -> bool:
        """Whether its table was read back, and repaired where needed, since it connected."""
        return row.connected and 0 < row.epoch == row.reconciled_epoch

    def get_request(self, row: Switch) -> str | None:
        """The request that added it."""
        return request_url(row.request_id)

    def get_removal(self, row: Switch) -> str | None:
        """The request that removes it."""
        return request_url(row.removal_id)


class SwitchChangeSerializer(serializers.Serializer[Any]):
    """What can be changed of a switch: its budget, whether it is up, and how it is shown."""

    tcam_budget = Integer(
        min_value=0,
        max_value=MAX_BUDGET,
        allow_null=True,
        required=False,
        help_text="content entries it may hold; null is unlimited",
    )
    up = Flag(required=False)
    label = Text(max_length=200, allow_blank=True, required=False)  # type: ignore[assignment]
    latitude = Number(min_value=-90, max_value=90, allow_null=True, required=False)
    longitude = Number(min_value=-180, max_value=180, allow_null=True, required=False)
    x = Number(min_value=-MAX_PLACE, max_value=MAX_PLACE, required=False, help_text="in the picture")
    y = Number(min_value=-MAX_PLACE, max_value=MAX_PLACE, required=False, help_text="grows downwards")


@extend_schema_field({"type": "object", "additionalProperties": {"type": "integer", "nullable": True}})
class Budgets(Mapped):
    """Budgets by the names of switches."""

    member = Integer(min_value=0, max_value=MAX_BUDGET, allow_null=True)
    most = MAX_SWITCHES


@extend_schema_serializer(examples=[OpenApiExample("budgets", {"budgets": {"s1": 600, "s2": None}})])
class BudgetsSerializer(serializers.Serializer[Any]):
    """Budgets of many switches."""

    budgets = Budgets(help_text="content entries that each may hold, by name; null is unlimited")


@extend_schema_serializer(
    examples=[OpenApiExample("switch", {"name": "s1", "dpid": "0000000000000001", "tcam_budget": 600})]
)
class SwitchCreateSerializer(serializers.Serializer[Any]):
    """A new switch."""

    name = Name(help_text="its id in requests and plans")
    dpid = Dpid(help_text="16 hex digits, not all zero; eight pairs with colons are taken too")
    tcam_budget = Integer(min_value=0, max_value=MAX_BUDGET, allow_null=True, default=None)
    label = Text(max_length=200, allow_blank=True, default="")  # type: ignore[assignment]
    latitude = Number(min_value=-90, max_value=90, allow_null=True, default=None)
    longitude = Number(min_value=-180, max_value=180, allow_null=True, default=None)
