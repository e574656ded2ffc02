"""Attributes of topics in the API's schema: one shape for each of the five types."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

BIG_INTEGER: dict[str, Any] = {
    "oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[1-9][0-9]{15,}$"}],
    "description": "an integer; one beyond ±(2^53-1) goes out as a decimal string and comes in as either",
}


@extend_schema_field(BIG_INTEGER)
class BigIntegerField(serializers.ReadOnlyField):
    """An integer of any size."""


class _Named(serializers.Serializer[Any]):
    name = serializers.RegexField(r"^[A-Za-z_][A-Za-z0-9_-]*$", max_length=128)


class IntAttributeSerializer(_Named):
    """Integers from min to max, both included."""

    type = serializers.ChoiceField(choices=("int",))
    min = BigIntegerField()
    max = BigIntegerField()


class FloatAttributeSerializer(_Named):
    """Reals from min to max, both included."""

    type = serializers.ChoiceField(choices=("float",))
    min = serializers.FloatField()
    max = serializers.FloatField()


class BoolAttributeSerializer(_Named):
    """false and true."""

    type = serializers.ChoiceField(choices=("bool",))


class EnumAttributeSerializer(_Named):
    """One of some texts, in this order."""

    type = serializers.ChoiceField(choices=("enum",))
    values = serializers.ListField(child=serializers.CharField(), min_length=1)


class StringAttributeSerializer(_Named):
    """Any text without U+0000."""

    type = serializers.ChoiceField(choices=("string",))


ATTRIBUTE = PolymorphicProxySerializer(
    component_name="Attribute",
    serializers={
        "int": IntAttributeSerializer,
        "float": FloatAttributeSerializer,
        "bool": BoolAttributeSerializer,
        "enum": EnumAttributeSerializer,
        "string": StringAttributeSerializer,
    },
    resource_type_field_name="type",
    many=True,
)


@extend_schema_field(ATTRIBUTE)
class AttributesField(serializers.Field[Any, Any, Any, Any]):
    """The attributes, as the core library reads and writes them; it also checks them."""

    def to_internal_value(self, data: Any) -> Any:
        """`data` itself."""
        return data

    def to_representation(self, value: Any) -> Any:
        """`value` itself."""
        return value


@extend_schema_field({"type": "array", "items": {"type": "string"}, "minItems": 1})
class IndexedField(AttributesField):
    """Names of the indexed attributes; checked by the core library."""
