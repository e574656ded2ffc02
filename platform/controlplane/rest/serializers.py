"""Serializers that several resources share: problems and their errors."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

SCALAR: dict[str, Any] = {
    "oneOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}],
    "nullable": True,
    "description": "the received value if it is a scalar, otherwise a short description of it",
}


@extend_schema_field(SCALAR)
class ScalarField(serializers.ReadOnlyField):
    """JSON scalar."""


class ErrorSerializer(serializers.Serializer[Any]):
    """One invalid value."""

    pointer = serializers.CharField(
        help_text="JSON pointer to the value in the body (or in the item, for lists)"
    )
    code = serializers.CharField(help_text="kind of error, for programs")
    detail = serializers.CharField(help_text="received value, rule and remedy, for people")
    value = ScalarField()
    index = serializers.IntegerField(required=False, help_text="index of the item in a list body, from 0")
    line = serializers.IntegerField(required=False, help_text="line where the item starts, from 1")
    parameter = serializers.CharField(
        required=False, help_text="name of the query parameter, path parameter or header"
    )
    existing = serializers.CharField(
        required=False, help_text="address of the existing object that the item duplicates (code `duplicate`)"
    )


class ProblemSerializer(serializers.Serializer[Any]):
    """Problem details as in RFC 9457."""

    type = serializers.CharField(help_text="URN for the kind of problem")
    title = serializers.CharField(help_text="name of the HTTP status")
    status = serializers.IntegerField(help_text="HTTP status code")
    detail = serializers.CharField(help_text="description of the problem, for people")
    request_id = serializers.CharField(help_text="id of the call, also in the server's log")
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]
