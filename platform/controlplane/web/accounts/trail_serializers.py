"""Actions, as the API shows them."""

from typing import Any

from rest_framework import serializers

from controlplane.accounts.trail.models import Action, ActionOutcome


class AuditedActionSerializer(serializers.Serializer[Any]):
    """What somebody did or tried."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    last_at = serializers.DateTimeField(help_text="its end, or the last one of many alike")
    times = serializers.IntegerField(help_text="denied attempts that are alike are counted by the minute")
    actor = serializers.SerializerMethodField()
    token = serializers.SerializerMethodField()
    token_id = serializers.IntegerField(allow_null=True)
    client = serializers.SerializerMethodField()
    address = serializers.CharField()
    method = serializers.CharField()
    resource = serializers.CharField()
    object = serializers.CharField()
    outcome = serializers.ChoiceField(choices=ActionOutcome.choices)
    status = serializers.IntegerField(allow_null=True, help_text="of HTTP")
    detail = serializers.CharField(help_text="why it was not done; of a command, who gave it")
    call = serializers.CharField(help_text="`X-Request-ID`, also in the log and at requests")

    def get_actor(self, row: Action) -> str | None:
        """The user; of a failed log-in the name that was tried; null without log-in."""
        return row.actor or None

    def get_token(self, row: Action) -> str | None:
        """Name of the token."""
        return row.token or None

    def get_client(self, row: Action) -> str | None:
        """Whom a client token speaks for."""
        return row.client or None
