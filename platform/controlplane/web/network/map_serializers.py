"""The topology in one answer, for the API's schema."""

from typing import Any

from rest_framework import serializers

from controlplane.rest.fields import Flag


class TopologySwitchSerializer(serializers.Serializer[Any]):
    """A switch in the picture."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    x = serializers.FloatField(
        allow_null=True, help_text="null: it waits for a link, to lie beside a neighbour"
    )
    y = serializers.FloatField(allow_null=True, help_text="grows downwards; a link is about 100 long")
    moved = serializers.BooleanField(help_text="an operator has put it there")
    connected = serializers.BooleanField()
    up = serializers.BooleanField()
    in_step = serializers.BooleanField(help_text="over this connection, its table equalled the plan")
    problems = serializers.IntegerField(help_text="how many the switch has; its resource says which")
    entries = serializers.IntegerField(help_text="content entries installed")
    exact_entries = serializers.IntegerField(help_text="what it would have without aggregation")
    budget = serializers.IntegerField(
        allow_null=True, help_text="content entries it may hold, by its budget and capacity; null: any number"
    )


class LinkLoadSerializer(serializers.Serializer[Any]):
    """What is sent into a link, by both ends."""

    packets_per_s = serializers.FloatField()
    bytes_per_s = serializers.FloatField()


class TopologyLinkSerializer(serializers.Serializer[Any]):
    """A link in the picture; `a` and `b` are ids of switches."""

    id = serializers.IntegerField()
    a = serializers.IntegerField()
    a_port = serializers.IntegerField()
    b = serializers.IntegerField()
    b_port = serializers.IntegerField()
    up = serializers.BooleanField()
    load = LinkLoadSerializer(allow_null=True, help_text="null: not counted lately")


class TopologyHostSerializer(serializers.Serializer[Any]):
    """A host in the picture; `switch` is an id."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    switch = serializers.IntegerField()
    port = serializers.IntegerField()


class TopologySerializer(serializers.Serializer[Any]):
    """All of the network that its picture shows."""

    switches = TopologySwitchSerializer(many=True)
    links = TopologyLinkSerializer(many=True)
    hosts = TopologyHostSerializer(many=True)


class LayoutSerializer(serializers.Serializer[Any]):
    """How to lay out anew."""

    moved_too = Flag(default=False, help_text="also the switches that operators have put somewhere")


class LaidOutSerializer(serializers.Serializer[Any]):
    """What was laid out."""

    placed = serializers.IntegerField(help_text="switches that got a new position")
