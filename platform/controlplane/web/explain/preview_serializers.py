"""Serializers of the filter preview."""

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
            "with a subscriber", {"topic": "quotes", "filter": "open in [100, 200]", "subscriber": "alice"}
        )
    ]
)
class PreviewSerializer(serializers.Serializer[Any]):
    """Filter to check, complete or not. With a host, publisher or subscriber also its cost."""

    topic = Reference(help_text="name of the topic")
    filter = Text(max_length=MAX_FILTER, allow_blank=True, help_text="filter, complete or incomplete")
    kind = Choice(
        KINDS,
        required=False,
        help_text="kind of announcement; default: advertisement if `publisher` is given",
    )
    host = Reference(required=False, help_text="name of a host, if the owner is not registered yet")
    publisher = Reference(required=False, help_text="name of the publisher")
    subscriber = Reference(required=False, help_text="name of the subscriber")
    limit = Integer(
        required=False,
        min_value=0,
        max_value=MAX_CELLS,
        help_text=f"maximum number of dz cells in the answer; default: {DEFAULT_CELLS}",
    )


class MistakeSerializer(serializers.Serializer[Any]):
    """Error in the filter."""

    pointer = serializers.CharField(help_text="JSON pointer into the body of the call")
    code = serializers.CharField(help_text="kind of error, for programs")
    detail = serializers.CharField(help_text="received value, rule and remedy")
    offset = serializers.IntegerField(
        allow_null=True, help_text="position in characters, from 0; null: the whole filter"
    )
    length = serializers.IntegerField(
        allow_null=True, help_text="length in characters; 0 at the end of the text"
    )
    expected = serializers.CharField(
        allow_null=True, help_text="expected text at the position; null if another rule is broken"
    )


class OverlapSerializer(serializers.Serializer[Any]):
    """Active advertisements (or subscriptions, see `kind`) that share events with the filter."""

    kind = serializers.ChoiceField(choices=KINDS, help_text="kind of these announcements")
    matched = serializers.IntegerField(help_text="number of checked announcements that share events")
    looked_at = serializers.IntegerField(help_text="number of checked announcements")
    total = serializers.IntegerField(
        help_text="number of announcements in the topic; above `looked_at` if the time limit was reached"
    )
    names = serializers.ListField(
        child=serializers.CharField(), help_text="names of the first matching ones, for example a7"
    )


class PreviewCostSerializer(serializers.Serializer[Any]):
    """Cost of announcing the filter now."""

    accepted = serializers.BooleanField(help_text="whether the network would accept the announcement")
    matched = serializers.BooleanField(
        allow_null=True, help_text="whether another announcement would match it"
    )
    code = serializers.CharField(allow_null=True, help_text="kind of error; null: accepted")
    detail = serializers.CharField(allow_null=True, help_text="why it would fail; null: accepted")
    change = serializers.IntegerField(help_text="additional entries over all switches; negative: fewer")
    entries = SwitchCostSerializer(many=True, help_text="switches whose number of entries changes")
    budgets_exceeded = serializers.ListField(
        child=serializers.CharField(), help_text="names of the switches whose budgets it would exceed"
    )
    merging = MergingSerializer(allow_null=True, help_text="changed merged entries; null: none changes")


class PreviewAnswerSerializer(serializers.Serializer[Any]):
    """Meaning and cost of the filter. Unknown values of an incorrect filter are null."""

    valid = serializers.BooleanField(help_text="whether the filter is correct")
    errors = MistakeSerializer(many=True, help_text="errors in the filter")  # type: ignore[assignment]
    canonical = serializers.CharField(allow_null=True, help_text="normal form of the filter")
    dz = serializers.ListField(
        child=serializers.CharField(allow_blank=True), help_text="the first dz cells, up to `limit`"
    )
    dz_cells = serializers.IntegerField(allow_null=True, help_text="number of dz cells")
    more = serializers.IntegerField(help_text="number of dz cells that are not listed")
    volume = serializers.FloatField(
        allow_null=True, help_text="share of the event space in the filter; 0 if too small for a double"
    )
    volume_error = serializers.FloatField(
        allow_null=True,
        help_text="0: `volume` and `excess` are exact. Otherwise they are estimates, because exact counting "
        "takes too long. `volume_error` is half the width of the 95 % confidence interval of `volume`, as a "
        "share of `volume`. `excess` is accurate to ± `volume_error` × (1 + `excess`)",
    )
    covered = serializers.FloatField(
        allow_null=True, help_text="share of the event space in the dz cells; never less than `volume`"
    )
    excess = serializers.FloatField(
        allow_null=True, help_text="volume of the cells beyond the filter, as a share of the filter's volume"
    )
    overlap = OverlapSerializer(allow_null=True, help_text="announcements that share events; null if unknown")
    reach = serializers.ChoiceField(
        choices=REACHES, allow_null=True, help_text=f"{REACH_HELP}; null without a host"
    )
    unreachable = UnreachableSerializer(
        allow_null=True, help_text="matching announcements without a path; null: none, or no host is given"
    )
    cost = PreviewCostSerializer(allow_null=True, help_text="cost; null without an owner or a host")
    unknown = serializers.CharField(
        allow_null=True, help_text="why `overlap` or `cost` is missing; repeat the call to get it"
    )
