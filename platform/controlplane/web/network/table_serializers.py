"""Tables and trees, as the API shows them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from controlplane.network.models import InstalledEntry, Switch, Tree
from controlplane.rest.base_views import url


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
