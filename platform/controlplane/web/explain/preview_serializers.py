"""The question and the answer of a filter's preview, for the API's schema."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

from controlplane.explain.filter_preview.question import DEFAULT_CELLS
from controlplane.registry.missing_path_text import REACH_HELP, REACHES, UnreachableSerializer
from controlplane.rest.fields import Choice, Integer, Reference, Text
from controlplane.web.registry.serializers import MAX_FILTER
from controlplane.web.requests.cost_serializers import SwitchCostSerializer
from controlplane.web.requests.merging_serializers import MergingSerializer

KINDS = ("subscription", "advertisement")
MAX_CELLS = 1000


@extend_schema_serializer(
    examples=[
        OpenApiExample(
            "of a subscriber", {"topic": "quotes", "filter": "open in [100, 200]", "subscriber": "alice"}
        )
    ]
)
class PreviewSerializer(serializers.Serializer[Any]):
    """A filter that somebody types; with a host, publisher or subscriber also its cost in the network."""

    topic = Reference(help_text="name of a topic")
    filter = Text(max_length=MAX_FILTER, allow_blank=True, help_text="as far as it is typed")
    kind = Choice(KINDS, required=False, help_text="left out: an advertisement where a publisher is named")
    host = Reference(required=False, help_text="name of a host, for somebody who is not registered yet")
    publisher = Reference(required=False, help_text="name of a publisher")
    subscriber = Reference(required=False, help_text="name of a subscriber")
    limit = Integer(
        required=False,
        min_value=0,
        max_value=MAX_CELLS,
        help_text=f"dz cells to list; {DEFAULT_CELLS} by default",
    )


class MistakeSerializer(serializers.Serializer[Any]):
    """What is wrong with the filter."""

    pointer = serializers.CharField(help_text="into the body of the call")
    code = serializers.CharField()
    detail = serializers.CharField(help_text="value, rule and remedy")
    offset = serializers.IntegerField(allow_null=True, help_text="characters before it; null: all of it")
    length = serializers.IntegerField(allow_null=True, help_text="characters of it; 0 at the end of the text")
    expected = serializers.CharField(
        allow_null=True, help_text="what should stand there; null where it is not about that"
    )


class OverlapSerializer(serializers.Serializer[Any]):
    """Live announcements of the other kind in the same topic whose events it shares."""

    kind = serializers.ChoiceField(choices=KINDS)
    matched = serializers.IntegerField()
    looked_at = serializers.IntegerField()
    total = serializers.IntegerField(help_text="more than were looked at where there was no time for all")
    names = serializers.ListField(child=serializers.CharField(), help_text="the first of them, like a7")


class PreviewCostSerializer(serializers.Serializer[Any]):
    """What it would cost to announce it now."""

    accepted = serializers.BooleanField(help_text="whether the network would take it")
    matched = serializers.BooleanField(allow_null=True)
    code = serializers.CharField(allow_null=True, help_text="kind of error, where it would fail")
    detail = serializers.CharField(allow_null=True)
    change = serializers.IntegerField(help_text="entries more (or fewer), over all switches")
    entries = SwitchCostSerializer(many=True, help_text="switches whose number of entries changes")
    budgets_exceeded = serializers.ListField(child=serializers.CharField())
    merging = MergingSerializer(allow_null=True, help_text="null: no merged entry changes")


class PreviewAnswerSerializer(serializers.Serializer[Any]):
    """What the filter means and would cost; what is null is not known of a filter that is wrong."""

    valid = serializers.BooleanField()
    errors = MistakeSerializer(many=True)  # type: ignore[assignment]
    canonical = serializers.CharField(allow_null=True, help_text="the same filter, as the platform writes it")
    dz = serializers.ListField(
        child=serializers.CharField(allow_blank=True), help_text="the first dz cells, up to `limit`"
    )
    dz_cells = serializers.IntegerField(allow_null=True, help_text="how many there are")
    more = serializers.IntegerField(help_text="how many are not listed")
    volume = serializers.FloatField(
        allow_null=True, help_text="the filter's share of the event space; 0: too small for a double"
    )
    covered = serializers.FloatField(allow_null=True, help_text="the share that the dz cells hold")
    excess = serializers.FloatField(
        allow_null=True, help_text="what they hold beyond it, as a share of the filter's own"
    )
    overlap = OverlapSerializer(allow_null=True)
    reach = serializers.ChoiceField(
        choices=REACHES, allow_null=True, help_text=f"{REACH_HELP}; null where no host is named"
    )
    unreachable = UnreachableSerializer(
        allow_null=True, help_text="whom it would match and not reach; null: nobody, or no host is named"
    )
    cost = PreviewCostSerializer(allow_null=True, help_text="null where nobody is named to announce it")
    unknown = serializers.CharField(
        allow_null=True, help_text="why overlap or cost are not told though they could be: ask again"
    )
