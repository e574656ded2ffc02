"""Schema of topic attributes, with one shape for each of the five types."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from tercast.eventspace.cut_tree import MAX_CUTS

BIG_INTEGER: dict[str, Any] = {
    "oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[1-9][0-9]{15,}$"}],
    "description": "integer; beyond ±(2^53-1) answers contain a decimal string, and calls may contain either",
}


@extend_schema_field(BIG_INTEGER)
class BigIntegerField(serializers.ReadOnlyField):
    """Integer of any size."""


class _Named(serializers.Serializer[Any]):
    name = serializers.RegexField(
        r"^[A-Za-z_][A-Za-z0-9_-]*$", max_length=128, help_text="name of the attribute"
    )


class IntAttributeSerializer(_Named):
    """Integers from min to max, both included."""

    type = serializers.ChoiceField(choices=("int",), help_text="type of the attribute")
    min = BigIntegerField()
    max = BigIntegerField()


class FloatAttributeSerializer(_Named):
    """Real numbers from min to max, both included."""

    type = serializers.ChoiceField(choices=("float",), help_text="type of the attribute")
    min = serializers.FloatField(help_text="smallest value")
    max = serializers.FloatField(help_text="largest value")


class BoolAttributeSerializer(_Named):
    """Boolean: false or true."""

    type = serializers.ChoiceField(choices=("bool",), help_text="type of the attribute")


class EnumAttributeSerializer(_Named):
    """One of several texts, in this order."""

    type = serializers.ChoiceField(choices=("enum",), help_text="type of the attribute")
    values = serializers.ListField(
        child=serializers.CharField(), min_length=1, help_text="possible texts, in their order"
    )


class StringAttributeSerializer(_Named):
    """Any text without U+0000."""

    type = serializers.ChoiceField(choices=("string",), help_text="type of the attribute")


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
    """Attributes in the format of the core library, which also checks them."""

    def to_internal_value(self, data: Any) -> Any:
        """Return `data` unchanged."""
        return data

    def to_representation(self, value: Any) -> Any:
        """Return `value` unchanged."""
        return value


@extend_schema_field({"type": "array", "items": {"type": "string"}, "minItems": 1})
class IndexedField(AttributesField):
    """Names of the indexed attributes. The core library checks them."""


_CUT = {
    "type": "array",
    "items": {"oneOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]},
    "minItems": 2,
    "maxItems": 2,
    "description": "cut: the name of an attribute and a value of it. The next node is for events whose value "
    "is less. The node after all nodes below that one is for other events",
}
_LEAF = {"type": "integer", "minimum": 0, "description": "leaf: number of past events that reached it"}


@extend_schema_field({"type": "array", "items": {"oneOf": [_CUT, _LEAF]}, "maxItems": 2 * MAX_CUTS + 1})
class CutsField(AttributesField):
    """Nodes of a topic's cut tree, depth first. The core library checks them."""
