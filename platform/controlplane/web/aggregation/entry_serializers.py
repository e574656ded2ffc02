"""Serializers of merged entries and of the subscriptions that they serve."""

from rest_framework import serializers

from controlplane.aggregation.models import AggregatedEntry
from controlplane.registry.models import Subscription
from controlplane.rest.base_views import url


class AggregatedEntrySerializer(serializers.ModelSerializer[AggregatedEntry]):
    """Merged entry that matches more events than its subscriptions ask for."""

    subscriptions = serializers.SerializerMethodField(
        help_text="number of subscriptions that the entry serves; null for some seconds"
    )
    subscriptions_url = serializers.SerializerMethodField()
    measured = serializers.FloatField(help_text="redundant copies of the window's events, measured")
    unwanted = serializers.FloatField(help_text="false positives of the window's events")
    expected = serializers.FloatField(
        allow_null=True, help_text="redundant copies predicted from older events, for as many events"
    )
    packets = serializers.IntegerField(allow_null=True, help_text="the switch's packet counter of the entry")
    window = serializers.IntegerField(
        help_text="number of newest events that were checked; a new entry is first estimated from the newest "
        "events of its topic, and measured within a minute"
    )

    class Meta:
        model = AggregatedEntry
        fields = (
            "id",
            "topic",
            "in_port",
            "dz",
            "subscriptions",
            "subscriptions_url",
            "measured",
            "unwanted",
            "expected",
            "packets",
            "window",
            "position",
            "measured_at",
        )
        read_only_fields = fields

    def get_subscriptions(self, row: AggregatedEntry) -> int | None:
        """Number of subscriptions that the entry serves."""
        return None if row.measured_at is None else len(row.subscriptions)

    def get_subscriptions_url(self, row: AggregatedEntry) -> str:
        """Address of the list of these subscriptions."""
        return f"{url('switches', row.switch_id)}aggregated/{row.pk}/subscriptions/"


class StandsForSerializer(serializers.ModelSerializer[Subscription]):
    """Subscription that a merged entry serves."""

    url = serializers.SerializerMethodField()
    name = serializers.CharField(source="planner_id", help_text="name in plans, for example q3")
    subscriber = serializers.CharField(source="subscriber.name", help_text="name of the subscriber")

    class Meta:
        model = Subscription
        fields = ("id", "url", "name", "subscriber", "filter")
        read_only_fields = fields

    def get_url(self, row: Subscription) -> str:
        """Address of the subscription."""
        return url("subscriptions", row.pk)
