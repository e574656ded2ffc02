"""Topics, publishers, subscribers, advertisements and subscriptions, as the API reads and shows them."""

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
from controlplane.telemetry.activity.delivery_counts import UNKNOWN, DeliveryFigures

MAX_FILTER = 65_536

STATES = State.choices


def request_url(pk: int | None) -> str | None:
    """Where a request is read; None without one."""
    return None if pk is None else url("requests", pk)


class _FiguresSerializer(serializers.Serializer[Any]):
    """What is known of a row's events; the view reads it for all rows together."""

    last_seen_at = serializers.SerializerMethodField(
        help_text="when an event of it was last seen; null: nobody has reported any"
    )

    def figures(self, row: Any) -> DeliveryFigures:
        """Those of the row."""
        found: DeliveryFigures = self.context["figures"].get(row.pk, UNKNOWN)
        return found

    def get_last_seen_at(self, row: Any) -> datetime | None:
        """By the hosts' reports."""
        return self.figures(row).last_at


class _SentSerializer(_FiguresSerializer):
    published = serializers.SerializerMethodField(
        help_text="events, as hosts report them; null: nobody has reported any"
    )

    def get_published(self, row: Any) -> int | None:
        """Over all reporters."""
        return self.figures(row).events


class _GotSerializer(_FiguresSerializer):
    delivered = serializers.SerializerMethodField(
        help_text="events that it got, as hosts report them; null: nobody has reported any"
    )
    unwanted = serializers.SerializerMethodField(
        help_text="events that reached its host and no subscription there wanted; null: not reported"
    )

    def get_delivered(self, row: Any) -> int | None:
        """Over all reporters."""
        return self.figures(row).events

    def get_unwanted(self, row: Any) -> int | None:
        """At its host."""
        return self.figures(row).unwanted


class _ParticipantSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    url = serializers.SerializerMethodField()
    name = serializers.CharField()
    host = serializers.CharField(source="host.name")
    origin = serializers.ChoiceField(choices=Origin.choices)
    created_at = serializers.DateTimeField()


class PublisherSerializer(_ParticipantSerializer, _SentSerializer):
    """Someone who advertises and sends events from a host."""

    advertisements = serializers.SerializerMethodField(help_text="how many of it live")

    def get_advertisements(self, row: Publisher) -> int:
        """Neither failed nor withdrawn."""
        return self.figures(row).announced

    def get_url(self, row: Publisher) -> str:
        """Where it can be read again."""
        return url("publishers", row.pk)


class SubscriberSerializer(_ParticipantSerializer, _GotSerializer):
    """Someone who subscribes and receives events at a host."""

    subscriptions = serializers.SerializerMethodField(help_text="how many of it live")

    def get_subscriptions(self, row: Subscriber) -> int:
        """Neither failed nor withdrawn."""
        return self.figures(row).announced

    def get_url(self, row: Subscriber) -> str:
        """Where it can be read again."""
        return url("subscribers", row.pk)


class _ParticipantCreateSerializer(serializers.Serializer[Any]):
    name = Name()
    host = Reference(help_text="name of a host")


@extend_schema_serializer(examples=[OpenApiExample("publisher", {"name": "exchange", "host": "h1"})])
class PublisherCreateSerializer(_ParticipantCreateSerializer):
    """A new publisher."""


@extend_schema_serializer(examples=[OpenApiExample("subscriber", {"name": "alice", "host": "h2"})])
class SubscriberCreateSerializer(_ParticipantCreateSerializer):
    """A new subscriber."""


class CreatedSerializer(serializers.Serializer[Any]):
    """One of the rows that a bulk call made."""

    index = serializers.IntegerField()
    id = serializers.IntegerField()
    url = serializers.CharField()
    name = serializers.CharField()


class CreatedManySerializer(serializers.Serializer[Any]):
    """What a bulk call made."""

    items = serializers.IntegerField()
    results = CreatedSerializer(many=True)
    refused = serializers.IntegerField(
        required=False, help_text="how many items were not taken (`atomic=false`)"
    )
    errors = ErrorSerializer(many=True, required=False)  # type: ignore[assignment]


class _AnnouncementSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    url = serializers.SerializerMethodField()
    topic = serializers.CharField(source="topic.name")
    filter = serializers.SerializerMethodField()
    dz = serializers.SerializerMethodField()
    state = serializers.ChoiceField(choices=STATES)
    reach = serializers.ChoiceField(choices=REACHES, help_text=REACH_HELP)
    unreachable = serializers.SerializerMethodField()
    request = serializers.SerializerMethodField()
    withdrawal = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()

    def get_filter(self, row: Any) -> str | None:
        """The filter; null where a host told its dz set only."""
        return None if row.by_dz else row.filter

    @extend_schema_field(serializers.ListField(child=serializers.CharField(allow_blank=True)))
    def get_dz(self, row: Any) -> list[str]:
        """The filter's dz set."""
        return current_dz(row)

    @UNREACHABLE
    def get_unreachable(self, row: Any) -> dict[str, Any] | None:
        """Whom it matches and cannot reach; null while paths lead to all."""
        return unreachable(row, self.context.get("named", True))

    def get_request(self, row: Any) -> str | None:
        """The request that deploys it."""
        return request_url(row.request_id)

    def get_withdrawal(self, row: Any) -> str | None:
        """The request that withdraws it."""
        return request_url(row.withdrawal_id)


class AdvertisementSerializer(_AnnouncementSerializer, _SentSerializer):
    """What a publisher will send."""

    publisher = serializers.CharField(source="publisher.name")
    host = serializers.CharField(source="publisher.host.name")
    origin = serializers.ChoiceField(source="publisher.origin", choices=Origin.choices)

    def get_url(self, row: Advertisement) -> str:
        """Where it can be read again."""
        return url("advertisements", row.pk)


class SubscriptionSerializer(_AnnouncementSerializer, _GotSerializer):
    """What a subscriber wants."""

    subscriber = serializers.CharField(source="subscriber.name")
    host = serializers.CharField(source="subscriber.host.name")
    origin = serializers.ChoiceField(source="subscriber.origin", choices=Origin.choices)
    matched = serializers.BooleanField(
        allow_null=True, help_text="false while no advertisement overlaps it; null until it was looked at"
    )

    def get_url(self, row: Subscription) -> str:
        """Where it can be read again."""
        return url("subscriptions", row.pk)


_FILTER_HELP = 'a filter over the topic\'s attributes; "true" means every event'


@extend_schema_serializer(
    examples=[OpenApiExample("advertisement", {"publisher": "exchange", "topic": "quotes", "filter": "true"})]
)
class AdvertisementCreateSerializer(serializers.Serializer[Any]):
    """A new advertisement."""

    publisher = Reference(help_text="name of a publisher")
    topic = Reference(help_text="name of a topic")
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
    """A new subscription."""

    subscriber = Reference(help_text="name of a subscriber")
    topic = Reference(help_text="name of a topic")
    filter = Text(max_length=MAX_FILTER, allow_blank=True, help_text=_FILTER_HELP)
