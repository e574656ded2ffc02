"""Serializers of the aggregation policy and its runs."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.aggregation.models import AggregationRunState, AggregationTrigger, Run
from controlplane.aggregation.policy import METHODS, RUNNING_METHODS
from controlplane.rest.base_views import url
from controlplane.rest.fields import Choice, Integer, Number, Reference, Share, Values
from controlplane.web.network.serializers import MAX_BUDGET, Budgets

SHORTEST_PERIOD, LONGEST_PERIOD = 10, 7 * 86400
RUNS = "aggregation/runs"
MAX_EVENTS = 20_000


def _request(pk: int | None) -> str | None:
    return None if pk is None else url("requests", pk)


class PartedSerializer(serializers.Serializer[Any]):
    """Switch whose measured redundant copies differ from the expected ones."""

    switch = serializers.CharField(help_text="name of the switch")
    measured = serializers.FloatField(help_text="measured redundant copies per event")
    expected = serializers.FloatField(help_text="predicted redundant copies per event")
    since = serializers.DateTimeField(help_text="start of the difference")


@extend_schema_serializer(many=False)
class PolicySerializer(serializers.Serializer[Any]):
    """Policy that keeps tables within budgets."""

    method = serializers.ChoiceField(choices=METHODS, help_text="method of the planner")
    sampling = serializers.FloatField(
        source="policy.sampling", help_text="share of the samples that runs learn from, 0 to 1"
    )
    gain = serializers.FloatField(
        source="policy.gain",
        help_text="share of the redundant copies and false positives that a periodic run must save to be "
        "installed, 0 to 1",
    )
    period = serializers.IntegerField(
        allow_null=True, help_text="seconds between periodic runs; null: no periodic runs"
    )
    request = serializers.SerializerMethodField(
        help_text="address of the last request that changed the method"
    )
    alarms = PartedSerializer(
        many=True, help_text="switches whose measured redundant copies differ from the predicted ones"
    )

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Return the values of the policy and the state of its row."""
        return {
            "method": instance.policy.method,
            "sampling": instance.policy.sampling,
            "gain": instance.policy.gain,
            "period": instance.period,
            "request": self.get_request(instance),
            "alarms": instance.alarms,
        }

    def get_request(self, row: Any) -> str | None:
        """Address of the last request that changed the method."""
        return _request(row.policy.asked_id)


@extend_schema_serializer(
    examples=[OpenApiExample("policy", {"method": "fa-pb", "sampling": 1.0, "gain": 0.1, "period": 300})]
)
class PolicyChangeSerializer(serializers.Serializer[Any]):
    """Changes of the aggregation policy."""

    method = Choice(METHODS, required=False, help_text="method; a change is a request")
    sampling = Share(
        required=False, help_text="share of the samples that runs learn from, above 0, at most 1"
    )
    gain = Number(
        min_value=0,
        max_value=1,
        required=False,
        help_text="share of the redundant copies and false positives that a periodic run must save to be "
        "installed",
    )
    period = Integer(
        min_value=SHORTEST_PERIOD,
        max_value=LONGEST_PERIOD,
        allow_null=True,
        required=False,
        help_text="seconds between periodic runs; null: no periodic runs",
    )


class RunCreateSerializer(serializers.Serializer[Any]):
    """Run to start. Omitted fields have the values of the policy."""

    method = Choice(RUNNING_METHODS, required=False, help_text="method of the run")
    sampling = Share(required=False, help_text="share of the samples to learn from, above 0, at most 1")


class FiguresSerializer(serializers.Serializer[Any]):
    """Value for the installed tables, and value for the calculated ones."""

    before = serializers.FloatField(allow_null=True, help_text="with the installed tables")
    after = serializers.FloatField(allow_null=True, help_text="with the calculated tables")


class SwitchFiguresSerializer(serializers.Serializer[Any]):
    """Effect on one switch."""

    switch = serializers.CharField(help_text="name of the switch")
    tcam_budget = serializers.IntegerField(
        allow_null=True, help_text="maximum content entries; null: no limit"
    )
    exact = serializers.IntegerField(help_text="entries without aggregation")
    before = serializers.IntegerField(help_text="entries in the installed table")
    after = serializers.IntegerField(help_text="entries in the calculated table")
    needless_before = serializers.FloatField(
        allow_null=True, help_text="redundant copies per event with the installed tables"
    )
    needless_after = serializers.FloatField(
        allow_null=True, help_text="redundant copies per event with the calculated tables"
    )
    unwanted_before = serializers.FloatField(
        allow_null=True, help_text="false positives per event with the installed tables"
    )
    unwanted_after = serializers.FloatField(
        allow_null=True, help_text="false positives per event with the calculated tables"
    )


class ResultsSerializer(serializers.Serializer[Any]):
    """Results of a calculation."""

    chosen = serializers.CharField(help_text="method whose covers were chosen")
    needless = FiguresSerializer(help_text="redundant copies per event over links between switches")
    unwanted = FiguresSerializer(
        help_text="false positives per event: deliveries to hosts without a matching subscription"
    )
    gap = serializers.FloatField(
        allow_null=True,
        help_text="cost compared with the best choice of merged entries in which no cell keeps its own "
        "entry, as a share: 0.1 is 10 % higher, a negative value is lower",
    )
    seconds = serializers.FloatField(help_text="duration of the calculation in seconds")
    switches = SwitchFiguresSerializer(many=True, help_text="switches with a budget or with covers")


class WhatIfAnswerSerializer(ResultsSerializer):
    """Answer to a what-if question. The question changes nothing."""

    unmet = serializers.ListField(
        child=serializers.CharField(), help_text="switches whose budgets this method cannot meet"
    )
    events = serializers.IntegerField(help_text="number of past events used")


@extend_schema_serializer(component_name="Event")
class TrafficEventSerializer(serializers.Serializer[Any]):
    """Past event."""

    publisher = Reference(help_text="name of the advertisement of the publisher, for example a1")
    values = Values(help_text="value of each attribute")


@extend_schema_serializer(
    examples=[
        OpenApiExample("halved", {"method": "fa-pb", "sampling": 1.0, "budget": 300, "budgets": {"s1": 50}})
    ]
)
class WhatIfSerializer(serializers.Serializer[Any]):
    """What-if question. Omitted fields keep their present values."""

    method = Choice(METHODS, required=False, help_text="method; default: the policy's")
    sampling = Share(required=False, help_text="share of the events to learn from, above 0, at most 1")
    traffic = TrafficEventSerializer(  # type: ignore[call-arg] # the stubs do not declare arguments of lists
        many=True,
        required=False,
        allow_null=True,
        max_length=MAX_EVENTS,
        help_text="a list of past events; omitted or null: the stored samples",
    )
    budget = Integer(
        min_value=0,
        max_value=MAX_BUDGET,
        allow_null=True,
        required=False,
        help_text="budget of every switch, in entries; null: no limit",
    )
    budgets = Budgets(required=False, help_text="budgets by switch; they override `budget`")


class CurvePointSerializer(serializers.Serializer[Any]):
    """Result for one budget. All other values are null if the budget cannot be met."""

    budget = serializers.IntegerField(help_text="budget of the switch, in entries")
    entries = serializers.IntegerField(allow_null=True, help_text="entries in the table of the switch")
    needless = serializers.FloatField(allow_null=True, help_text="redundant copies per event, network-wide")
    unwanted = serializers.FloatField(allow_null=True, help_text="false positives per event, network-wide")


class CurveSerializer(serializers.Serializer[Any]):
    """False positives as a function of one switch's budget. All other switches stay unchanged."""

    switch = serializers.CharField(help_text="name of the switch")
    method = serializers.ChoiceField(choices=RUNNING_METHODS, help_text="method of the calculation")
    events = serializers.IntegerField(help_text="number of past events used")
    points = CurvePointSerializer(many=True, help_text="results by budget")


class RunSerializer(serializers.ModelSerializer[Run]):
    """Run of an aggregation method."""

    url = serializers.SerializerMethodField()
    state = serializers.ChoiceField(choices=AggregationRunState.values)
    trigger = serializers.ChoiceField(choices=AggregationTrigger.values)
    method = serializers.ChoiceField(choices=RUNNING_METHODS)
    request = serializers.SerializerMethodField()
    reverts = serializers.SerializerMethodField()
    results = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields = (
            "id",
            "url",
            "trigger",
            "method",
            "sampling",
            "state",
            "reason",
            "position",
            "events",
            "results",
            "request",
            "reverts",
            "created_at",
            "started_at",
            "ended_at",
        )
        read_only_fields = fields

    def get_url(self, row: Run) -> str:
        """Address of the run."""
        return url(RUNS, row.pk)

    def get_request(self, row: Run) -> str | None:
        """Address of the request that installs the result."""
        return _request(row.request_id)

    def get_reverts(self, row: Run) -> str | None:
        """Address of the run that this run reverts."""
        return None if row.reverts_id is None else url(RUNS, row.reverts_id)

    @extend_schema_field(ResultsSerializer(allow_null=True))
    def get_results(self, row: Run) -> dict[str, Any] | None:
        """Results; null before they are calculated, and for a run that reverts another one."""
        found: dict[str, Any] | None = row.results
        return found
