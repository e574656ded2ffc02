"""Serializers of proposals for event spaces."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.analytics.dimensions import effect
from controlplane.analytics.dimensions.models import Proposal, ProposalMethod, ProposalTrigger
from controlplane.requestlog.models import FINAL_STATES, State
from controlplane.rest.base_views import url
from controlplane.rest.fields import Reference
from controlplane.web.analytics.chart_serializers import WeightSerializer
from controlplane.web.registry.attribute_schema import CutsField

OPEN, APPLYING, APPLIED, REVERTED, FAILED = PROPOSAL_STATES = (
    "open",
    "applying",
    "applied",
    "reverted",
    "failed",
)


@extend_schema_serializer(examples=[OpenApiExample("topic", {"topic": "quotes"})])
class ProposalCreateSerializer(serializers.Serializer[Any]):
    """Proposal to compute."""

    topic = Reference(help_text="name of the topic")


class CandidateSerializer(serializers.Serializer[Any]):
    """Event space of a method, with its cost on events that were not used to choose it."""

    method = serializers.ChoiceField(
        choices=ProposalMethod.choices, help_text="method that chose the event space"
    )
    indexed = serializers.ListField(child=serializers.CharField(), help_text="chosen attributes")
    delivered = serializers.IntegerField(help_text="number of deliveries to hosts")
    unwanted = serializers.IntegerField(
        help_text="false positives: deliveries that match no subscription of the host"
    )
    fpr = serializers.FloatField(help_text="false positives in percent of all deliveries")
    cells = serializers.IntegerField(help_text="number of dz cells of all filters together")
    cuts = serializers.IntegerField(default=0, help_text="number of cuts")


class CountedSerializer(serializers.Serializer[Any]):
    """Deliveries of a topic that hosts reported for a time."""

    since = serializers.DateTimeField(help_text="start of the time")
    until = serializers.DateTimeField(help_text="end of the time")
    delivered = serializers.IntegerField(help_text="number of deliveries")
    unwanted = serializers.IntegerField(
        help_text="false positives: deliveries that match no subscription of the host"
    )
    fpr = serializers.FloatField(
        allow_null=True, help_text="false positives in percent; null without reports"
    )


class EffectSerializer(serializers.Serializer[Any]):
    """Reports of hosts before and after the change, of at most one hour each."""

    before = CountedSerializer(help_text="before the change")
    after = CountedSerializer(help_text="after the change")


class ProposalSerializer(serializers.ModelSerializer[Proposal]):
    """Proposal of another event space of a topic."""

    url = serializers.SerializerMethodField()
    topic = serializers.CharField(source="topic.name", help_text="name of the topic")
    trigger = serializers.ChoiceField(choices=ProposalTrigger.choices)
    method = serializers.ChoiceField(
        choices=ProposalMethod.choices, help_text="method of the proposed choice"
    )
    before = serializers.ListField(child=serializers.CharField(), help_text="attributes indexed before")
    indexed = serializers.ListField(child=serializers.CharField(), help_text="attributes to index")
    before_cuts = CutsField(help_text="cuts before, as in a topic")
    cuts = CutsField(help_text="proposed cuts, as in a topic")
    state = serializers.SerializerMethodField()
    candidates = CandidateSerializer(source="figures.candidates", many=True, help_text="compared choices")
    ranking = serializers.SerializerMethodField()
    judged_by = serializers.IntegerField(
        source="figures.judged_by", help_text="number of events in the comparison"
    )
    subscriptions = serializers.IntegerField(
        source="figures.subscriptions", help_text="number of subscriptions"
    )
    saved = serializers.FloatField(
        source="figures.saved", help_text="predicted decrease of false positives per event"
    )
    standard_error = serializers.FloatField(
        source="figures.standard_error", allow_null=True, help_text="standard error of `saved`"
    )
    measured = serializers.SerializerMethodField()
    request = serializers.SerializerMethodField()
    undoing = serializers.SerializerMethodField()

    class Meta:
        model = Proposal
        fields = (
            "id",
            "url",
            "topic",
            "trigger",
            "state",
            "method",
            "before",
            "indexed",
            "before_cuts",
            "cuts",
            "candidates",
            "ranking",
            "judged_by",
            "subscriptions",
            "saved",
            "standard_error",
            "measured",
            "request",
            "undoing",
            "created_at",
        )
        read_only_fields = fields

    def get_url(self, row: Proposal) -> str:
        """Address of the proposal."""
        return url("analytics/proposals", row.pk)

    @extend_schema_field(serializers.ChoiceField(choices=PROPOSAL_STATES))
    def get_state(self, row: Proposal) -> str:
        """State of the proposal."""
        return state(row)

    @extend_schema_field(WeightSerializer(many=True))
    def get_ranking(self, row: Proposal) -> list[dict[str, Any]]:
        """Ranking of the attributes by PLEROMA's method."""
        selected = next(c["indexed"] for c in row.figures["candidates"] if c["method"] == "spectral")
        return [
            {
                "attribute": name,
                "weight": weight,
                "selected": name in selected,
                "indexed": name in row.topic.indexed,
            }
            for name, weight in zip(row.figures["ranking"], row.figures["weights"], strict=True)
        ]

    @extend_schema_field(EffectSerializer(allow_null=True))
    def get_measured(self, row: Proposal) -> dict[str, Any] | None:
        """Measured effect; null if the proposal is not applied."""
        found = effect.measured(row)
        return None if found is None else EffectSerializer(found).data

    def get_request(self, row: Proposal) -> str | None:
        """Address of the request that applied the proposal."""
        return None if row.request_id is None else url("requests", row.request_id)

    def get_undoing(self, row: Proposal) -> str | None:
        """Address of the request that reverted the proposal."""
        return None if row.undoing_id is None else url("requests", row.undoing_id)


def state(row: Proposal) -> str:
    """Return the state of a proposal, derived from its requests."""
    if row.request is None:
        return OPEN
    if row.request.state not in FINAL_STATES:
        return APPLYING
    if row.request.state == State.FAILED:
        return FAILED
    return REVERTED if row.undoing is not None and row.undoing.state == State.ACTIVE else APPLIED
