"""The answer's shape, for the API's schema."""

from typing import Any

from rest_framework import serializers

from controlplane.rest.fields import Values
from controlplane.web.network.table_serializers import ActionSerializer
from tercast.explain.observation import Means
from tercast.explain.real_path import DifferenceKind
from tercast.explain.reasons import DeliveryReason

REASONS = tuple(reason.value for reason in DeliveryReason)
ORIGINS = ("exact", "aggregated", "unplanned")
DIFFERENCES = tuple(kind.value for kind in DifferenceKind)


class EventSerializer(serializers.Serializer[Any]):
    """The event, and who sends it."""

    publisher = serializers.CharField(allow_null=True)
    advertisement = serializers.CharField(allow_null=True, help_text="the one that holds it")
    filter = serializers.CharField(allow_null=True)
    host = serializers.CharField()
    switch = serializers.CharField(allow_null=True, help_text="null: the host is attached to nothing")
    port = serializers.IntegerField(allow_null=True)
    topic = serializers.CharField()
    values = Values()
    dz = serializers.CharField()
    address = serializers.CharField()
    problem = serializers.ChoiceField(choices=REASONS, allow_null=True, help_text="why it is not sent at all")


class ExplainedEntrySerializer(serializers.Serializer[Any]):
    """An entry."""

    dst = serializers.CharField()
    in_port = serializers.IntegerField(allow_null=True)
    priority = serializers.IntegerField()
    actions = ActionSerializer(many=True)


class OriginSerializer(serializers.Serializer[Any]):
    """Where an entry comes from."""

    kind = serializers.ChoiceField(choices=ORIGINS)
    subscriptions = serializers.ListField(child=serializers.CharField())
    subscriptions_count = serializers.IntegerField()


class OutputSerializer(serializers.Serializer[Any]):
    """What an entry does with the event at one port."""

    port = serializers.IntegerField()
    next_switch = serializers.CharField(allow_null=True)
    next_port = serializers.IntegerField(allow_null=True)
    next_hop = serializers.IntegerField(allow_null=True)
    host = serializers.CharField(allow_null=True)
    problem = serializers.CharField(allow_null=True)
    matching = serializers.ListField(child=serializers.CharField())
    matching_count = serializers.IntegerField()
    truncated = serializers.ListField(child=serializers.CharField())
    truncated_count = serializers.IntegerField()


class HopSerializer(serializers.Serializer[Any]):
    """One copy of the event at one switch."""

    hop = serializers.IntegerField()
    from_hop = serializers.IntegerField(allow_null=True)
    switch = serializers.CharField()
    in_port = serializers.IntegerField()
    entry = ExplainedEntrySerializer(allow_null=True)
    origin = OriginSerializer(allow_null=True)
    outputs = OutputSerializer(many=True)


class WishAnswerSerializer(serializers.Serializer[Any]):
    """What one subscription has to do with the event."""

    subscription = serializers.CharField()
    subscriber = serializers.CharField(allow_null=True)
    filter = serializers.CharField(allow_null=True)
    reason = serializers.ChoiceField(choices=REASONS)


class VerdictSerializer(serializers.Serializer[Any]):
    """What becomes of one host."""

    host = serializers.CharField()
    copies = serializers.IntegerField()
    reason = serializers.ChoiceField(choices=REASONS)
    detail = serializers.CharField()
    at_switch = serializers.CharField(allow_null=True)
    subscriptions = WishAnswerSerializer(many=True)
    subscriptions_count = serializers.IntegerField()


class DifferenceSerializer(serializers.Serializer[Any]):
    """Where a real switch does something else."""

    kind = serializers.ChoiceField(choices=DIFFERENCES)
    switch = serializers.CharField()
    in_port = serializers.IntegerField()
    expected = ExplainedEntrySerializer(allow_null=True)
    found = ExplainedEntrySerializer(allow_null=True)
    detail = serializers.CharField()


class NotSeenSerializer(serializers.Serializer[Any]):
    """A switch that could not be looked at."""

    switch = serializers.CharField()
    detail = serializers.CharField()


class RealHopSerializer(serializers.Serializer[Any]):
    """One copy of the event at one real switch."""

    hop = serializers.IntegerField()
    from_hop = serializers.IntegerField(allow_null=True)
    switch = serializers.CharField()
    in_port = serializers.IntegerField()
    means = serializers.ChoiceField(
        choices=[mean.value for mean in Means], allow_null=True, help_text="null: not seen"
    )
    entry = ExplainedEntrySerializer(allow_null=True)


class LostSerializer(serializers.Serializer[Any]):
    """A host that the real switches keep the event from."""

    host = serializers.CharField()
    at_switch = serializers.CharField(allow_null=True)


class RealSerializer(serializers.Serializer[Any]):
    """What the real switches do with the event."""

    same = serializers.BooleanField(allow_null=True, help_text="null: as far as could be seen")
    differences = DifferenceSerializer(many=True)
    not_seen = NotSeenSerializer(many=True)
    path = RealHopSerializer(many=True)
    loops = serializers.BooleanField()
    received = serializers.ListField(child=serializers.CharField())
    lost = LostSerializer(many=True)
    surplus = serializers.ListField(child=serializers.CharField())


class ExplanationSerializer(serializers.Serializer[Any]):
    """What becomes of one event, and why."""

    format = serializers.CharField()
    event = EventSerializer()
    tree = serializers.CharField(allow_null=True)
    path = HopSerializer(many=True)
    loops = serializers.BooleanField()
    received = VerdictSerializer(many=True)
    not_received = VerdictSerializer(many=True)
    real = RealSerializer(allow_null=True, help_text="null: not asked for, or nothing is sent")


class StoodForSerializer(serializers.Serializer[Any]):
    """A subscription that an entry stands for."""

    id = serializers.IntegerField()
    name = serializers.CharField(help_text="its id in plans")
    subscriber = serializers.CharField()
    host = serializers.CharField()
    filter = serializers.CharField(allow_null=True, help_text="null where the host told its dz set only")


class EntryOriginSerializer(serializers.Serializer[Any]):
    """Where an installed entry comes from."""

    kind = serializers.ChoiceField(choices=ORIGINS)
    subscriptions = StoodForSerializer(many=True, help_text="the first 100")
    subscriptions_count = serializers.IntegerField()
