"""Serializers of the effects of a removal."""

from typing import Any

from rest_framework import serializers


class AffectedSerializer(serializers.Serializer[Any]):
    """Effects of a removal."""

    advertisements = serializers.IntegerField(help_text="active advertisements that end or change their path")
    subscriptions = serializers.IntegerField(
        help_text="active subscriptions that end, receive fewer events, or receive them over another path"
    )
    left_without = serializers.IntegerField(
        help_text="remaining subscriptions that no advertisement would overlap any more"
    )
    publishers = serializers.IntegerField(help_text="number of affected publishers")
    subscribers = serializers.IntegerField(help_text="number of affected subscribers")
    hosts = serializers.IntegerField(help_text="number of hosts of these advertisements and subscriptions")
    trees = serializers.IntegerField(help_text="number of trees that the object belongs to")
    entries_removed = serializers.IntegerField(
        allow_null=True, help_text="entries that the removal deletes; null: too many withdrawals to check"
    )
    complete = serializers.BooleanField(help_text="false: the numbers are lower bounds")
    subscription_names = serializers.ListField(
        child=serializers.CharField(), help_text="names of the first subscriptions, for example q7"
    )
    host_names = serializers.ListField(child=serializers.CharField(), help_text="names of the first hosts")
