"""Topology files, as the API reads them."""

from typing import Any

from rest_framework import serializers

from controlplane.web.requests.cost_serializers import CostSerializer
from controlplane.web.requests.serializers import OperationSerializer


class TopologyFileSerializer(serializers.Serializer[Any]):
    """A form with a topology file."""

    file = serializers.FileField()


class PartCountsSerializer(serializers.Serializer[Any]):
    """How much of each there is."""

    switches = serializers.IntegerField()
    links = serializers.IntegerField()
    hosts = serializers.IntegerField()


class ImportOperationSerializer(OperationSerializer):
    """The operation that adds an imported topology, and what was found in the file."""

    format = serializers.CharField(help_text="the format that was read")
    counts = PartCountsSerializer()
    repairs = serializers.ListField(
        child=serializers.CharField(),
        help_text="what the file left open or had wrong, and what was made of it; 1,000 at most",
    )

    class Meta(OperationSerializer.Meta):
        fields = (*OperationSerializer.Meta.fields, "format", "counts", "repairs")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]


class ImportCostSerializer(CostSerializer):
    """What an import would make and cost; nothing was changed."""

    format = serializers.CharField(help_text="the format that was read")
    counts = PartCountsSerializer()
    repairs = serializers.ListField(child=serializers.CharField(), help_text="as they would be told")
