"""Serializer of the audit trail."""

from typing import Any

from rest_framework import serializers

from controlplane.accounts.trail.models import Action, ActionOutcome


class AuditedActionSerializer(serializers.Serializer[Any]):
    """Action in the audit trail: a change, or an attempt."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    last_at = serializers.DateTimeField(help_text="end of the action, or time of the last identical attempt")
    times = serializers.IntegerField(help_text="number of identical denied attempts within a minute")
    actor = serializers.SerializerMethodField()
    token = serializers.SerializerMethodField()
    token_id = serializers.IntegerField(allow_null=True)
    client = serializers.SerializerMethodField()
    address = serializers.CharField()
    method = serializers.CharField()
    resource = serializers.CharField()
    object = serializers.CharField()
    outcome = serializers.ChoiceField(choices=ActionOutcome.choices)
    status = serializers.IntegerField(allow_null=True, help_text="HTTP status")
    detail = serializers.CharField(help_text="reason of a failure; for a command: the user who ran it")
    call = serializers.CharField(help_text="`X-Request-ID`, also in the log and in requests")

    def get_actor(self, row: Action) -> str | None:
        """User; for a failed log-in the user name of the attempt; null without authentication."""
        return row.actor or None

    def get_token(self, row: Action) -> str | None:
        """Name of the token."""
        return row.token or None

    def get_client(self, row: Action) -> str | None:
        """Publisher or subscriber of the client token."""
        return row.client or None
