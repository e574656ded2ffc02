"""In-band signalling, as the API reads and shows it."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from controlplane.rest.fields import Flag
from controlplane.signalling.models import Refusal, RefusedCount


class KeySerializer(serializers.Serializer[Any]):
    """A new key of a host; it is shown this once."""

    host = serializers.CharField()
    key = serializers.CharField(help_text="base64; the content of the host's key file")
    made_at = serializers.DateTimeField()


class RefusedCountSerializer(serializers.ModelSerializer[RefusedCount]):
    """How many messages were refused for one reason."""

    class Meta:
        model = RefusedCount
        fields = ("reason", "count", "last_at")


class DroppedSerializer(serializers.Serializer[Any]):
    """How many messages the controller dropped for one reason, since it began."""

    reason = serializers.CharField()
    count = serializers.IntegerField()


@extend_schema_serializer(many=False)
class SignallingSerializer(serializers.Serializer[Any]):
    """What the network lets hosts do in band, and what came of it."""

    self_registration = serializers.BooleanField(
        help_text="a host that is not known may register itself, from a port that is no link"
    )
    sealed_only = serializers.BooleanField(help_text="messages of hosts without a key are refused")
    taken = serializers.IntegerField(help_text="messages that the controller handed on, since it began")
    dropped = DroppedSerializer(many=True)
    refused = RefusedCountSerializer(many=True)


class SignallingChangeSerializer(serializers.Serializer[Any]):
    """What can be changed of it."""

    self_registration = Flag(required=False)
    sealed_only = Flag(required=False)


class RefusalSerializer(serializers.ModelSerializer[Refusal]):
    """A message that was refused: why, where it entered, who sent it."""

    host = serializers.CharField(allow_null=True, help_text="null when it was of no known host")

    class Meta:
        model = Refusal
        fields = ("id", "reason", "detail", "dpid", "port", "mac", "ip", "host", "refused_at")
        read_only_fields = fields

    def to_representation(self, instance: Refusal) -> dict[str, Any]:
        """With null for no host."""
        out = dict(super().to_representation(instance))
        return {**out, "host": out["host"] or None}
