"""Serializers of topology files."""

from typing import Any

from rest_framework import serializers

from controlplane.web.requests.cost_serializers import CostSerializer
from controlplane.web.requests.serializers import OperationSerializer


class TopologyFileSerializer(serializers.Serializer[Any]):
    """Form with a topology file."""

    file = serializers.FileField(help_text="topology file")


class PartCountsSerializer(serializers.Serializer[Any]):
    """Number of objects by kind."""

    switches = serializers.IntegerField(help_text="number of switches")
    links = serializers.IntegerField(help_text="number of links")
    hosts = serializers.IntegerField(help_text="number of hosts")


class ImportOperationSerializer(OperationSerializer):
    """Operation that adds an imported topology, with the content of the file."""

    format = serializers.CharField(help_text="format of the file")
    counts = PartCountsSerializer(help_text="number of objects in the file")
    repairs = serializers.ListField(
        child=serializers.CharField(),
        help_text="corrections of missing or wrong values in the file, at most 1,000",
    )

    class Meta(OperationSerializer.Meta):
        fields = (*OperationSerializer.Meta.fields, "format", "counts", "repairs")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]


class ImportCostSerializer(CostSerializer):
    """Objects and cost of an import. Nothing was changed."""

    format = serializers.CharField(help_text="format of the file")
    counts = PartCountsSerializer(help_text="number of objects in the file")
    repairs = serializers.ListField(
        child=serializers.CharField(), help_text="corrections that the import would report"
    )
