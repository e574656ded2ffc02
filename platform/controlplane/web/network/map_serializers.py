"""Serializers of the topology in one answer."""

from typing import Any

from rest_framework import serializers

from controlplane.rest.fields import Flag


class TopologySwitchSerializer(serializers.Serializer[Any]):
    """Switch on the map."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    x = serializers.FloatField(
        allow_null=True,
        help_text="position to the right; null: the switch waits for its first link",
    )
    y = serializers.FloatField(allow_null=True, help_text="position downwards; a link is about 100 long")
    moved = serializers.BooleanField(help_text="whether an operator set the position")
    connected = serializers.BooleanField(help_text="whether the switch is connected to the controller")
    up = serializers.BooleanField(help_text="whether the network uses the switch")
    in_step = serializers.BooleanField(
        help_text="whether the table matched the plan on the current connection"
    )
    problems = serializers.IntegerField(help_text="number of problems; the switch resource lists them")
    entries = serializers.IntegerField(help_text="number of installed content entries")
    exact_entries = serializers.IntegerField(help_text="number of entries without aggregation")
    budget = serializers.IntegerField(
        allow_null=True, help_text="maximum content entries, by budget and capacity; null: no limit"
    )


class LinkLoadSerializer(serializers.Serializer[Any]):
    """Load that both ends send into a link."""

    packets_per_s = serializers.FloatField(help_text="packets per second")
    bytes_per_s = serializers.FloatField(help_text="bytes per second")


class TopologyLinkSerializer(serializers.Serializer[Any]):
    """Link on the map. `a` and `b` are ids of switches."""

    id = serializers.IntegerField()
    a = serializers.IntegerField(help_text="id of the switch at one end")
    a_port = serializers.IntegerField()
    b = serializers.IntegerField(help_text="id of the switch at the other end")
    b_port = serializers.IntegerField()
    up = serializers.BooleanField()
    load = LinkLoadSerializer(allow_null=True, help_text="load of the last seconds; null: not measured")


class TopologyHostSerializer(serializers.Serializer[Any]):
    """Host on the map. `switch` is an id."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    switch = serializers.IntegerField(help_text="id of the switch")
    port = serializers.IntegerField()


class TopologySerializer(serializers.Serializer[Any]):
    """Network as the map shows it."""

    switches = TopologySwitchSerializer(many=True, help_text="all switches")
    links = TopologyLinkSerializer(many=True, help_text="all links")
    hosts = TopologyHostSerializer(many=True, help_text="all hosts")


class LayoutSerializer(serializers.Serializer[Any]):
    """Options of a new layout."""

    moved_too = Flag(default=False, help_text="true: also replace positions that operators set")


class LaidOutSerializer(serializers.Serializer[Any]):
    """Result of a new layout."""

    placed = serializers.IntegerField(help_text="number of switches with a new position")
