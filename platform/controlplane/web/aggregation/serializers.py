"""The policy and its runs, as the API reads and shows them."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.aggregation.models import AggregatedEntry, AggregationRunState, AggregationTrigger, Run
from controlplane.aggregation.policy import METHODS, RUNNING_METHODS
from controlplane.registry.models import Subscription
from controlplane.rest.base_views import url
from controlplane.rest.fields import Choice, Integer, Number, Reference, Share, Values
from controlplane.web.network.serializers import MAX_BUDGET, Budgets

SHORTEST_PERIOD, LONGEST_PERIOD = 10, 7 * 86400
RUNS = "aggregation/runs"
MAX_EVENTS = 20_000


def _request(pk: int | None) -> str | None:
    return None if pk is None else url("requests", pk)


class PartedSerializer(serializers.Serializer[Any]):
    """A switch whose aggregated entries cost what nobody expected, in needless copies an event."""

    switch = serializers.CharField()
    measured = serializers.FloatField()
    expected = serializers.FloatField()
    since = serializers.DateTimeField()


@extend_schema_serializer(many=False)
class PolicySerializer(serializers.Serializer[Any]):
    """How tables are kept within budgets."""

    method = serializers.ChoiceField(choices=METHODS, help_text="as the planner has it")
    sampling = serializers.FloatField(
        source="policy.sampling", help_text="share of the samples that runs use"
    )
    gain = serializers.FloatField(
        source="policy.gain",
        help_text="share of what is needless that a periodic run must save to install",
    )
    period = serializers.IntegerField(
        allow_null=True, help_text="seconds between periodic runs; null: there are none"
    )
    request = serializers.SerializerMethodField(help_text="the last change of the method")
    alarms = PartedSerializer(many=True, help_text="where measured and expected do not go together")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """With the method in its place."""
        return {
            "method": instance.policy.method,
            "sampling": instance.policy.sampling,
            "gain": instance.policy.gain,
            "period": instance.period,
            "request": self.get_request(instance),
            "alarms": instance.alarms,
        }

    def get_request(self, row: Any) -> str | None:
        """Where it can be read."""
        return _request(row.policy.asked_id)


@extend_schema_serializer(
    examples=[OpenApiExample("policy", {"method": "fa-pb", "sampling": 1.0, "gain": 0.1, "period": 300})]
)
class PolicyChangeSerializer(serializers.Serializer[Any]):
    """What can be changed of the policy."""

    method = Choice(METHODS, required=False)
    sampling = Share(required=False, help_text="above 0, 1 at most")
    gain = Number(min_value=0, max_value=1, required=False)
    period = Integer(min_value=SHORTEST_PERIOD, max_value=LONGEST_PERIOD, allow_null=True, required=False)


class RunCreateSerializer(serializers.Serializer[Any]):
    """A run; what is left out is the policy's."""

    method = Choice(RUNNING_METHODS, required=False)
    sampling = Share(required=False, help_text="above 0, 1 at most")


class FiguresSerializer(serializers.Serializer[Any]):
    """The installed tables now, and with what was worked out."""

    before = serializers.FloatField(allow_null=True)
    after = serializers.FloatField(allow_null=True)


class SwitchFiguresSerializer(serializers.Serializer[Any]):
    """What becomes of a switch."""

    switch = serializers.CharField()
    tcam_budget = serializers.IntegerField(allow_null=True)
    exact = serializers.IntegerField(help_text="entries without aggregation")
    before = serializers.IntegerField(help_text="entries now")
    after = serializers.IntegerField(help_text="entries with what was worked out")
    needless_before = serializers.FloatField(allow_null=True, help_text="needless copies an event, now")
    needless_after = serializers.FloatField(allow_null=True, help_text="needless copies an event, afterwards")
    unwanted_before = serializers.FloatField(
        allow_null=True, help_text="deliveries an event to hosts that do not want it, now"
    )
    unwanted_after = serializers.FloatField(
        allow_null=True, help_text="deliveries an event to hosts that do not want it, afterwards"
    )


class ResultsSerializer(serializers.Serializer[Any]):
    """What was worked out."""

    chosen = serializers.CharField(help_text="the method whose covers were taken")
    needless = FiguresSerializer(help_text="needless copies an event over links between switches")
    unwanted = FiguresSerializer(help_text="deliveries an event to hosts that do not want it")
    gap = serializers.FloatField(allow_null=True, help_text="to the yardstick, as a share of it")
    seconds = serializers.FloatField()
    switches = SwitchFiguresSerializer(many=True, help_text="those with a budget, or with covers")


class WhatIfAnswerSerializer(ResultsSerializer):
    """What other terms would bring; nothing was touched."""

    unmet = serializers.ListField(
        child=serializers.CharField(), help_text="switches whose budgets do not hold by this method"
    )
    events = serializers.IntegerField(help_text="events that it looked at")


@extend_schema_serializer(component_name="Event")
class TrafficEventSerializer(serializers.Serializer[Any]):
    """A past event."""

    publisher = Reference()
    values = Values()


@extend_schema_serializer(
    examples=[
        OpenApiExample("halved", {"method": "fa-pb", "sampling": 1.0, "budget": 300, "budgets": {"s1": 50}})
    ]
)
class WhatIfSerializer(serializers.Serializer[Any]):
    """Other terms; what is left out is as it is."""

    method = Choice(METHODS, required=False)
    sampling = Share(required=False, help_text="above 0, 1 at most")
    traffic = TrafficEventSerializer(  # type: ignore[call-arg] # the stubs forget what lists take
        many=True,
        required=False,
        allow_null=True,
        max_length=MAX_EVENTS,
        help_text="past events; left out or null: the samples that are kept",
    )
    budget = Integer(
        min_value=0, max_value=MAX_BUDGET, allow_null=True, required=False, help_text="of every switch"
    )
    budgets = Budgets(required=False, help_text="by switch; these stand above `budget`")


class AggregatedEntrySerializer(serializers.ModelSerializer[AggregatedEntry]):
    """An entry that says more than was asked for."""

    subscriptions = serializers.SerializerMethodField(
        help_text="how many it stands for; null for some seconds, where very many entries are new at once"
    )
    subscriptions_url = serializers.SerializerMethodField()
    measured = serializers.FloatField(help_text="needless copies that it made of the window's events")
    unwanted = serializers.FloatField(help_text="deliveries of the window to hosts that did not want them")
    expected = serializers.FloatField(
        allow_null=True, help_text="needless copies that older events let expect of as many"
    )
    packets = serializers.IntegerField(allow_null=True, help_text="the switch's own counter of the entry")
    window = serializers.IntegerField(
        help_text="events that were looked at, the newest; a new entry is estimated from the newest of its "
        "topic, with the request that merged it, and measured within a minute"
    )

    class Meta:
        model = AggregatedEntry
        fields = (
            "id",
            "topic",
            "in_port",
            "dz",
            "subscriptions",
            "subscriptions_url",
            "measured",
            "unwanted",
            "expected",
            "packets",
            "window",
            "position",
            "measured_at",
        )
        read_only_fields = fields

    def get_subscriptions(self, row: AggregatedEntry) -> int | None:
        """Their number, once they have been looked up."""
        return None if row.measured_at is None else len(row.subscriptions)

    def get_subscriptions_url(self, row: AggregatedEntry) -> str:
        """Where they are listed."""
        return f"{url('switches', row.switch_id)}aggregated/{row.pk}/subscriptions/"


class StandsForSerializer(serializers.ModelSerializer[Subscription]):
    """A subscription that an aggregated entry stands for."""

    url = serializers.SerializerMethodField()
    name = serializers.CharField(source="planner_id", help_text="its id in plans")
    subscriber = serializers.CharField(source="subscriber.name")

    class Meta:
        model = Subscription
        fields = ("id", "url", "name", "subscriber", "filter")
        read_only_fields = fields

    def get_url(self, row: Subscription) -> str:
        """Where it can be read."""
        return url("subscriptions", row.pk)


class CurvePointSerializer(serializers.Serializer[Any]):
    """One budget; all but it is null where it cannot hold."""

    budget = serializers.IntegerField()
    entries = serializers.IntegerField(allow_null=True)
    needless = serializers.FloatField(allow_null=True, help_text="needless copies an event, network-wide")
    unwanted = serializers.FloatField(allow_null=True, help_text="unwanted deliveries an event, network-wide")


class CurveSerializer(serializers.Serializer[Any]):
    """False positives against the budget of one switch; all others stay as they are."""

    switch = serializers.CharField()
    method = serializers.ChoiceField(choices=RUNNING_METHODS)
    events = serializers.IntegerField()
    points = CurvePointSerializer(many=True)


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run."""

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
        """Where it can be read again."""
        return url(RUNS, row.pk)

    def get_request(self, row: Run) -> str | None:
        """The request that installs what it found."""
        return _request(row.request_id)

    def get_reverts(self, row: Run) -> str | None:
        """The run whose covers it takes back."""
        return None if row.reverts_id is None else url(RUNS, row.reverts_id)

    @extend_schema_field(ResultsSerializer(allow_null=True))
    def get_results(self, row: Run) -> dict[str, Any] | None:
        """What it worked out; null while it has not, and for one that takes back."""
        found: dict[str, Any] | None = row.results
        return found
