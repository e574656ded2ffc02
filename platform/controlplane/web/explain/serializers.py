"""Serializers of explanations."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from controlplane.rest.fields import VALUE, Values
from controlplane.web.network.table_serializers import ActionSerializer
from tercast.explain.observation import ObservationMeans
from tercast.explain.real_path import DifferenceKind
from tercast.explain.reasons import DeliveryReason

REASONS = tuple(reason.value for reason in DeliveryReason)
ORIGINS = ("exact", "aggregated", "unplanned")
DIFFERENCES = tuple(kind.value for kind in DifferenceKind)


@extend_schema_field(VALUE)
class CutValue(serializers.JSONField):
    """Value of a cut."""


class CutStepSerializer(serializers.Serializer[Any]):
    """Cut on the path of the event."""

    attribute = serializers.CharField(help_text="attribute of the cut")
    value = CutValue(help_text="value of the cut")
    less = serializers.BooleanField(help_text="whether the event's value is less")


class EventSerializer(serializers.Serializer[Any]):
    """Event, with its publisher."""

    publisher = serializers.CharField(allow_null=True)
    advertisement = serializers.CharField(allow_null=True, help_text="advertisement that contains the event")
    filter = serializers.CharField(allow_null=True)
    host = serializers.CharField()
    switch = serializers.CharField(allow_null=True, help_text="switch of the host; null: not attached")
    port = serializers.IntegerField(allow_null=True)
    topic = serializers.CharField()
    values = Values()
    dz = serializers.CharField(help_text="dz of the event")
    cuts = CutStepSerializer(many=True, help_text="cuts on the path of the event, the first one first")
    address = serializers.CharField(help_text="multicast address of the event")
    problem = serializers.ChoiceField(choices=REASONS, allow_null=True, help_text="why the event is not sent")


class ExplainedEntrySerializer(serializers.Serializer[Any]):
    """Flow entry."""

    dst = serializers.CharField()
    in_port = serializers.IntegerField(allow_null=True)
    priority = serializers.IntegerField()
    actions = ActionSerializer(many=True)


class OriginSerializer(serializers.Serializer[Any]):
    """Origin of an entry."""

    kind = serializers.ChoiceField(choices=ORIGINS, help_text="kind of entry")
    subscriptions = serializers.ListField(
        child=serializers.CharField(), help_text="names of the first subscriptions that the entry serves"
    )
    subscriptions_count = serializers.IntegerField(help_text="number of subscriptions that the entry serves")


class OutputSerializer(serializers.Serializer[Any]):
    """Copy of the event that an entry sends to one port."""

    port = serializers.IntegerField()
    next_switch = serializers.CharField(allow_null=True, help_text="switch at the other end of the link")
    next_port = serializers.IntegerField(allow_null=True, help_text="port at the other end of the link")
    next_hop = serializers.IntegerField(allow_null=True, help_text="number of the next hop")
    host = serializers.CharField(allow_null=True, help_text="host at the port")
    problem = serializers.CharField(allow_null=True, help_text="why the copy goes no further")
    matching = serializers.ListField(
        child=serializers.CharField(), help_text="first subscriptions at the host that match the event"
    )
    matching_count = serializers.IntegerField(help_text="number of matching subscriptions")
    truncated = serializers.ListField(
        child=serializers.CharField(),
        help_text="first subscriptions whose cells contain the event, but whose filter does not match it",
    )
    truncated_count = serializers.IntegerField(help_text="number of these subscriptions")


class HopSerializer(serializers.Serializer[Any]):
    """Copy of the event at one switch."""

    hop = serializers.IntegerField(help_text="number of the hop")
    from_hop = serializers.IntegerField(
        allow_null=True, help_text="number of the previous hop; null: the host"
    )
    switch = serializers.CharField(help_text="name of the switch")
    in_port = serializers.IntegerField()
    entry = ExplainedEntrySerializer(allow_null=True, help_text="matching entry; null: none, or not seen")
    origin = OriginSerializer(allow_null=True, help_text="origin of the entry")
    outputs = OutputSerializer(many=True, help_text="copies that the entry sends")


class WishAnswerSerializer(serializers.Serializer[Any]):
    """Result for one subscription."""

    subscription = serializers.CharField(help_text="name of the subscription, for example q7")
    subscriber = serializers.CharField(allow_null=True)
    filter = serializers.CharField(allow_null=True)
    reason = serializers.ChoiceField(choices=REASONS, help_text="why it gets the event, or not")


class VerdictSerializer(serializers.Serializer[Any]):
    """Result for one host."""

    host = serializers.CharField()
    copies = serializers.IntegerField(help_text="number of copies that reach the host")
    reason = serializers.ChoiceField(choices=REASONS, help_text="why the host gets the event, or not")
    detail = serializers.CharField(help_text="description of the reason")
    at_switch = serializers.CharField(allow_null=True, help_text="switch where the path ends")
    subscriptions = WishAnswerSerializer(many=True, help_text="first subscriptions at the host")
    subscriptions_count = serializers.IntegerField(help_text="number of subscriptions at the host")


class DifferenceSerializer(serializers.Serializer[Any]):
    """Difference between a real switch and the plan."""

    kind = serializers.ChoiceField(choices=DIFFERENCES, help_text="kind of difference")
    switch = serializers.CharField()
    in_port = serializers.IntegerField()
    expected = ExplainedEntrySerializer(allow_null=True, help_text="entry in the plan")
    found = ExplainedEntrySerializer(allow_null=True, help_text="entry on the switch")
    detail = serializers.CharField(help_text="description of the difference")


class NotSeenSerializer(serializers.Serializer[Any]):
    """Switch that could not be checked."""

    switch = serializers.CharField()
    detail = serializers.CharField(help_text="why it could not be checked")


class RealHopSerializer(serializers.Serializer[Any]):
    """Copy of the event at one real switch."""

    hop = serializers.IntegerField(help_text="number of the hop")
    from_hop = serializers.IntegerField(
        allow_null=True, help_text="number of the previous hop; null: the host"
    )
    switch = serializers.CharField()
    in_port = serializers.IntegerField()
    means = serializers.ChoiceField(
        choices=[mean.value for mean in ObservationMeans],
        allow_null=True,
        help_text="source of the data; null: not seen",
    )
    entry = ExplainedEntrySerializer(allow_null=True, help_text="matching entry; null: none, or not seen")


class LostSerializer(serializers.Serializer[Any]):
    """Host that does not receive the event because of the real switches."""

    host = serializers.CharField()
    at_switch = serializers.CharField(allow_null=True, help_text="switch where the path ends")


class RealSerializer(serializers.Serializer[Any]):
    """Behaviour of the real switches."""

    same = serializers.BooleanField(
        allow_null=True, help_text="whether the switches follow the plan; null: some could not be checked"
    )
    differences = DifferenceSerializer(many=True, help_text="differences from the plan")
    not_seen = NotSeenSerializer(many=True, help_text="switches that could not be checked")
    path = RealHopSerializer(many=True, help_text="hops of the event on the real switches")
    loops = serializers.BooleanField(help_text="whether a copy loops")
    received = serializers.ListField(child=serializers.CharField(), help_text="hosts that receive the event")
    lost = LostSerializer(many=True, help_text="hosts that should receive the event and do not")
    surplus = serializers.ListField(
        child=serializers.CharField(),
        help_text="hosts that receive the event, although the plan does not send it to them",
    )


class ExplanationSerializer(serializers.Serializer[Any]):
    """Path of one event, with the reasons."""

    format = serializers.CharField(help_text="name and version of this format")
    event = EventSerializer(help_text="the event and its publisher")
    tree = serializers.CharField(allow_null=True, help_text="tree that carries the event")
    path = HopSerializer(many=True, help_text="hops of the event in the plan")
    loops = serializers.BooleanField(help_text="whether a copy loops")
    received = VerdictSerializer(many=True, help_text="hosts that receive the event")
    not_received = VerdictSerializer(many=True, help_text="hosts that do not receive the event, with reasons")
    real = RealSerializer(
        allow_null=True, help_text="behaviour of the real switches; null: not requested, or nothing is sent"
    )


class StoodForSerializer(serializers.Serializer[Any]):
    """Subscription that an entry serves."""

    id = serializers.IntegerField()
    name = serializers.CharField(help_text="name of the subscription, for example q7")
    subscriber = serializers.CharField()
    host = serializers.CharField()
    filter = serializers.CharField(allow_null=True, help_text="filter; null if the host sent only dz cells")


class EntryOriginSerializer(serializers.Serializer[Any]):
    """Origin of an installed entry."""

    kind = serializers.ChoiceField(choices=ORIGINS, help_text="kind of entry")
    subscriptions = StoodForSerializer(many=True, help_text="first 100 subscriptions that the entry serves")
    subscriptions_count = serializers.IntegerField(help_text="number of subscriptions that the entry serves")
