"""What a call would cost, as the API shows it."""

from typing import Any

from rest_framework import serializers

from controlplane.rest.serializers import ErrorSerializer
from controlplane.web.requests.impact_serializers import AffectedSerializer
from controlplane.web.requests.merging_serializers import MergingSerializer
from tercast.requests.reach import Reach


class SwitchCostSerializer(serializers.Serializer[Any]):
    """What changes at a switch."""

    switch = serializers.CharField()
    before = serializers.IntegerField(help_text="entries now")
    after = serializers.IntegerField(help_text="entries afterwards")
    tcam_budget = serializers.IntegerField(allow_null=True)
    exceeded = serializers.BooleanField()


class ItemCostSerializer(serializers.Serializer[Any]):
    """What one item takes."""

    index = serializers.IntegerField()
    dz_cells = serializers.IntegerField()
    excess = serializers.FloatField(help_text="volume beyond the filter, as a share of the filter's own")
    accepted = serializers.BooleanField()
    matched = serializers.BooleanField(allow_null=True)
    reach = serializers.ChoiceField(
        choices=tuple(Reach),
        allow_null=True,
        help_text="of a subscription that matches something: whether paths lead to all of it",
    )
    code = serializers.CharField(allow_null=True, help_text="kind of error, where it would fail")
    detail = serializers.CharField(allow_null=True)


class CostSerializer(serializers.Serializer[Any]):
    """What a call would cost; nothing was changed."""

    dry_run = serializers.BooleanField()
    items = serializers.IntegerField()
    accepted = serializers.BooleanField(help_text="whether every item would be")
    dz_cells = serializers.IntegerField()
    excess = serializers.FloatField(help_text="mean over the items")
    entries = SwitchCostSerializer(many=True, help_text="switches whose number of entries changes")
    budgets_exceeded = serializers.ListField(child=serializers.CharField())
    merging = MergingSerializer(allow_null=True, help_text="null: no merged entry changes")
    results = ItemCostSerializer(many=True)
    refused = serializers.IntegerField(required=False, help_text="how many items are bad (`atomic=false`)")
    errors = ErrorSerializer(many=True, required=False)  # type: ignore[assignment]
    affected = AffectedSerializer(
        required=False, help_text="of a call that removes something: whom that would affect"
    )
    withheld = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="for client tokens: counts of what they may not read, like `2 subscriptions of others`",
    )
