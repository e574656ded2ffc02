"""Strict serializer fields: no value is coerced, and a refusal says value, rule and remedy."""

import ipaddress
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar, NoReturn

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from controlplane.common.times import RULE, read_utc
from tercast.errors import Refused, shown

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
NAME_RULE = "letters, digits, '.', '_' and '-', beginning with a letter or digit"
MAX_NAME = 100
MAX_PORT = 0xFFFFFF00
"""The largest number of a port in OpenFlow 1.3."""

_MESSAGES: dict[str, Any] = {
    "required": "This field is missing; it is required.",
    "null": "null is not taken here; give a value, or leave the field out where it is optional.",
}


class StrictField(serializers.Field[Any, Any, Any, Any]):
    """A field that checks values by `to_internal_value` alone, and changes none before."""

    default_error_messages: ClassVar[dict[str, Any]] = _MESSAGES

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Return the value read, without the framework's own trimming and validators."""
        empty, data = self.validate_empty_values(data)
        return data if empty else self.to_internal_value(data)

    def refuse(self, code: str, detail: str) -> NoReturn:
        """Refuse the value."""
        raise serializers.ValidationError(detail, code)


class Text(StrictField, serializers.CharField):
    """A JSON string of a bounded length."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("trim_whitespace", False)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        """`data` itself."""
        if not isinstance(data, str):
            self.refuse("wrong_type", f"{shown(data)} is not a string.")
        if not data and not self.allow_blank:
            self.refuse("empty", '"" is empty; give some text.')
        if self.max_length is not None and len(data) > self.max_length:
            self.refuse("too_long", f"{len(data)} characters; at most {self.max_length} are taken.")
        return data


class Secret(Text):
    """Text that no answer repeats: a password."""

    def refuse(self, code: str, detail: str) -> NoReturn:
        """Refuse the value, which stands in a detail of the wrong type alone."""
        super().refuse(code, "It is not a string; write it in quotes." if code == "wrong_type" else detail)


class Name(Text):
    """The name of a new object: a slug."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("max_length", MAX_NAME)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        """`data` itself."""
        text = super().to_internal_value(data)
        if not re.fullmatch(NAME_PATTERN, text) or text.endswith("\n"):
            self.refuse("bad_name", f"{shown(text)} is not a name; use {NAME_RULE}.")
        return text


class Reference(Text):
    """The name of an object that exists."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("max_length", 200)
        super().__init__(**options)


class Integer(StrictField, serializers.IntegerField):
    """A JSON integer within its bounds: no bool, no fraction, no text."""

    def to_internal_value(self, data: Any) -> int:
        """`data` itself."""
        if isinstance(data, bool) or not isinstance(data, int):
            self.refuse("wrong_type", f"{shown(data)} is not an integer; write it in digits, without quotes.")
        low, high = self.min_value, self.max_value
        if (low is not None and data < low) or (high is not None and data > high):
            self.refuse("out_of_range", f"{shown(data)} is not in {low}..{high}.")
        return data


class Number(StrictField, serializers.FloatField):
    """A finite JSON number within its bounds."""

    def to_internal_value(self, data: Any) -> float:
        """`data` as a float."""
        if isinstance(data, bool) or not isinstance(data, int | float):
            self.refuse("wrong_type", f"{shown(data)} is not a number; write it without quotes.")
        low, high = self.min_value, self.max_value
        if (low is not None and data < low) or (high is not None and data > high):
            self.refuse("out_of_range", f"{shown(data)} is {self.beyond(low, high)}.")
        return float(data)

    def beyond(self, low: float | None, high: float | None) -> str:
        """What is said of a number that is not within the bounds."""
        return f"not in {low}..{high}"


class Share(Number):
    """A number above 0, and 1 at most."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_value": 1, **options})

    def to_internal_value(self, data: Any) -> float:
        """`data` as a float."""
        value = super().to_internal_value(data)
        if not value > 0:
            self.refuse("out_of_range", f"{shown(data)} is {self.beyond(None, 1)}.")
        return value

    def beyond(self, low: float | None, high: float | None) -> str:
        """The rule, from both of its ends."""
        return f"not above 0, and {high} at most"


class Choice(Text):
    """One of some words."""

    def __init__(self, choices: Sequence[str], **options: Any) -> None:
        self.choices = tuple(choices)
        super().__init__(max_length=100, **options)

    def to_internal_value(self, data: Any) -> str:
        """`data` itself."""
        text = super().to_internal_value(data)
        if text not in self.choices:
            self.refuse("not_a_choice", f"{shown(text)}: use one of {', '.join(self.choices)}.")
        return text


class Flag(StrictField, serializers.BooleanField):
    """true or false, and nothing that looks like it."""

    def to_internal_value(self, data: Any) -> bool:
        """`data` itself."""
        if not isinstance(data, bool):
            self.refuse("wrong_type", f"{shown(data)} is neither true nor false.")
        return data


class Mapped(StrictField):
    """An object of values by names, each read by `member`; at most `most` of them."""

    member: ClassVar[serializers.Field[Any, Any, Any, Any]]
    most: ClassVar[int]

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The values, read."""
        if not isinstance(data, dict):
            self.refuse("wrong_type", f"{shown(data)} is not an object of values by names.")
        if len(data) > self.most:
            self.refuse("too_many", f"{len(data)} names; at most {self.most} are taken.")
        out, wrong = {}, {}
        for name, value in data.items():
            try:
                out[name] = self.member.run_validation(value)
            except serializers.ValidationError as error:
                wrong[name] = error.detail
        if wrong:
            raise serializers.ValidationError(wrong)
        return out


VALUE: dict[str, Any] = {"oneOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}


@extend_schema_field({"type": "object", "additionalProperties": VALUE})
class Values(StrictField):
    """The values of an event by the attributes' names; the topic says what they may be."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """`data` itself."""
        if not isinstance(data, dict):
            self.refuse("wrong_type", f"{shown(data)} is not an object of values by attributes' names.")
        return data

    def to_representation(self, value: Any) -> Any:
        """`value` itself."""
        return value


class Time(StrictField, serializers.DateTimeField):
    """An ISO 8601 time with its offset from UTC, as text."""

    def to_internal_value(self, data: Any) -> datetime:
        """The time that the text says, in UTC."""
        if not isinstance(data, str):
            self.refuse("wrong_type", f"{shown(data)} is not a string; {RULE}.")
        try:
            return read_utc(data)
        except Refused as refused:
            self.refuse(refused.code, refused.detail)


class Dpid(Text):
    """A datapath id: 16 hex digits in text, not all zero; eight pairs with colons are the same."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("max_length", 23)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        """The 16 digits, in lower case."""
        rule = "a dpid is text of 16 hex digits"
        if isinstance(data, int) and not isinstance(data, bool) and 0 < data < 1 << 64:
            self.refuse("wrong_type", f'{data} is a number; {rule}: write "{data:016x}".')
        text = super().to_internal_value(data)
        if re.fullmatch(r"(?:[0-9a-fA-F]{2}:){7}[0-9a-fA-F]{2}", text):
            text = text.replace(":", "")
        if not re.fullmatch(r"[0-9a-fA-F]{16}", text) or text.endswith("\n"):
            self.refuse("bad_dpid", f'{shown(text)} is not a dpid; {rule}, like "00000000000000a1".')
        if not int(text, 16):
            self.refuse("bad_dpid", f"{shown(text)} is zero, which no switch may have; choose another.")
        return text.lower()


class Mac(Text):
    """The MAC address of one interface: six pairs of hex digits with colons, not a group's, not zero."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("max_length", 17)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        """The address in lower case."""
        text = super().to_internal_value(data)
        if not re.fullmatch(r"(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}", text) or text.endswith("\n"):
            self.refuse("bad_mac", f'{shown(text)} is not a MAC address; write it like "02:00:00:00:00:01".')
        number = int(text.replace(":", ""), 16)
        if number >> 40 & 1:
            self.refuse("group_mac", f"{shown(text)} addresses a group; a host has a unicast MAC address.")
        if not number:
            self.refuse("bad_mac", f"{shown(text)} is no interface's address; give the host's own.")
        return text.lower()


class HostAddress(Text):
    """The unicast IP address of a host, of the family that the installation runs."""

    def __init__(self, version: int = 6, **options: Any) -> None:
        options.setdefault("max_length", 45)
        self.version = version
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        """The address as the standard library writes it."""
        text = super().to_internal_value(data)
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            self.refuse(
                "bad_ip", f"{shown(text)} is not an IP address; write it like {_EXAMPLE[self.version]}."
            )
        if "%" in text or address.version != self.version:
            self.refuse(
                "wrong_family",
                f"{shown(text)} is not a plain IPv{self.version} address, which this network runs.",
            )
        if address.is_multicast or address.is_unspecified or address.is_loopback or _is_broadcast(address):
            self.refuse("not_unicast", f"{shown(text)} is no address of one host; give its unicast address.")
        return str(address)


_EXAMPLE = {4: "10.0.0.1", 6: "fd00::1"}


def _is_broadcast(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.version == 4 and int(address) == 0xFFFFFFFF
