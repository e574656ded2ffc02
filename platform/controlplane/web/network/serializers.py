"""Switches, links, hosts, tables and trees, as the API reads and shows them."""

from datetime import datetime
from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.network.models import Host, InstalledEntry, Link, Port, Switch, Tree
from controlplane.registry.models import Origin
from controlplane.rest.base_views import url
from controlplane.rest.fields import (
    MAX_PORT,
    Dpid,
    Flag,
    HostAddress,
    Integer,
    Mac,
    Mapped,
    Name,
    Number,
    Reference,
    Text,
)
from controlplane.signalling.models import signals_of
from controlplane.telemetry.activity.delivery_counts import NOTHING_REPORTED, DeliveryArrivals
from controlplane.web.requests.cost_serializers import CostSerializer
from controlplane.web.requests.serializers import OperationSerializer

MAX_BUDGET = 10_000_000
MAX_SWITCHES = 10_000
MAX_COST = (1 << 31) - 1
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


class TableSerializer(serializers.ModelSerializer[Switch]):
    """How full the table of a switch is."""

    url = serializers.SerializerMethodField()
    switch = serializers.CharField(source="name")
    switch_url = serializers.SerializerMethodField()
    entries = serializers.IntegerField(source="entry_count", help_text="content entries installed")
    entries_url = serializers.SerializerMethodField()

    class Meta:
        model = Switch
        fields = ("id", "url", "switch", "switch_url", "tcam_budget", "entries", "entries_url")
        read_only_fields = fields

    def get_url(self, row: Switch) -> str:
        """Where it can be read again."""
        return url("tables", row.pk)

    def get_switch_url(self, row: Switch) -> str:
        """The switch."""
        return url("switches", row.pk)

    def get_entries_url(self, row: Switch) -> str:
        """The entries."""
        return url("tables", row.pk) + "entries/"


@extend_schema_field(
    {"oneOf": [{"type": "integer"}, {"type": "string", "enum": ["in_port"]}], "nullable": True}
)
class OutputField(serializers.ReadOnlyField):
    """A port, or "in_port" for back where the packet came from."""


class ActionSerializer(serializers.Serializer[Any]):
    """One action; exactly one of its members is not null."""

    output = OutputField()
    set_dst = serializers.CharField(
        allow_null=True, help_text="the host whose address becomes the destination"
    )

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Both members, whichever the stored action has."""
        return {"output": instance.get("output"), "set_dst": instance.get("set_dst")}


class EntrySerializer(serializers.ModelSerializer[InstalledEntry]):
    """A content filter that a switch has confirmed."""

    topic = serializers.CharField(
        allow_null=True, help_text="name of the topic whose code the prefix carries"
    )
    dz = serializers.CharField(allow_null=True, allow_blank=True)
    region = serializers.CharField(
        allow_null=True, help_text="what the dz means in attributes, as a filter; null where nobody knows"
    )
    actions = ActionSerializer(many=True)

    class Meta:
        model = InstalledEntry
        fields = ("id", "dst", "in_port", "priority", "topic", "dz", "region", "actions", "confirmed_at")
        read_only_fields = fields


class EntryCounterSerializer(serializers.Serializer[Any]):
    """What the switch has counted of one entry."""

    id = serializers.IntegerField()
    packets = serializers.IntegerField(allow_null=True, help_text="null: the switch reports no such entry")
    bytes = serializers.IntegerField(allow_null=True)


class EntryCountersSerializer(serializers.Serializer[Any]):
    """Counters of entries, as the switch reported them."""

    counted_at = serializers.DateTimeField()
    counters = EntryCounterSerializer(many=True)


class EdgeSerializer(serializers.Serializer[Any]):
    """A link that a tree uses."""

    a = serializers.CharField()
    a_port = serializers.IntegerField()
    b = serializers.CharField()
    b_port = serializers.IntegerField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """From the stored list of four."""
        return dict(zip(("a", "a_port", "b", "b_port"), instance, strict=True))


class TreeSerializer(serializers.ModelSerializer[Tree]):
    """A tree, and the part of its topic that it carries."""

    url = serializers.SerializerMethodField()
    topic = serializers.CharField(source="topic.name")
    root = serializers.CharField(source="root.name")  # type: ignore[assignment]
    dz = serializers.ListField(child=serializers.CharField(allow_blank=True))
    edges = EdgeSerializer(many=True)

    class Meta:
        model = Tree
        fields = ("id", "url", "name", "topic", "root", "dz", "edges")
        read_only_fields = fields

    def get_url(self, row: Tree) -> str:
        """Where it can be read again."""
        return url("trees", row.pk)


class TopologyFileSerializer(serializers.Serializer[Any]):
    """A form with a topology file."""

    file = serializers.FileField()


class PartCountsSerializer(serializers.Serializer[Any]):
    """How much of each there is."""

    switches = serializers.IntegerField()
    links = serializers.IntegerField()
    hosts = serializers.IntegerField()


class ImportOperationSerializer(OperationSerializer):
    """The operation that adds an imported topology, and what was found in the file."""

    format = serializers.CharField(help_text="the format that was read")
    counts = PartCountsSerializer()
    repairs = serializers.ListField(
        child=serializers.CharField(),
        help_text="what the file left open or had wrong, and what was made of it; 1,000 at most",
    )

    class Meta(OperationSerializer.Meta):
        fields = (*OperationSerializer.Meta.fields, "format", "counts", "repairs")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]


class ImportCostSerializer(CostSerializer):
    """What an import would make and cost; nothing was changed."""

    format = serializers.CharField(help_text="the format that was read")
    counts = PartCountsSerializer()
    repairs = serializers.ListField(child=serializers.CharField(), help_text="as they would be told")
