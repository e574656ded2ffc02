"""Serializers of requests and operations."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.planning.remedies import remedy
from controlplane.planning.request_objects import RESOURCES
from controlplane.registry.missing_path_text import REACH_HELP, REACHES, UNREACHABLE, unreachable
from controlplane.requestlog.kinds import ANNOUNCING
from controlplane.requestlog.models import Operation, RefusedItem, Request, State
from controlplane.rest.base_views import url
from controlplane.rest.serializers import ErrorSerializer
from controlplane.web.requests.asked_serializer import AskedSerializer, asked
from controlplane.web.requests.merging_serializers import (
    MergingSerializer,
    OperationMergingSerializer,
    operation_merging,
)
from tercast.requests.kinds import SUBSCRIBE
from tercast.requests.reach import Reach

PROGRESS = {State.QUEUED: 0.0, State.PLANNING: 0.25, State.DEPLOYING: 0.6}
"""Progress of a request in this state, 0 to 1. In a final state it is 1."""


class StageSerializer(serializers.Serializer[Any]):
    """Time of each stage. Null: the stage is not reached yet."""

    received = serializers.DateTimeField(source="received_at", help_text="the request is in the log")
    started = serializers.DateTimeField(
        source="started_at", allow_null=True, help_text="planning has started"
    )
    computed = serializers.DateTimeField(
        source="computed_at", allow_null=True, help_text="tables are computed"
    )
    confirmed = serializers.DateTimeField(
        source="confirmed_at", allow_null=True, help_text="switches confirmed"
    )


class ObjectSerializer(serializers.Serializer[Any]):
    """Object that a request concerns."""

    type = serializers.ChoiceField(choices=sorted(RESOURCES), help_text="kind of object")
    name = serializers.CharField(help_text="name of the object")
    id = serializers.IntegerField(allow_null=True, help_text="id of the object; null: it no longer exists")
    url = serializers.CharField(allow_null=True, help_text="address of the object; null: it no longer exists")


class RequestProblemSerializer(serializers.Serializer[Any]):
    """Reason why a request failed or waits."""

    type = serializers.CharField(help_text="URN for the kind of problem")
    title = serializers.CharField(help_text="short description of the problem")
    detail = serializers.CharField(help_text="description of the problem")
    remedy = serializers.CharField(help_text="what to do")
    switches = serializers.ListField(
        child=serializers.CharField(), help_text="names of the switches where it failed"
    )
    errors = ErrorSerializer(many=True, help_text="invalid values")  # type: ignore[assignment]


def problem_of(stored: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a stored problem with every field of the schema."""
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
    """Request: a change of the network, in progress or complete."""

    url = serializers.SerializerMethodField()
    reach = serializers.SerializerMethodField()
    unreachable = serializers.SerializerMethodField()
    stage = StageSerializer(source="*", help_text="time of each stage")
    progress = serializers.SerializerMethodField()
    problem = serializers.SerializerMethodField()
    object = serializers.SerializerMethodField()
    asked = serializers.SerializerMethodField()
    operation = serializers.SerializerMethodField()
    switches = serializers.ListField(
        child=serializers.CharField(), help_text="names of the affected switches"
    )
    waits_for = serializers.ListField(
        child=serializers.CharField(), help_text="names of the switches that have not confirmed yet"
    )
    merging = MergingSerializer(
        allow_null=True, help_text="merged entries of the request, with their predicted cost; null: none"
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
        """Address of the request."""
        return url("requests", row.pk)

    @extend_schema_field(serializers.ChoiceField(choices=REACHES, allow_null=True, help_text=REACH_HELP))
    def get_reach(self, row: Request) -> str | None:
        """Present reach of its announcement; null if it announces nothing."""
        if row.kind not in ANNOUNCING:
            return None
        found = self.context["unreachable"].get(row.pk)
        return Reach.FULL.value if found is None else str(found.reach)

    @UNREACHABLE
    def get_unreachable(self, row: Request) -> dict[str, Any] | None:
        """Matching announcements that now have no path; null if all have a path."""
        found = self.context["unreachable"].get(row.pk)
        return None if found is None else unreachable(found, self.context.get("named", True))

    def get_progress(self, row: Request) -> float:
        """Progress from 0 to 1."""
        return PROGRESS.get(State(row.state), 1.0)

    @extend_schema_field(RequestProblemSerializer(allow_null=True))
    def get_problem(self, row: Request) -> dict[str, Any] | None:
        """Why it failed, or what it waits for; null: no problem."""
        return problem_of(row.problem)

    @extend_schema_field(ObjectSerializer(allow_null=True))
    def get_object(self, row: Request) -> dict[str, Any] | None:
        """Object that it concerns."""
        found: dict[str, Any] | None = self.context["objects"].get(row.pk)
        return found

    @extend_schema_field(AskedSerializer(allow_null=True))
    def get_asked(self, row: Request) -> dict[str, Any] | None:
        """Requested values that the object does not contain."""
        return asked(row)

    def get_operation(self, row: Request) -> str | None:
        """Address of the operation, for a request of a bulk call."""
        return None if row.operation_id is None else url("operations", row.operation_id)


class StatesSerializer(serializers.Serializer[Any]):
    """Number of requests in each state."""

    queued = serializers.IntegerField(help_text="waiting in the log")
    planning = serializers.IntegerField(help_text="in the planner")
    deploying = serializers.IntegerField(help_text="sent to the switches, not yet confirmed")
    active = serializers.IntegerField(help_text="confirmed by all affected switches")
    failed = serializers.IntegerField(help_text="failed, without any change")
    withdrawn = serializers.IntegerField(help_text="withdrawn")


class OperationSerializer(serializers.ModelSerializer[Operation]):
    """Operation: a bulk call, with its progress."""

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
        """Address of the operation."""
        return url("operations", row.pk)

    def get_results(self, row: Operation) -> str:
        """Address of the results by item."""
        return url("operations", row.pk) + "results/"

    def get_refused_items(self, row: Operation) -> str:
        """Address of the list of skipped items."""
        return url("operations", row.pk) + "refused/"

    @extend_schema_field(StatesSerializer)
    def get_states(self, row: Operation) -> dict[str, int]:
        """Number of its requests in each state."""
        return self._counts(row)

    def get_progress(self, row: Operation) -> float:
        """Mean progress of its items, from 0 to 1."""
        done = row.refused + sum(
            PROGRESS.get(State(state), 1.0) * n for state, n in self._counts(row).items()
        )
        return round(done / row.items, 4) if row.items else 1.0

    def get_finished(self, row: Operation) -> bool:
        """Whether all of its requests have ended."""
        return not any(self._counts(row)[state] for state in PROGRESS)

    @extend_schema_field(OperationMergingSerializer(allow_null=True))
    def get_merging(self, row: Operation) -> dict[str, Any] | None:
        """Merged entries of its requests; null: none."""
        return operation_merging(self.context["merging"].get(row.pk, ()))

    def _counts(self, row: Operation) -> dict[str, int]:
        found: dict[str, int] = self.context["states"].get(row.pk, {})
        return {state.value: found.get(state.value, 0) for state in State}


class RefusedItemSerializer(serializers.ModelSerializer[RefusedItem]):
    """Skipped item of a bulk call."""

    errors = ErrorSerializer(many=True, help_text="errors of the item")  # type: ignore[assignment]

    class Meta:
        model = RefusedItem
        fields = ("index", "errors")
        read_only_fields = fields
