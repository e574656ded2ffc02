"""Serializers of in-band signalling."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from controlplane.rest.fields import Flag
from controlplane.signalling.models import Refusal, RefusedCount


class KeySerializer(serializers.Serializer[Any]):
    """New key of a host. It is shown only once."""

    host = serializers.CharField()
    key = serializers.CharField(help_text="key in base64: the content of the host's key file")
    made_at = serializers.DateTimeField(help_text="creation time")


class RefusedCountSerializer(serializers.ModelSerializer[RefusedCount]):
    """Number of messages that the platform refused for one reason."""

    class Meta:
        model = RefusedCount
        fields = ("reason", "count", "last_at")


class DroppedSerializer(serializers.Serializer[Any]):
    """Number of messages that the controller dropped for one reason since its start."""

    reason = serializers.CharField(help_text="reason of the drop")
    count = serializers.IntegerField(help_text="number of messages")


@extend_schema_serializer(many=False)
class SignallingSerializer(serializers.Serializer[Any]):
    """Policy of in-band signalling, and message counters."""

    self_registration = serializers.BooleanField(
        help_text="whether an unknown host may register itself, from a port that is not a link end"
    )
    sealed_only = serializers.BooleanField(help_text="whether messages of hosts without a key are refused")
    taken = serializers.IntegerField(
        help_text="number of messages that the controller accepted since its start"
    )
    dropped = DroppedSerializer(many=True, help_text="messages that the controller dropped, by reason")
    refused = RefusedCountSerializer(many=True, help_text="messages that the platform refused, by reason")


class SignallingChangeSerializer(serializers.Serializer[Any]):
    """Changes of the policy."""

    self_registration = Flag(required=False, help_text="whether unknown hosts may register themselves")
    sealed_only = Flag(required=False, help_text="whether to refuse messages of hosts without a key")


class RefusalSerializer(serializers.ModelSerializer[Refusal]):
    """Refused message, with its reason, its port and its sender."""

    host = serializers.CharField(allow_null=True, help_text="name of the host; null: unknown host")

    class Meta:
        model = Refusal
        fields = ("id", "reason", "detail", "dpid", "port", "mac", "ip", "host", "refused_at")
        read_only_fields = fields

    def to_representation(self, instance: Refusal) -> dict[str, Any]:
        """Return the refusal, with null for an unknown host."""
        out = dict(super().to_representation(instance))
        return {**out, "host": out["host"] or None}
