"""Problems and their errors, and descriptions of fields that have no `help_text`."""

from inspect import getdoc
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

SCALAR: dict[str, Any] = {
    "oneOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}],
    "nullable": True,
    "description": "the received value if it is a scalar, otherwise a short description of it",
}


@extend_schema_field(SCALAR)
class ScalarField(serializers.ReadOnlyField):
    """JSON scalar."""


class ErrorSerializer(serializers.Serializer[Any]):
    """One invalid value."""

    pointer = serializers.CharField(
        help_text="JSON pointer to the value in the body (or in the item, for lists)"
    )
    code = serializers.CharField(help_text="kind of error, for programs")
    detail = serializers.CharField(help_text="received value, rule and remedy, for people")
    value = ScalarField()
    index = serializers.IntegerField(required=False, help_text="index of the item in a list body, from 0")
    line = serializers.IntegerField(required=False, help_text="line where the item starts, from 1")
    parameter = serializers.CharField(
        required=False, help_text="name of the query parameter, path parameter or header"
    )
    existing = serializers.CharField(
        required=False, help_text="address of the existing object that the item duplicates (code `duplicate`)"
    )


class ProblemSerializer(serializers.Serializer[Any]):
    """Problem details as in RFC 9457."""

    type = serializers.CharField(help_text="URN for the kind of problem")
    title = serializers.CharField(help_text="name of the HTTP status")
    status = serializers.IntegerField(help_text="HTTP status code")
    detail = serializers.CharField(help_text="description of the problem, for people")
    request_id = serializers.CharField(help_text="id of the call, also in the server's log")
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]


FIELD_TEXTS = {
    "a": "switch at one end",
    "a_port": "port at this end",
    "actions": "actions of the entry",
    "address": "address of the caller",
    "advertisement": "name of the advertisement, for example a7",
    "b": "switch at the other end",
    "b_port": "port at the other end",
    "code": "topic code in the addresses of events",
    "connected": "whether the switch is connected to the controller",
    "cost": "cost of the link in path selection",
    "created_at": "time of creation",
    "detail": "description, for people",
    "dpid": "datapath id: 16 hexadecimal digits",
    "dst": "destination prefix that the entry matches",
    "dz": "dz, a cell of the event space",
    "ended_at": "time of the end",
    "filter": "filter over the topic's attributes",
    "host": "name of the host",
    "id": "id of the object, used in addresses",
    "in_port": "input port that the entry matches; null: any",
    "index": "index of the item in the call, from 0",
    "ip": "IP address",
    "job": "name of the job",
    "kind": "kind of object",
    "label": "text on the map",
    "last_at": "time of the last event",
    "latitude": "latitude in degrees",
    "longitude": "longitude in degrees",
    "mac": "MAC address",
    "matched": "whether an advertisement overlaps the subscription; null until it is checked",
    "method": "method",
    "name": "name of the object",
    "number": "number",
    "object": "name of the object",
    "origin": "registered in band, or over the API",
    "port": "port of the switch",
    "priority": "priority of the entry",
    "publisher": "name of the publisher",
    "reason": "reason, for people",
    "reported_at": "time of the report",
    "resource": "address of the resource",
    "role": "role of the user",
    "scopes": "permissions of the token",
    "seq": "sequence number of the event",
    "started_at": "time of the start",
    "state": "present state",
    "subscriber": "name of the subscriber",
    "switch": "name of the switch",
    "tcam_budget": "maximum content entries; null: no limit",
    "topic": "name of the topic",
    "trigger": "what started it",
    "up": "whether the network uses it",
    "url": "address of the object",
    "username": "name of the user",
    "values": "value of each attribute",
    "AggregatedEntrySerializer.measured_at": "time of the measurement",
    "AggregatedEntrySerializer.position": "log position of the measurement",
    "AnalyticsRunSerializer.due": "scheduled time of the run; null: a user started it",
    "AnalyticsRunSerializer.rebuild": "whether the run recomputes all results",
    "AnalyticsRunSerializer.since": "start of the recomputed results; null: no limit",
    "AnalyticsRunSerializer.stage": "step in progress",
    "AnalyticsRunSerializer.until": "end of the recomputed results; null: no limit",
    "AuditSerializer.repair": "whether the audit repairs differences",
    "AuditedActionSerializer.at": "time of the action",
    "AuditedActionSerializer.method": "HTTP method; for other actions: `login`, `logout` or `command`",
    "AuditedActionSerializer.outcome": "result of the action",
    "AuditedActionSerializer.token_id": "id of the token; null without a token",
    "AuditedActionSerializer.object": "address or name of the object that it concerns",
    "AuditedActionSerializer.resource": "kind of object that it concerns",
    "CheckSerializer.checked_at": "time of the comparison",
    "CheckSerializer.different": "number of entries with other actions than in the plan",
    "CheckSerializer.missing": "number of entries in the plan that the switch does not have",
    "CheckSerializer.strange": "number of entries on the switch that the plan does not have",
    "DifferenceSerializer.in_port": "input port of the event",
    "DriftSerializer.kind": "kind of difference",
    "DriftSerializer.what": "description of an entry that is not a content entry",
    "EntrySerializer.confirmed_at": "time of the confirmation by the switch",
    "FoundLinkSerializer.decided_at": "time of the decision; null: not decided",
    "FoundLinkSerializer.decided_by": "user who decided; empty: not decided",
    "FoundLinkSerializer.found_at": "time when a probe first crossed the link",
    "HopSerializer.in_port": "input port of the event",
    "KeyNumberSerializer.made_at": "time of creation",
    "KeyNumberSerializer.number": "number of the key",
    "MoveSerializer.in_place": "whether the topic changes without a transition, so that events may be lost",
    "MoveSerializer.told_at": "time when publishers can get the new encoding; null: not yet",
    "MoveSerializer.version": "version of the new encoding",
    "OperationSerializer.refused": "number of skipped items (`atomic=false`)",
    "ImportOperationSerializer.refused": "number of skipped items (`atomic=false`)",
    "PortSerializer.number": "number of the port",
    "PortSerializer.up": "whether the port is up",
    "ProblemSerializer.errors": "all invalid values",
    "RealHopSerializer.in_port": "input port of the event",
    "RefusalSerializer.ip": "source IP address of the message",
    "RefusalSerializer.mac": "source MAC address of the message",
    "RefusalSerializer.port": "switch port where the message arrived",
    "RefusalSerializer.reason": "kind of refusal, for programs",
    "RefusalSerializer.refused_at": "time of the refusal",
    "RefusedCountSerializer.count": "number of messages",
    "RefusedCountSerializer.last_at": "time of the last of these messages",
    "RefusedCountSerializer.reason": "kind of refusal, for programs",
    "RequestSerializer.added": "number of added entries",
    "RequestSerializer.index": "index of the item in its bulk call, from 0; null: no bulk call",
    "RequestSerializer.kind": "kind of request",
    "RequestSerializer.modified": "number of modified entries",
    "RequestSerializer.removed": "number of removed entries",
    "RunSerializer.position": "log position of the network that the run used",
    "RunSerializer.sampling": "share of the samples that the run learns from",
    "ScheduleSerializer.last_due": "latest scheduled time of a run that was started",
    "SwitchSerializer.address": "address of the switch's connection",
    "TelemetryWriterSerializer.batches": "number of written uploads",
    "TelemetryWriterSerializer.error": "last error; empty: none",
    "TelemetryWriterSerializer.lost": "number of lost rows",
    "TelemetryWriterSerializer.lost_batches": "number of lost uploads",
    "TelemetryWriterSerializer.pending": "number of rows that are not written yet",
    "TelemetryWriterSerializer.retries": "number of repeated attempts to write",
    "TelemetryWriterSerializer.taken": "number of rows that the writer accepted",
    "TelemetryWriterSerializer.written": "number of written rows",
    "TokenIssuedSerializer.name": "purpose of the token",
    "TokenSerializer.name": "purpose of the token",
    "TopicSerializer.seal": "whether events are sealed",
    "UnreachableSerializer.remedy": "what to do",
    "UserSerializer.active": "whether the user can log in",
    "UserSerializer.last_login": "time of the last log-in; null: never",
}
"""Description by the name of a field, or by `SerializerClass.field` where the name alone is not enough."""


def field_text(field: Any) -> str | None:
    """Return the description of a field without a `help_text`; None if there is none.

    For a `SerializerMethodField` it is the docstring of its method.
    """
    owner, name = type(field.parent).__name__, field.field_name
    if isinstance(field, serializers.SerializerMethodField):
        return getdoc(getattr(field.parent, field.method_name or f"get_{name}"))
    return FIELD_TEXTS.get(f"{owner}.{name}", FIELD_TEXTS.get(name))
