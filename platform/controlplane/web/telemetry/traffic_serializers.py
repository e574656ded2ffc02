"""Counters of events, as hosts report them and pages read them."""

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

    p50 = serializers.FloatField(allow_null=True)
    p99 = serializers.FloatField(allow_null=True)


class TotalsSerializer(serializers.Serializer[Any]):
    """Counters over all reporters."""

    published = serializers.IntegerField()
    wanted = serializers.IntegerField()
    delivered = serializers.IntegerField()
    lost = serializers.IntegerField()
    doubled = serializers.IntegerField()
    unwanted = serializers.IntegerField()
    delay_ms = DelaySerializer()


class TrafficReportSerializer(TotalsSerializer):
    """The latest counters of a reporter."""

    id = serializers.IntegerField()
    url = serializers.SerializerMethodField()
    reporter = serializers.CharField()
    kind = serializers.CharField(
        help_text="`publisher` or `subscriber`: a client that reports with its token; empty: another process"
    )
    delay_ms = serializers.SerializerMethodField()  # type: ignore[assignment]
    reported_at = serializers.DateTimeField()

    def get_url(self, row: TrafficReport) -> str:
        """Where it can be read again."""
        return url("traffic", row.pk)

    def get_delay_ms(self, row: TrafficReport) -> DelaySerializer:
        """The delays."""
        return {"p50": row.delay_p50_ms, "p99": row.delay_p99_ms}  # type: ignore[return-value]


class _DelayReportSerializer(serializers.Serializer[Any]):
    p50 = Number(min_value=0, max_value=MAX_DELAY_MS, allow_null=True)
    p99 = Number(min_value=0, max_value=MAX_DELAY_MS, allow_null=True)


def _counter() -> Integer:
    return Integer(min_value=0, max_value=SAFE_INTEGER)


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
    """Counters since the reporter started; they replace its earlier ones."""

    reporter = Name()
    published = _counter()
    wanted = _counter()
    delivered = _counter()
    lost = _counter()
    doubled = _counter()
    unwanted = _counter()
    delay_ms = _DelayReportSerializer(required=False, allow_null=True, default=None)
    subscriptions = SubscriptionCountsSerializer(  # type: ignore[call-arg]
        many=True, required=False, max_length=MOST, help_text="what single subscriptions got"
    )
    advertisements = AdvertisementCountsSerializer(  # type: ignore[call-arg]
        many=True, required=False, max_length=MOST, help_text="what was published under single advertisements"
    )
    hosts = HostCountsSerializer(  # type: ignore[call-arg]
        many=True, required=False, max_length=MOST, help_text="what reached single hosts"
    )


@extend_schema_serializer(
    examples=[OpenApiExample("sample", {"publisher": "a1", "values": {"low": 92, "symbol": "IBM"}})]
)
class EventSampleCreateSerializer(serializers.Serializer[Any]):
    """An event that was published."""

    publisher = Reference(help_text="the advertisement, by its id in plans: `a` and its number")
    values = Values()


class EventSampleSerializer(serializers.ModelSerializer[EventSample]):
    """A past event that is kept."""

    topic = serializers.CharField(source="topic.name")
    publisher = serializers.CharField(source="advertisement.publisher.name")
    advertisement = serializers.CharField(
        source="advertisement.planner_id", help_text="its id in plans: `a` and its number"
    )
    values = serializers.SerializerMethodField()

    class Meta:
        model = EventSample
        fields = ("id", "topic", "publisher", "advertisement", "values", "reported_at")
        read_only_fields = fields

    @extend_schema_field(Values)
    def get_values(self, row: EventSample) -> dict[str, Any]:
        """By attribute, as events are written."""
        values: dict[str, Any] = row.values
        return values


class PublisherCountSerializer(serializers.Serializer[Any]):
    """How many samples of one publisher are kept."""

    publisher = serializers.CharField(help_text="id of the advertisement")
    events = serializers.IntegerField()


class TopicSamplesSerializer(serializers.Serializer[Any]):
    """The samples of a topic."""

    topic = serializers.CharField()
    events = serializers.IntegerField()
    oldest = serializers.DateTimeField()
    newest = serializers.DateTimeField()
    publishers = PublisherCountSerializer(many=True)


@extend_schema_serializer(many=False)
class SamplesSerializer(serializers.Serializer[Any]):
    """What is kept of past events."""

    most = serializers.IntegerField(help_text="events of a topic; beyond, the oldest go")
    topics = TopicSamplesSerializer(many=True)


class SamplesTakenSerializer(serializers.Serializer[Any]):
    """What a report of samples came to."""

    items = serializers.IntegerField(help_text="events of the report")
    refused = serializers.IntegerField(
        required=False, help_text="how many items were not taken (`atomic=false`)"
    )
    errors = ErrorSerializer(many=True, required=False)  # type: ignore[assignment]
