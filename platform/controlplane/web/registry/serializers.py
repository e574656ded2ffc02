"""Serializers of publishers, subscribers, advertisements and subscriptions."""

from datetime import datetime
from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.registry.encoding import current_dz
from controlplane.registry.missing_path_text import REACH_HELP, REACHES, UNREACHABLE, unreachable
from controlplane.registry.models import Advertisement, Origin, Publisher, Subscriber, Subscription
from controlplane.requestlog.models import State
from controlplane.rest.base_views import url
from controlplane.rest.fields import Name, Reference, Text
from controlplane.rest.serializers import ErrorSerializer
from controlplane.telemetry.activity.delivery_counts import UNKNOWN, DeliveryTotals

MAX_FILTER = 65_536

STATES = State.choices


def request_url(pk: int | None) -> str | None:
    """Return the address of a request; None without one."""
    return None if pk is None else url("requests", pk)


class _ReportedEventsSerializer(serializers.Serializer[Any]):
    """Reported events of a row. The view reads them for all rows together."""

    last_seen_at = serializers.SerializerMethodField(
        help_text="time of the last reported event; null: no report"
    )

    def figures(self, row: Any) -> DeliveryTotals:
        """Return the reported events of a row."""
        found: DeliveryTotals = self.context["figures"].get(row.pk, UNKNOWN)
        return found

    def get_last_seen_at(self, row: Any) -> datetime | None:
        """Time of the last reported event."""
        return self.figures(row).last_at


class _SentSerializer(_ReportedEventsSerializer):
    published = serializers.SerializerMethodField(
        help_text="number of published events, as hosts report them; null: no report"
    )

    def get_published(self, row: Any) -> int | None:
        """Number of published events, over all reporters."""
        return self.figures(row).events


class _GotSerializer(_ReportedEventsSerializer):
    delivered = serializers.SerializerMethodField(
        help_text="number of received events, as hosts report them; null: no report"
    )
    unwanted = serializers.SerializerMethodField(
        help_text="false positives: number of events at its host that no subscription there matches; "
        "null: no report"
    )

    def get_delivered(self, row: Any) -> int | None:
        """Number of received events, over all reporters."""
        return self.figures(row).events

    def get_unwanted(self, row: Any) -> int | None:
        """Number of false positives at its host."""
        return self.figures(row).unwanted


class _ParticipantSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    url = serializers.SerializerMethodField()
    name = serializers.CharField()
    host = serializers.CharField(source="host.name", help_text="name of the host")
    origin = serializers.ChoiceField(choices=Origin.choices, help_text="registered in band, or over the API")
    created_at = serializers.DateTimeField()


class PublisherSerializer(_ParticipantSerializer, _SentSerializer):
    """Publisher: a program at a host that advertises and sends events."""

    advertisements = serializers.SerializerMethodField(help_text="number of active advertisements")

    def get_advertisements(self, row: Publisher) -> int:
        """Number of advertisements that have neither failed nor been withdrawn."""
        return self.figures(row).announced

    def get_url(self, row: Publisher) -> str:
        """Address of the publisher."""
        return url("publishers", row.pk)


class SubscriberSerializer(_ParticipantSerializer, _GotSerializer):
    """Subscriber: a program at a host that subscribes and receives events."""

    subscriptions = serializers.SerializerMethodField(help_text="number of active subscriptions")

    def get_subscriptions(self, row: Subscriber) -> int:
        """Number of subscriptions that have neither failed nor been withdrawn."""
        return self.figures(row).announced

    def get_url(self, row: Subscriber) -> str:
        """Address of the subscriber."""
        return url("subscribers", row.pk)


class _ParticipantCreateSerializer(serializers.Serializer[Any]):
    name = Name(help_text="name; two publishers, or two subscribers, cannot have the same name")
    host = Reference(help_text="name of the host")


@extend_schema_serializer(examples=[OpenApiExample("publisher", {"name": "exchange", "host": "h1"})])
class PublisherCreateSerializer(_ParticipantCreateSerializer):
    """Publisher to register."""


@extend_schema_serializer(examples=[OpenApiExample("subscriber", {"name": "alice", "host": "h2"})])
class SubscriberCreateSerializer(_ParticipantCreateSerializer):
    """Subscriber to register."""


class CreatedSerializer(serializers.Serializer[Any]):
    """Object that a bulk call created."""

    index = serializers.IntegerField()
    id = serializers.IntegerField()
    url = serializers.CharField(help_text="address of the object")
    name = serializers.CharField()


class CreatedManySerializer(serializers.Serializer[Any]):
    """Result of a bulk call."""

    items = serializers.IntegerField(help_text="number of created objects")
    results = CreatedSerializer(many=True, help_text="created objects")
    refused = serializers.IntegerField(required=False, help_text="number of skipped items (`atomic=false`)")
    errors = ErrorSerializer(many=True, required=False, help_text="errors of skipped items")  # type: ignore[assignment]


class _AnnouncementSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    url = serializers.SerializerMethodField()
    topic = serializers.CharField(source="topic.name", help_text="name of the topic")
    filter = serializers.SerializerMethodField()
    dz = serializers.SerializerMethodField()
    state = serializers.ChoiceField(choices=STATES, help_text="state of its request")
    reach = serializers.ChoiceField(choices=REACHES, help_text=REACH_HELP)
    unreachable = serializers.SerializerMethodField()
    request = serializers.SerializerMethodField()
    withdrawal = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()

    def get_filter(self, row: Any) -> str | None:
        """Filter; null if the host sent only dz cells."""
        return None if row.by_dz else row.filter

    @extend_schema_field(serializers.ListField(child=serializers.CharField(allow_blank=True)))
    def get_dz(self, row: Any) -> list[str]:
        """Cells of the filter's encoding."""
        return current_dz(row)

    @UNREACHABLE
    def get_unreachable(self, row: Any) -> dict[str, Any] | None:
        """Matching announcements without a path; null if all have a path."""
        return unreachable(row, self.context.get("named", True))

    def get_request(self, row: Any) -> str | None:
        """Address of the request that deploys it."""
        return request_url(row.request_id)

    def get_withdrawal(self, row: Any) -> str | None:
        """Address of the request that withdraws it."""
        return request_url(row.withdrawal_id)


class AdvertisementSerializer(_AnnouncementSerializer, _SentSerializer):
    """Advertisement: what a publisher will send."""

    publisher = serializers.CharField(source="publisher.name", help_text="name of the publisher")
    host = serializers.CharField(source="publisher.host.name", help_text="name of the publisher's host")
    origin = serializers.ChoiceField(
        source="publisher.origin", choices=Origin.choices, help_text="registered in band, or over the API"
    )

    def get_url(self, row: Advertisement) -> str:
        """Address of the advertisement."""
        return url("advertisements", row.pk)


class SubscriptionSerializer(_AnnouncementSerializer, _GotSerializer):
    """Subscription: what a subscriber receives."""

    subscriber = serializers.CharField(source="subscriber.name", help_text="name of the subscriber")
    host = serializers.CharField(source="subscriber.host.name", help_text="name of the subscriber's host")
    origin = serializers.ChoiceField(
        source="subscriber.origin", choices=Origin.choices, help_text="registered in band, or over the API"
    )
    matched = serializers.BooleanField(
        allow_null=True, help_text="false while no advertisement overlaps it; null until it is checked"
    )

    def get_url(self, row: Subscription) -> str:
        """Address of the subscription."""
        return url("subscriptions", row.pk)


_FILTER_HELP = 'filter over the topic\'s attributes; "true" matches every event'


@extend_schema_serializer(
    examples=[OpenApiExample("advertisement", {"publisher": "exchange", "topic": "quotes", "filter": "true"})]
)
class AdvertisementCreateSerializer(serializers.Serializer[Any]):
    """Advertisement to announce."""

    publisher = Reference(help_text="name of the publisher")
    topic = Reference(help_text="name of the topic")
    filter = Text(max_length=MAX_FILTER, allow_blank=True, help_text=_FILTER_HELP)


@extend_schema_serializer(
    examples=[
        OpenApiExample(
            "subscription",
            {"subscriber": "alice", "topic": "quotes", "filter": 'symbol = "AAPL" and open in [100, 200]'},
        )
    ]
)
class SubscriptionCreateSerializer(serializers.Serializer[Any]):
    """Subscription to announce."""

    subscriber = Reference(help_text="name of the subscriber")
    topic = Reference(help_text="name of the topic")
    filter = Text(max_length=MAX_FILTER, allow_blank=True, help_text=_FILTER_HELP)
