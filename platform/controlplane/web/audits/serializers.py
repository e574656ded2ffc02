"""Audits, as the API reads and shows them."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.deployment.audits.models import (
    Audit,
    AuditState,
    AuditTrigger,
    Check,
    CheckState,
    Drift,
    DriftKind,
)
from controlplane.rest.base_views import url
from controlplane.rest.fields import Flag, Reference
from controlplane.web.network.table_serializers import ActionSerializer

MAX_SWITCHES = 10_000


@extend_schema_serializer(examples=[OpenApiExample("two", {"switches": ["s1", "s2"], "repair": False})])
class AuditCreateSerializer(serializers.Serializer[Any]):
    """An audit; what is left out: all switches, and what differs is repaired."""

    switches = serializers.ListField(
        child=Reference(), required=False, min_length=1, max_length=MAX_SWITCHES, help_text="by name"
    )
    repair = Flag(required=False, help_text="false: tell only, and change nothing")


class CountsSerializer(serializers.Serializer[Any]):
    """How many switches are in each state; those without any are left out."""

    waiting = serializers.IntegerField(required=False)
    equal = serializers.IntegerField(required=False)
    drifted = serializers.IntegerField(required=False, help_text="told, and not to be repaired")
    repaired = serializers.IntegerField(required=False)
    unrepaired = serializers.IntegerField(required=False)
    unreachable = serializers.IntegerField(required=False)
    unsettled = serializers.IntegerField(required=False, help_text="with changes under way")


class AuditSerializer(serializers.ModelSerializer[Audit]):
    """An audit."""

    url = serializers.SerializerMethodField()
    state = serializers.ChoiceField(choices=AuditState.choices)
    trigger = serializers.ChoiceField(choices=AuditTrigger.choices)
    switches = serializers.SerializerMethodField()
    checks_url = serializers.SerializerMethodField()
    drift_url = serializers.SerializerMethodField()

    class Meta:
        model = Audit
        fields = (
            "id",
            "url",
            "trigger",
            "reason",
            "repair",
            "state",
            "switches",
            "checks_url",
            "drift_url",
            "created_at",
            "started_at",
            "ended_at",
        )
        read_only_fields = fields

    def get_url(self, row: Audit) -> str:
        """Where it can be read again."""
        return url("audits", row.pk)

    @extend_schema_field(CountsSerializer())
    def get_switches(self, row: Audit) -> dict[str, int]:
        """How many are in each state."""
        found: dict[int, dict[str, int]] = self.context["counts"]
        return found.get(row.pk, {})

    def get_checks_url(self, row: Audit) -> str:
        """Where each switch is told."""
        return f"{url('audits', row.pk)}checks/"

    def get_drift_url(self, row: Audit) -> str:
        """Where each entry that differed is told."""
        return f"{url('audits', row.pk)}drift/"


class CheckSerializer(serializers.ModelSerializer[Check]):
    """How a switch was found."""

    state = serializers.ChoiceField(choices=CheckState.choices)

    class Meta:
        model = Check
        fields = (
            "id",
            "switch",
            "state",
            "detail",
            "entries",
            "foreign",
            "missing",
            "strange",
            "different",
            "checked_at",
        )
        read_only_fields = fields


class DriftSerializer(serializers.ModelSerializer[Drift]):
    """An entry that differed, as it was before anything was repaired."""

    switch = serializers.CharField(source="check_of.switch")
    kind = serializers.ChoiceField(choices=DriftKind.choices)
    expected = ActionSerializer(many=True, allow_null=True, help_text="null: the plan has no such entry")
    found = ActionSerializer(
        many=True, allow_null=True, help_text="null: the switch had no such entry, or one that cannot be said"
    )

    class Meta:
        model = Drift
        fields = ("id", "switch", "kind", "dst", "in_port", "priority", "what", "expected", "found")
        read_only_fields = fields
