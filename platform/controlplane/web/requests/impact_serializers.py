"""Who is affected, for the API's schema."""

from typing import Any

from rest_framework import serializers


class AffectedSerializer(serializers.Serializer[Any]):
    """Whom it would affect if this went."""

    advertisements = serializers.IntegerField(help_text="live ones that would go, or be sent another way")
    subscriptions = serializers.IntegerField(
        help_text="live ones that would go, or get fewer events, or get them another way"
    )
    left_without = serializers.IntegerField(
        help_text="of those that stay, the subscriptions that no advertisement would overlap any more"
    )
    publishers = serializers.IntegerField()
    subscribers = serializers.IntegerField()
    hosts = serializers.IntegerField(help_text="where these subscriptions and advertisements are")
    trees = serializers.IntegerField(help_text="that it belongs to")
    entries_removed = serializers.IntegerField(
        allow_null=True, help_text="table entries that would go; null: too many withdrawals to try"
    )
    complete = serializers.BooleanField(help_text="false: there are at least so many")
    subscription_names = serializers.ListField(child=serializers.CharField(), help_text="the first, like q7")
    host_names = serializers.ListField(child=serializers.CharField(), help_text="the first")
