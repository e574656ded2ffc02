"""Serializers of event counters and samples."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.rest.base_views import url
from controlplane.rest.fields import Integer, Name, Number, Reference, Values
from controlplane.rest.serializers import ErrorSerializer
from controlplane.telemetry.models import EventSample, TrafficReport
from controlplane.web.telemetry.activity_serializers import (
    MOST,
    AdvertisementCountsSerializer,
    HostCountsSerializer,
    SubscriptionCountsSerializer,
)
from tercast.runtime.strict_json import SAFE_INTEGER

MAX_DELAY_MS = 86_400_000.0


class DelaySerializer(serializers.Serializer[Any]):
    """Percentiles of the delay from publisher to subscriber, in milliseconds."""

    p50 = serializers.FloatField(allow_null=True, help_text="median in milliseconds")
    p99 = serializers.FloatField(allow_null=True, help_text="99th percentile in milliseconds")


class TotalsSerializer(serializers.Serializer[Any]):
    """Event counters over all reporters."""

    published = serializers.IntegerField(help_text="published events")
    wanted = serializers.IntegerField(help_text="expected deliveries")
    delivered = serializers.IntegerField(help_text="deliveries, first copies only")
    lost = serializers.IntegerField(help_text="expected deliveries that did not happen")
    doubled = serializers.IntegerField(help_text="further copies of delivered events")
    unwanted = serializers.IntegerField(
        help_text="false positives: deliveries without a matching subscription"
    )
    delay_ms = DelaySerializer(help_text="delay from publisher to subscriber")


class TrafficReportSerializer(TotalsSerializer):
    """Latest counters of a reporter."""

    id = serializers.IntegerField()
    url = serializers.SerializerMethodField()
    reporter = serializers.CharField(help_text="name of the reporter")
    kind = serializers.CharField(
        help_text="`publisher` or `subscriber`: kind of the client token; empty: another process"
    )
    delay_ms = serializers.SerializerMethodField()  # type: ignore[assignment]
    reported_at = serializers.DateTimeField()

    def get_url(self, row: TrafficReport) -> str:
        """Address of the report."""
        return url("traffic", row.pk)

    def get_delay_ms(self, row: TrafficReport) -> DelaySerializer:
        """Delay from publisher to subscriber."""
        return {"p50": row.delay_p50_ms, "p99": row.delay_p99_ms}  # type: ignore[return-value]


class _DelayReportSerializer(serializers.Serializer[Any]):
    p50 = Number(min_value=0, max_value=MAX_DELAY_MS, allow_null=True, help_text="median in milliseconds")
    p99 = Number(
        min_value=0, max_value=MAX_DELAY_MS, allow_null=True, help_text="99th percentile in milliseconds"
    )


def _counter(what: str = "events") -> Integer:
    return Integer(min_value=0, max_value=SAFE_INTEGER, help_text=f"number of {what} since the start")


@extend_schema_serializer(
    examples=[
        OpenApiExample(
            "report",
            {
                "reporter": "demo",
                "published": 1000,
                "wanted": 810,
                "delivered": 822,
                "lost": 0,
                "doubled": 0,
                "unwanted": 12,
                "delay_ms": {"p50": 1.8, "p99": 6.1},
            },
        )
    ]
)
class TrafficReportCreateSerializer(serializers.Serializer[Any]):
    """Counters since the reporter started. They replace its earlier ones."""

    reporter = Name(help_text="name of the reporter")
    published = _counter()
    wanted = _counter("expected deliveries")
    delivered = _counter()
    lost = _counter("lost events")
    doubled = _counter("duplicates")
    unwanted = _counter("false positives (deliveries without a matching subscription)")
    delay_ms = _DelayReportSerializer(
        required=False, allow_null=True, default=None, help_text="delay from publisher to subscriber"
    )
    subscriptions = SubscriptionCountsSerializer(  # type: ignore[call-arg]
        many=True, required=False, max_length=MOST, help_text="a list of counters of single subscriptions"
    )
    advertisements = AdvertisementCountsSerializer(  # type: ignore[call-arg]
        many=True, required=False, max_length=MOST, help_text="a list of counters of single advertisements"
    )
    hosts = HostCountsSerializer(  # type: ignore[call-arg]
        many=True, required=False, max_length=MOST, help_text="a list of counters of single hosts"
    )


@extend_schema_serializer(
    examples=[OpenApiExample("sample", {"publisher": "a1", "values": {"low": 92, "symbol": "IBM"}})]
)
class EventSampleCreateSerializer(serializers.Serializer[Any]):
    """Published event."""

    publisher = Reference(help_text="name of the advertisement: `a` and its number")
    values = Values()


class EventSampleSerializer(serializers.ModelSerializer[EventSample]):
    """Stored past event."""

    topic = serializers.CharField(source="topic.name", help_text="name of the topic")
    publisher = serializers.CharField(
        source="advertisement.publisher.name", help_text="name of the publisher"
    )
    advertisement = serializers.CharField(
        source="advertisement.planner_id", help_text="name of the advertisement: `a` and its number"
    )
    values = serializers.SerializerMethodField()

    class Meta:
        model = EventSample
        fields = ("id", "topic", "publisher", "advertisement", "values", "reported_at")
        read_only_fields = fields

    @extend_schema_field(Values)
    def get_values(self, row: EventSample) -> dict[str, Any]:
        """Value of each attribute."""
        values: dict[str, Any] = row.values
        return values


class PublisherCountSerializer(serializers.Serializer[Any]):
    """Number of stored samples of one publisher."""

    publisher = serializers.CharField(help_text="name of the advertisement")
    events = serializers.IntegerField(help_text="number of samples")


class TopicSamplesSerializer(serializers.Serializer[Any]):
    """Samples of a topic."""

    topic = serializers.CharField()
    events = serializers.IntegerField(help_text="number of samples")
    oldest = serializers.DateTimeField(help_text="time of the oldest sample")
    newest = serializers.DateTimeField(help_text="time of the newest sample")
    publishers = PublisherCountSerializer(many=True, help_text="samples by publisher")


@extend_schema_serializer(many=False)
class SamplesSerializer(serializers.Serializer[Any]):
    """Stored samples of past events."""

    most = serializers.IntegerField(help_text="maximum samples of a topic; the oldest are deleted first")
    topics = TopicSamplesSerializer(many=True, help_text="samples by topic")


class SamplesTakenSerializer(serializers.Serializer[Any]):
    """Result of a report of samples."""

    items = serializers.IntegerField(help_text="number of events in the report")
    refused = serializers.IntegerField(required=False, help_text="number of skipped items (`atomic=false`)")
    errors = ErrorSerializer(many=True, required=False, help_text="errors of skipped items")  # type: ignore[assignment]
