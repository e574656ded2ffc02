"""Serializers of the cost of a call."""

from typing import Any

from rest_framework import serializers

from controlplane.rest.serializers import ErrorSerializer
from controlplane.web.requests.impact_serializers import AffectedSerializer
from controlplane.web.requests.merging_serializers import MergingSerializer
from tercast.requests.reach import Reach

ERROR_HELP = (
    "0: `excess` is exact. Otherwise the filter's volume is an estimate, because exact counting takes too "
    "long. `volume_error` is half the width of its 95 % confidence interval, as a share of the volume. "
    "`excess` is accurate to ± `volume_error` × (1 + `excess`)"
)


class SwitchCostSerializer(serializers.Serializer[Any]):
    """Change of the entries at a switch."""

    switch = serializers.CharField()
    before = serializers.IntegerField(help_text="number of entries now")
    after = serializers.IntegerField(help_text="number of entries after the call")
    tcam_budget = serializers.IntegerField(
        allow_null=True, help_text="maximum content entries; null: no limit"
    )
    exceeded = serializers.BooleanField(help_text="whether the call would exceed the budget")


class ItemCostSerializer(serializers.Serializer[Any]):
    """Cost of one item."""

    index = serializers.IntegerField(help_text="index of the item in the call, from 0")
    dz_cells = serializers.IntegerField(help_text="number of dz cells of its filter")
    excess = serializers.FloatField(help_text="volume beyond the filter, as a share of the filter's volume")
    volume_error = serializers.FloatField(help_text=ERROR_HELP)
    accepted = serializers.BooleanField(help_text="whether the item would be accepted")
    matched = serializers.BooleanField(allow_null=True, help_text="whether an advertisement would overlap it")
    reach = serializers.ChoiceField(
        choices=tuple(Reach),
        allow_null=True,
        help_text="whether paths exist to all announcements that a subscription matches",
    )
    code = serializers.CharField(allow_null=True, help_text="kind of error; null: accepted")
    detail = serializers.CharField(allow_null=True, help_text="why it would fail; null: accepted")


class CostSerializer(serializers.Serializer[Any]):
    """Cost of a call. Nothing was changed."""

    dry_run = serializers.BooleanField(help_text="always true")
    items = serializers.IntegerField(help_text="number of items in the call")
    accepted = serializers.BooleanField(help_text="whether every item would be accepted")
    dz_cells = serializers.IntegerField(help_text="number of dz cells of all items")
    excess = serializers.FloatField(help_text="mean excess of the items")
    volume_error = serializers.FloatField(
        help_text="0: the excess of every item is exact. Otherwise some are estimates, and the mean is "
        "accurate to ± `volume_error` × (1 + `excess`)"
    )
    entries = SwitchCostSerializer(many=True, help_text="switches whose number of entries changes")
    budgets_exceeded = serializers.ListField(
        child=serializers.CharField(), help_text="names of the switches whose budgets it would exceed"
    )
    merging = MergingSerializer(allow_null=True, help_text="changed merged entries; null: none changes")
    results = ItemCostSerializer(many=True, help_text="cost of each item")
    refused = serializers.IntegerField(required=False, help_text="number of invalid items (`atomic=false`)")
    errors = ErrorSerializer(many=True, required=False, help_text="errors of invalid items")  # type: ignore[assignment]
    affected = AffectedSerializer(
        required=False, help_text="effects of the removal, for calls that remove an object"
    )
    withheld = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="for client tokens: numbers of hidden objects, for example `2 subscriptions of others`",
    )
