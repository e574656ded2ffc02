"""Requested values in the answer about a request."""

from typing import Any

from rest_framework import serializers

from controlplane.requestlog.kinds import KINDS
from controlplane.requestlog.models import Request


class AskedSerializer(serializers.Serializer[Any]):
    """Requested values that the object does not contain. Null: not requested."""

    tcam_budget = serializers.IntegerField(allow_null=True, help_text="new budget; null also: no limit")
    method = serializers.CharField(allow_null=True, help_text="new aggregation method")
    indexed = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="new indexed attributes"
    )
    cuts = serializers.IntegerField(allow_null=True, help_text="number of new cuts; 0: they are removed")
    switch = serializers.CharField(allow_null=True, help_text="new switch of a host")
    port = serializers.IntegerField(allow_null=True, help_text="new port of a host")


def asked(row: Request) -> dict[str, Any] | None:
    """Return the requested values that the object does not contain; None if there are none.

    Only the number of cuts is returned, because a topic may have thousands.
    """
    kind = KINDS.get(row.kind)
    if kind is None or not kind.asked:
        return None
    found = {name: row.payload.get(name) for name in kind.asked}
    cuts = found.get("cuts")
    if cuts is not None:
        found["cuts"] = len(cuts) // 2
    return dict.fromkeys(AskedSerializer().fields) | found
