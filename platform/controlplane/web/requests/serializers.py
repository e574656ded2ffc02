"""Requests of the log and operations, as the API shows them."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.planning.remedies import remedy
from controlplane.planning.request_objects import RESOURCES
from controlplane.registry.missing_path_text import REACH_HELP, REACHES, UNREACHABLE, unreachable
from controlplane.requestlog.kinds import ANNOUNCING, KINDS
from controlplane.requestlog.models import Operation, RefusedItem, Request, State
from controlplane.rest.base_views import url
from controlplane.rest.serializers import ErrorSerializer
from controlplane.web.requests.merging_serializers import (
    MergingSerializer,
    OperationMergingSerializer,
    operation_merging,
)
from tercast.requests.kinds import (
    SUBSCRIBE,
)
from tercast.requests.reach import Reach

PROGRESS = {State.QUEUED: 0.0, State.PLANNING: 0.25, State.DEPLOYING: 0.6}
"""How far a request in this state is; a final one is done."""


class StageSerializer(serializers.Serializer[Any]):
    """When each stage was reached; null for those that were not."""

    received = serializers.DateTimeField(source="received_at")
    started = serializers.DateTimeField(source="started_at", allow_null=True)
    computed = serializers.DateTimeField(source="computed_at", allow_null=True)
    confirmed = serializers.DateTimeField(source="confirmed_at", allow_null=True)


class ObjectSerializer(serializers.Serializer[Any]):
    """The object that a request is about."""

    type = serializers.ChoiceField(choices=sorted(RESOURCES))
    name = serializers.CharField()
    id = serializers.IntegerField(allow_null=True)
    url = serializers.CharField(allow_null=True)


class RequestProblemSerializer(serializers.Serializer[Any]):
    """Why a request failed."""

    type = serializers.CharField()
    title = serializers.CharField()
    detail = serializers.CharField()
    remedy = serializers.CharField(help_text="what to do about it")
    switches = serializers.ListField(
        child=serializers.CharField(), help_text="the switches that it failed at"
    )
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]


def problem_of(stored: dict[str, Any] | None) -> dict[str, Any] | None:
    """A stored problem with every member that the schema promises."""
    if stored is None:
        return None
    return {
        "type": stored.get("type", "urn:tercast:problem:failed"),
        "title": stored.get("title", "The request failed"),
        "detail": stored.get("detail", ""),
        "remedy": remedy(stored),
        "switches": stored.get("switches", []),
        "errors": stored.get("errors", []),
    }


class AskedSerializer(serializers.Serializer[Any]):
    """What a request asks for, beside the object; null where it is not about that."""

    tcam_budget = serializers.IntegerField(allow_null=True, help_text="null also for any number")
    method = serializers.CharField(allow_null=True)
    indexed = serializers.ListField(child=serializers.CharField(), allow_null=True)
    switch = serializers.CharField(allow_null=True, help_text="where a host goes")
    port = serializers.IntegerField(allow_null=True, help_text="where a host goes")


_EXAMPLE = {
    "id": 7,
    "url": "/api/v1/requests/7/",
    "kind": SUBSCRIBE,
    "state": "active",
    "matched": True,
    "reach": "full",
    "unreachable": None,
    "progress": 1.0,
    "stage": {
        "received": "2024-05-01T12:00:00.000Z",
        "started": "2024-05-01T12:00:00.020Z",
        "computed": "2024-05-01T12:00:00.021Z",
        "confirmed": "2024-05-01T12:00:00.040Z",
    },
    "problem": None,
    "object": {"type": "subscription", "name": "q3", "id": 3, "url": "/api/v1/subscriptions/3/"},
    "asked": None,
    "operation": None,
    "index": None,
    "switches": ["s1", "s2"],
    "waits_for": [],
    "added": 6,
    "modified": 0,
    "removed": 0,
    "merging": None,
}


@extend_schema_serializer(examples=[OpenApiExample("request", value=_EXAMPLE)])
class RequestSerializer(serializers.ModelSerializer[Request]):
    """A change of the network, on its way or done."""

    url = serializers.SerializerMethodField()
    reach = serializers.SerializerMethodField()
    unreachable = serializers.SerializerMethodField()
    stage = StageSerializer(source="*")
    progress = serializers.SerializerMethodField()
    problem = serializers.SerializerMethodField()
    object = serializers.SerializerMethodField()
    asked = serializers.SerializerMethodField()
    operation = serializers.SerializerMethodField()
    switches = serializers.ListField(child=serializers.CharField())
    waits_for = serializers.ListField(
        child=serializers.CharField(), help_text="switches that have yet to confirm"
    )
    merging = MergingSerializer(
        allow_null=True, help_text="what it merged, and what that is expected to cost; null: nothing"
    )

    class Meta:
        model = Request
        fields = (
            "id",
            "url",
            "kind",
            "state",
            "matched",
            "reach",
            "unreachable",
            "progress",
            "stage",
            "problem",
            "object",
            "asked",
            "operation",
            "index",
            "call",
            "switches",
            "waits_for",
            "added",
            "modified",
            "removed",
            "merging",
        )
        read_only_fields = fields

    def get_url(self, row: Request) -> str:
        """Where it can be read again."""
        return url("requests", row.pk)

    @extend_schema_field(serializers.ChoiceField(choices=REACHES, allow_null=True, help_text=REACH_HELP))
    def get_reach(self, row: Request) -> str | None:
        """That of what it announces, now; null where it announces nothing."""
        if row.kind not in ANNOUNCING:
            return None
        found = self.context["unreachable"].get(row.pk)
        return Reach.FULL.value if found is None else str(found.reach)

    @UNREACHABLE
    def get_unreachable(self, row: Request) -> dict[str, Any] | None:
        """Whom its announcement matches and cannot reach, now; null while paths lead to all."""
        found = self.context["unreachable"].get(row.pk)
        return None if found is None else unreachable(found, self.context.get("named", True))

    def get_progress(self, row: Request) -> float:
        """From 0 to 1."""
        return PROGRESS.get(State(row.state), 1.0)

    @extend_schema_field(RequestProblemSerializer(allow_null=True))
    def get_problem(self, row: Request) -> dict[str, Any] | None:
        """Why it failed."""
        return problem_of(row.problem)

    @extend_schema_field(ObjectSerializer(allow_null=True))
    def get_object(self, row: Request) -> dict[str, Any] | None:
        """What it is about; the caller of the serializer has looked it up."""
        found: dict[str, Any] | None = self.context["objects"].get(row.pk)
        return found

    @extend_schema_field(AskedSerializer(allow_null=True))
    def get_asked(self, row: Request) -> dict[str, Any] | None:
        """What it asks for, where the object does not say it."""
        kind = KINDS.get(row.kind)
        if kind is None or not kind.asked:
            return None
        return dict.fromkeys(AskedSerializer().fields) | {name: row.payload.get(name) for name in kind.asked}

    def get_operation(self, row: Request) -> str | None:
        """The bulk call that it came with."""
        return None if row.operation_id is None else url("operations", row.operation_id)


class StatesSerializer(serializers.Serializer[Any]):
    """How many requests are in each state."""

    queued = serializers.IntegerField()
    planning = serializers.IntegerField()
    deploying = serializers.IntegerField()
    active = serializers.IntegerField()
    failed = serializers.IntegerField()
    withdrawn = serializers.IntegerField()


class OperationSerializer(serializers.ModelSerializer[Operation]):
    """A bulk call and how far it is."""

    url = serializers.SerializerMethodField()
    results = serializers.SerializerMethodField()
    refused_items = serializers.SerializerMethodField()
    states = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()
    finished = serializers.SerializerMethodField()
    merging = serializers.SerializerMethodField()

    class Meta:
        model = Operation
        fields = (
            "id",
            "url",
            "items",
            "refused",
            "created_at",
            "states",
            "progress",
            "finished",
            "merging",
            "results",
            "refused_items",
        )
        read_only_fields = fields

    def get_url(self, row: Operation) -> str:
        """Where it can be read again."""
        return url("operations", row.pk)

    def get_results(self, row: Operation) -> str:
        """Where the items' results are."""
        return url("operations", row.pk) + "results/"

    def get_refused_items(self, row: Operation) -> str:
        """Where the items are that were not taken."""
        return url("operations", row.pk) + "refused/"

    @extend_schema_field(StatesSerializer)
    def get_states(self, row: Operation) -> dict[str, int]:
        """How many of its requests are in each state."""
        return self._counts(row)

    def get_progress(self, row: Operation) -> float:
        """From 0 to 1, the mean of its requests'."""
        done = row.refused + sum(
            PROGRESS.get(State(state), 1.0) * n for state, n in self._counts(row).items()
        )
        return round(done / row.items, 4) if row.items else 1.0

    def get_finished(self, row: Operation) -> bool:
        """Whether all of its requests have ended."""
        return not any(self._counts(row)[state] for state in PROGRESS)

    @extend_schema_field(OperationMergingSerializer(allow_null=True))
    def get_merging(self, row: Operation) -> dict[str, Any] | None:
        """What its requests merge; null: nothing."""
        return operation_merging(self.context["merging"].get(row.pk, ()))

    def _counts(self, row: Operation) -> dict[str, int]:
        found: dict[str, int] = self.context["states"].get(row.pk, {})
        return {state.value: found.get(state.value, 0) for state in State}


class RefusedItemSerializer(serializers.ModelSerializer[RefusedItem]):
    """An item of a bulk call that was not taken."""

    errors = ErrorSerializer(many=True)  # type: ignore[assignment]

    class Meta:
        model = RefusedItem
        fields = ("index", "errors")
        read_only_fields = fields
