"""Counters by advertisement, subscription and host, as a report of traffic has them."""

from typing import Any

from rest_framework import serializers

from controlplane.rest.fields import Integer, Reference, Time
from tercast.runtime.strict_json import SAFE_INTEGER

MOST = 10_000
"""Rows of a kind in one report."""


def _counter() -> Integer:
    return Integer(min_value=0, max_value=SAFE_INTEGER)


def _last() -> Time:
    return Time(allow_null=True, default=None, help_text="when the last event was seen")


class SubscriptionCountsSerializer(serializers.Serializer[Any]):
    """What a subscription got."""

    subscription = Reference(help_text="by its id in plans: `q` and its number")
    delivered = _counter()
    last_at = _last()


class AdvertisementCountsSerializer(serializers.Serializer[Any]):
    """What was published under an advertisement."""

    advertisement = Reference(help_text="by its id in plans: `a` and its number")
    published = _counter()
    last_at = _last()


class HostCountsSerializer(serializers.Serializer[Any]):
    """What reached a host."""

    host = Reference(help_text="name of a host")
    delivered = _counter()
    unwanted = _counter()
    last_at = _last()


PARTS = {
    "subscriptions": SubscriptionCountsSerializer,
    "advertisements": AdvertisementCountsSerializer,
    "hosts": HostCountsSerializer,
}
