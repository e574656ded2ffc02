"""Shapes that several resources share: problems and their errors."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

SCALAR: dict[str, Any] = {
    "oneOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}],
    "nullable": True,
    "description": "the value itself when it is a scalar, else what it is",
}


@extend_schema_field(SCALAR)
class ScalarField(serializers.ReadOnlyField):
    """A JSON scalar."""


class ErrorSerializer(serializers.Serializer[Any]):
    """One bad value."""

    pointer = serializers.CharField(help_text="JSON pointer into the body (of the item, in bulk)")
    code = serializers.CharField(help_text="kind of error, for programs")
    detail = serializers.CharField(help_text="value, rule and remedy, for people")
    value = ScalarField()
    index = serializers.IntegerField(required=False, help_text="the item's place in a bulk body")
    line = serializers.IntegerField(required=False, help_text="the line at which the item begins")
    parameter = serializers.CharField(required=False, help_text="name of a query or path parameter or header")
    existing = serializers.CharField(
        required=False, help_text="address of the object that a duplicate repeats (code `duplicate`)"
    )


class ProblemSerializer(serializers.Serializer[Any]):
    """Problem details after RFC 9457."""

    type = serializers.CharField(help_text="a URN for the kind of problem")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    request_id = serializers.CharField()
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]
