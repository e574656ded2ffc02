"""Proposals, as the API reads and shows them."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.analytics.dimensions import effect
from controlplane.analytics.dimensions.models import Proposal, ProposalMethod, ProposalTrigger
from controlplane.requestlog.models import FINAL_STATES, State
from controlplane.rest.base_views import url
from controlplane.rest.fields import Reference
from controlplane.web.analytics.chart_serializers import WeightSerializer

OPEN, APPLYING, APPLIED, REVERTED, FAILED = PROPOSAL_STATES = (
    "open",
    "applying",
    "applied",
    "reverted",
    "failed",
)


@extend_schema_serializer(examples=[OpenApiExample("topic", {"topic": "quotes"})])
class ProposalCreateSerializer(serializers.Serializer[Any]):
    """A proposal to be computed."""

    topic = Reference(help_text="by name")


class CandidateSerializer(serializers.Serializer[Any]):
    """A choice of attributes, and what it costs on events that it was not chosen by."""

    method = serializers.ChoiceField(choices=ProposalMethod.choices)
    indexed = serializers.ListField(child=serializers.CharField())
    delivered = serializers.IntegerField(help_text="deliveries to hosts")
    unwanted = serializers.IntegerField(help_text="those that no subscription of the host matches")
    fpr = serializers.FloatField(help_text="percent of deliveries that are unwanted")
    cells = serializers.IntegerField(help_text="of all filters together")


class CountedSerializer(serializers.Serializer[Any]):
    """Deliveries of the topic that hosts have reported of a time."""

    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    delivered = serializers.IntegerField()
    unwanted = serializers.IntegerField()
    fpr = serializers.FloatField(allow_null=True, help_text="percent; null where nothing was reported")


class EffectSerializer(serializers.Serializer[Any]):
    """What hosts have reported before the change and after it, an hour at most each."""

    before = CountedSerializer()
    after = CountedSerializer()


class ProposalSerializer(serializers.ModelSerializer[Proposal]):
    """A proposal."""

    url = serializers.SerializerMethodField()
    topic = serializers.CharField(source="topic.name")
    trigger = serializers.ChoiceField(choices=ProposalTrigger.choices)
    method = serializers.ChoiceField(choices=ProposalMethod.choices)
    before = serializers.ListField(child=serializers.CharField(), help_text="what is indexed without it")
    indexed = serializers.ListField(child=serializers.CharField(), help_text="what it would index")
    state = serializers.SerializerMethodField()
    candidates = CandidateSerializer(source="figures.candidates", many=True)
    ranking = serializers.SerializerMethodField()
    judged_by = serializers.IntegerField(source="figures.judged_by", help_text="events")
    subscriptions = serializers.IntegerField(source="figures.subscriptions")
    saved = serializers.FloatField(
        source="figures.saved", help_text="unwanted deliveries of an event that it is expected to spare"
    )
    standard_error = serializers.FloatField(source="figures.standard_error", allow_null=True)
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
        """Where it can be read again."""
        return url("analytics/proposals", row.pk)

    @extend_schema_field(serializers.ChoiceField(choices=PROPOSAL_STATES))
    def get_state(self, row: Proposal) -> str:
        """Where it stands."""
        return state(row)

    @extend_schema_field(WeightSerializer(many=True))
    def get_ranking(self, row: Proposal) -> list[dict[str, Any]]:
        """PLEROMA's ranking."""
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
        """What it has changed; null unless it was applied."""
        found = effect.measured(row)
        return None if found is None else EffectSerializer(found).data

    def get_request(self, row: Proposal) -> str | None:
        """The request that applied it."""
        return None if row.request_id is None else url("requests", row.request_id)

    def get_undoing(self, row: Proposal) -> str | None:
        """The request that took it back."""
        return None if row.undoing_id is None else url("requests", row.undoing_id)


def state(row: Proposal) -> str:
    """Where a proposal stands, by its requests."""
    if row.request is None:
        return OPEN
    if row.request.state not in FINAL_STATES:
        return APPLYING
    if row.request.state == State.FAILED:
        return FAILED
    return REVERTED if row.undoing is not None and row.undoing.state == State.ACTIVE else APPLIED
