"""Views of `/api/v1/alarms/` (past alarms) and `/api/v1/alarms/standing/` (active alarms)."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.operations import alarms
from controlplane.requestlog.models import OutboxEvent
from controlplane.rest.base_views import ListAndRead, StrictView
from controlplane.rest.query_parameters import ID, TIME, QueryFilterField


class AlarmSerializer(serializers.Serializer[Any]):
    """Past alarm."""

    id = serializers.IntegerField(help_text="id of its event in the live stream")
    text = serializers.CharField(source="payload.text", help_text="text of the alarm")
    at = serializers.DateTimeField(source="created_at", help_text="time of the alarm")


class StandingAlarmSerializer(serializers.Serializer[Any]):
    """Active alarm."""

    source = serializers.ChoiceField(choices=alarms.SOURCES, help_text="part that reports it")  # type: ignore[assignment]
    alarm = serializers.CharField(help_text="name of the alarm")
    subject = serializers.CharField(help_text="object that it concerns")
    detail = serializers.CharField(help_text="description of the problem")
    since = serializers.DateTimeField(allow_null=True, help_text="time when it was first seen")
    last = serializers.DateTimeField(allow_null=True, help_text="time when it was last seen")
    count = serializers.IntegerField(allow_null=True, help_text="number of times that it was seen")


class StandingAlarmsSerializer(serializers.Serializer[Any]):
    """All active alarms."""

    alarms = StandingAlarmSerializer(many=True, help_text="active alarms")
    unknown = serializers.CharField(
        allow_null=True, help_text="why the controller's alarms are unknown; null: they are known"
    )


@extend_schema_view(
    list=extend_schema(operation_id="alarms_list", tags=["system"]),
    retrieve=extend_schema(operation_id="alarms_read", tags=["system"]),
)
class AlarmViewSet(ListAndRead):
    """Past alarms. They are kept for the same time as the events of the live stream."""

    queryset = OutboxEvent.objects.filter(kind="alarm")
    serializer_class = AlarmSerializer
    noun = "alarm"
    filters = (ID, QueryFilterField("at", "created_at", TIME, ("gte", "lte")))
    search = ("payload__text",)


class StandingAlarmsView(StrictView):
    """Active alarms."""

    @extend_schema(operation_id="alarms_standing", tags=["system"], responses=StandingAlarmsSerializer)
    def get(self, request: Request) -> Response:
        """Return active alarms of controller, aggregation, audits, periodic tasks, found links."""
        found, trouble = alarms.standing()
        return Response(StandingAlarmsSerializer({"alarms": found, "unknown": trouble}).data)
