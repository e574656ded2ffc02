"""Serializers of counters by advertisement, subscription and host, in a traffic report."""

from typing import Any

from rest_framework import serializers

from controlplane.rest.fields import Integer, Reference, Time
from tercast.runtime.strict_json import SAFE_INTEGER

MOST = 10_000
"""Maximum number of rows of each kind in one report."""


def _counter(what: str = "events") -> Integer:
    return Integer(min_value=0, max_value=SAFE_INTEGER, help_text=f"number of {what} since the start")


def _last() -> Time:
    return Time(allow_null=True, default=None, help_text="time of the last event")


class SubscriptionCountsSerializer(serializers.Serializer[Any]):
    """Events that a subscription received."""

    subscription = Reference(help_text="name of the subscription: `q` and its number")
    delivered = _counter()
    last_at = _last()


class AdvertisementCountsSerializer(serializers.Serializer[Any]):
    """Events published under an advertisement."""

    advertisement = Reference(help_text="name of the advertisement: `a` and its number")
    published = _counter()
    last_at = _last()


class HostCountsSerializer(serializers.Serializer[Any]):
    """Events that reached a host."""

    host = Reference(help_text="name of the host")
    delivered = _counter()
    unwanted = _counter("false positives (deliveries without a matching subscription)")
    last_at = _last()


PARTS = {
    "subscriptions": SubscriptionCountsSerializer,
    "advertisements": AdvertisementCountsSerializer,
    "hosts": HostCountsSerializer,
}
