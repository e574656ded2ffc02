"""Serializers of tables and trees."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from controlplane.network.models import InstalledEntry, Switch, Tree
from controlplane.rest.base_views import url


class TableSerializer(serializers.ModelSerializer[Switch]):
    """Table of a switch, with its number of entries."""

    url = serializers.SerializerMethodField()
    switch = serializers.CharField(source="name")
    switch_url = serializers.SerializerMethodField()
    entries = serializers.IntegerField(source="entry_count", help_text="number of installed content entries")
    entries_url = serializers.SerializerMethodField()

    class Meta:
        model = Switch
        fields = ("id", "url", "switch", "switch_url", "tcam_budget", "entries", "entries_url")
        read_only_fields = fields

    def get_url(self, row: Switch) -> str:
        """Address of the table."""
        return url("tables", row.pk)

    def get_switch_url(self, row: Switch) -> str:
        """Address of the switch."""
        return url("switches", row.pk)

    def get_entries_url(self, row: Switch) -> str:
        """Address of the entries."""
        return url("tables", row.pk) + "entries/"


@extend_schema_field(
    {"oneOf": [{"type": "integer"}, {"type": "string", "enum": ["in_port"]}], "nullable": True}
)
class OutputField(serializers.ReadOnlyField):
    """Port number, or "in_port" for the port where the packet arrived."""


class ActionSerializer(serializers.Serializer[Any]):
    """Action of an entry. Exactly one of the fields is not null."""

    output = OutputField(help_text="port to send to; in_port: the port where the packet arrived")
    set_dst = serializers.CharField(allow_null=True, help_text="host whose address replaces the destination")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Return both fields, although the stored action has only one."""
        return {"output": instance.get("output"), "set_dst": instance.get("set_dst")}


class EntrySerializer(serializers.ModelSerializer[InstalledEntry]):
    """Content entry that a switch has confirmed."""

    topic = serializers.CharField(
        allow_null=True, help_text="name of the topic whose code the prefix contains"
    )
    dz = serializers.CharField(allow_null=True, allow_blank=True, help_text="dz of the entry")
    region = serializers.CharField(
        allow_null=True, help_text="filter that contains the same events as the dz; null if unknown"
    )
    actions = ActionSerializer(many=True, help_text="actions of the entry")

    class Meta:
        model = InstalledEntry
        fields = ("id", "dst", "in_port", "priority", "topic", "dz", "region", "actions", "confirmed_at")
        read_only_fields = fields


class EntryCounterSerializer(serializers.Serializer[Any]):
    """Counters of one entry."""

    id = serializers.IntegerField(help_text="id of the entry")
    packets = serializers.IntegerField(
        allow_null=True, help_text="packets; null: the switch has no such entry"
    )
    bytes = serializers.IntegerField(allow_null=True, help_text="bytes; null: the switch has no such entry")


class EntryCountersSerializer(serializers.Serializer[Any]):
    """Counters of entries, as the switch reported them."""

    counted_at = serializers.DateTimeField(help_text="time of the report")
    counters = EntryCounterSerializer(many=True, help_text="counters of the requested entries")


class EdgeSerializer(serializers.Serializer[Any]):
    """Link of a tree."""

    a = serializers.CharField(help_text="switch at one end")
    a_port = serializers.IntegerField(help_text="port at this end")
    b = serializers.CharField(help_text="switch at the other end")
    b_port = serializers.IntegerField(help_text="port at the other end")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Return the fields of the stored list of four values."""
        return dict(zip(("a", "a_port", "b", "b_port"), instance, strict=True))


class TreeSerializer(serializers.ModelSerializer[Tree]):
    """Tree, with the part of the topic that it carries."""

    url = serializers.SerializerMethodField()
    topic = serializers.CharField(source="topic.name")
    root = serializers.CharField(source="root.name", help_text="root switch")  # type: ignore[assignment]
    dz = serializers.ListField(
        child=serializers.CharField(allow_blank=True), help_text="dz cells that the tree carries"
    )
    edges = EdgeSerializer(many=True, help_text="links of the tree")

    class Meta:
        model = Tree
        fields = ("id", "url", "name", "topic", "root", "dz", "edges")
        read_only_fields = fields

    def get_url(self, row: Tree) -> str:
        """Address of the tree."""
        return url("trees", row.pk)
