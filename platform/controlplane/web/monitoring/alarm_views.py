"""`/api/v1/alarms/`, those that were told, and `/api/v1/alarms/standing/`, those that stand."""

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
    """An alarm, as operators were told."""

    id = serializers.IntegerField(help_text="of its event in the live stream")
    text = serializers.CharField(source="payload.text")
    at = serializers.DateTimeField(source="created_at")


class StandingAlarmSerializer(serializers.Serializer[Any]):
    """One thing that is wrong now."""

    source = serializers.ChoiceField(choices=alarms.SOURCES, help_text="who says so")  # type: ignore[assignment]
    alarm = serializers.CharField(help_text="its name")
    subject = serializers.CharField(help_text="what it is about")
    detail = serializers.CharField()
    since = serializers.DateTimeField(allow_null=True)
    last = serializers.DateTimeField(allow_null=True, help_text="when it was last seen")
    count = serializers.IntegerField(allow_null=True, help_text="how often it was seen")


class StandingAlarmsSerializer(serializers.Serializer[Any]):
    """All that stand."""

    alarms = StandingAlarmSerializer(many=True)
    unknown = serializers.CharField(
        allow_null=True, help_text="why those of the controller are not known; null: they are"
    )


@extend_schema_view(
    list=extend_schema(operation_id="alarms_list", tags=["system"]),
    retrieve=extend_schema(operation_id="alarms_read", tags=["system"]),
)
class AlarmViewSet(ListAndRead):
    """Alarms that were told, as long as the live stream keeps them."""

    queryset = OutboxEvent.objects.filter(kind="alarm")
    serializer_class = AlarmSerializer
    noun = "alarm"
    filters = (ID, QueryFilterField("at", "created_at", TIME, ("gte", "lte")))
    search = ("payload__text",)


class StandingAlarmsView(StrictView):
    """What is wrong now."""

    @extend_schema(operation_id="alarms_standing", tags=["system"], responses=StandingAlarmsSerializer)
    def get(self, request: Request) -> Response:
        """The alarms that stand: of the controller, aggregation, audits, periodic tasks, found links."""
        found, trouble = alarms.standing()
        return Response(StandingAlarmsSerializer({"alarms": found, "unknown": trouble}).data)
