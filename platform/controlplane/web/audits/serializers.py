"""Serializers of audits."""

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
    """Audit to start. By default it covers all switches and repairs differences."""

    switches = serializers.ListField(
        child=Reference(),
        required=False,
        min_length=1,
        max_length=MAX_SWITCHES,
        help_text="names of the switches; default: all",
    )
    repair = Flag(required=False, help_text="false: report differences without repairing them")


class CountsSerializer(serializers.Serializer[Any]):
    """Number of switches in each state. States without a switch are left out."""

    waiting = serializers.IntegerField(required=False, help_text="not checked yet")
    equal = serializers.IntegerField(required=False, help_text="table equals the plan")
    drifted = serializers.IntegerField(
        required=False, help_text="table differs; the audit does not repair it"
    )
    repaired = serializers.IntegerField(required=False, help_text="table differed and was repaired")
    unrepaired = serializers.IntegerField(required=False, help_text="table differs and the repair failed")
    unreachable = serializers.IntegerField(required=False, help_text="switch did not answer")
    unsettled = serializers.IntegerField(required=False, help_text="changes of the table were in progress")


class AuditSerializer(serializers.ModelSerializer[Audit]):
    """Audit of switch tables."""

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
        """Address of the audit."""
        return url("audits", row.pk)

    @extend_schema_field(CountsSerializer())
    def get_switches(self, row: Audit) -> dict[str, int]:
        """Number of switches in each state."""
        found: dict[int, dict[str, int]] = self.context["counts"]
        return found.get(row.pk, {})

    def get_checks_url(self, row: Audit) -> str:
        """Address of the list with the result of each switch."""
        return f"{url('audits', row.pk)}checks/"

    def get_drift_url(self, row: Audit) -> str:
        """Address of the list of entries that differed."""
        return f"{url('audits', row.pk)}drift/"


class CheckSerializer(serializers.ModelSerializer[Check]):
    """Result of an audit for one switch."""

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
    """Entry that differed, as it was before any repair."""

    switch = serializers.CharField(source="check_of.switch", help_text="name of the switch")
    kind = serializers.ChoiceField(choices=DriftKind.choices)
    expected = ActionSerializer(
        many=True, allow_null=True, help_text="actions in the plan; null: the plan has no such entry"
    )
    found = ActionSerializer(
        many=True,
        allow_null=True,
        help_text="actions on the switch; null: the switch had no such entry, or it cannot be shown",
    )

    class Meta:
        model = Drift
        fields = ("id", "switch", "kind", "dst", "in_port", "priority", "what", "expected", "found")
        read_only_fields = fields
