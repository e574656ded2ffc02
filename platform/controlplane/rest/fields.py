"""Strict serializer fields: they coerce no value, and errors name value, rule and remedy."""

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
NAME_RULE = "letters, digits, '.', '_' and '-', with a letter or digit first"
MAX_NAME = 100
MAX_PORT = 0xFFFFFF00
"""The largest port number in OpenFlow 1.3."""

_MESSAGES: dict[str, Any] = {
    "required": "This field is missing; it is required.",
    "null": "null is not allowed here; give a value, or leave the field out if it is optional.",
}


class StrictField(serializers.Field[Any, Any, Any, Any]):
    """Field that checks values only with `to_internal_value` and changes none before."""

    default_error_messages: ClassVar[dict[str, Any]] = _MESSAGES

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Return the value, without the framework's own trimming and validators."""
        empty, data = self.validate_empty_values(data)
        return data if empty else self.to_internal_value(data)

    def refuse(self, code: str, detail: str) -> NoReturn:
        """Raise a validation error with this code and detail."""
        raise serializers.ValidationError(detail, code)


class Text(StrictField, serializers.CharField):
    """JSON string with a maximum length."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("trim_whitespace", False)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        """Return `data` unchanged."""
        if not isinstance(data, str):
            self.refuse("wrong_type", f"{shown(data)} is not a string. Write a JSON string in quotes.")
        if not data and not self.allow_blank:
            self.refuse("empty", "The text is empty; give at least one character.")
        if self.max_length is not None and len(data) > self.max_length:
            self.refuse("too_long", f"The text has {len(data)} characters; the limit is {self.max_length}.")
        return data


class Secret(Text):
    """Text that no answer repeats, such as a password."""

    def refuse(self, code: str, detail: str) -> NoReturn:
        """Raise a validation error whose detail does not contain the value."""
        super().refuse(code, "The value is not a string; use quotes." if code == "wrong_type" else detail)


class Name(Text):
    """Name of a new object: a slug."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("max_length", MAX_NAME)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        """Return `data` unchanged."""
        text = super().to_internal_value(data)
        if not re.fullmatch(NAME_PATTERN, text) or text.endswith("\n"):
            self.refuse("bad_name", f"{shown(text)} is not a valid name; use {NAME_RULE}.")
        return text


class Reference(Text):
    """Name of an existing object."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("max_length", 200)
        super().__init__(**options)


def check_range(field: Any, data: float, rule: str = "") -> None:
    """Refuse a number outside the bounds of the field; `rule` replaces the remedy."""
    low, high = field.min_value, field.max_value
    if (low is not None and data < low) or (high is not None and data > high):
        bounds = [f"{name} {bound:,}" for name, bound in (("from", low), ("to", high)) if bound is not None]
        rule = rule or f"use a number {' '.join(bounds)}"
        null = ", or null" if field.allow_null else ""
        field.refuse("out_of_range", f"{shown(data)} is out of range; {rule}{null}.")


class Integer(StrictField, serializers.IntegerField):
    """JSON integer within its bounds: no boolean, no fraction, no text."""

    def to_internal_value(self, data: Any) -> int:
        """Return `data` unchanged."""
        if isinstance(data, bool) or not isinstance(data, int):
            self.refuse("wrong_type", f"{shown(data)} is not an integer; write digits without quotes.")
        check_range(self, data)
        return data


class Number(StrictField, serializers.FloatField):
    """Finite JSON number within its bounds; `rule` describes special bounds."""

    rule: ClassVar[str] = ""

    def to_internal_value(self, data: Any) -> float:
        """Return `data` as a float."""
        if isinstance(data, bool) or not isinstance(data, int | float):
            self.refuse("wrong_type", f"{shown(data)} is not a number; write it without quotes.")
        check_range(self, data, self.rule)
        return float(data)


class Share(Number):
    """Number above 0 and at most 1."""

    rule = "use a number above 0 and at most 1"

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_value": 1, **options})

    def to_internal_value(self, data: Any) -> float:
        """Return `data` as a float."""
        value = super().to_internal_value(data)
        if not value > 0:
            self.refuse("out_of_range", f"{shown(data)} is out of range; {self.rule}.")
        return value


class Choice(Text):
    """One of several fixed words."""

    def __init__(self, choices: Sequence[str], **options: Any) -> None:
        self.choices = tuple(choices)
        super().__init__(max_length=100, **options)

    def to_internal_value(self, data: Any) -> str:
        """Return `data` unchanged."""
        text = super().to_internal_value(data)
        if text not in self.choices:
            allowed = ", ".join(self.choices)
            self.refuse("not_a_choice", f"{shown(text)} is not allowed; use one of {allowed}.")
        return text


class Flag(StrictField, serializers.BooleanField):
    """JSON `true` or `false`; no number and no text."""

    def to_internal_value(self, data: Any) -> bool:
        """Return `data` unchanged."""
        if not isinstance(data, bool):
            self.refuse("wrong_type", f"{shown(data)} is not a boolean; use true or false, without quotes.")
        return data


class Mapped(StrictField):
    """JSON object with at most `most` values by name. The field `member` reads each value."""

    member: ClassVar[serializers.Field[Any, Any, Any, Any]]
    most: ClassVar[int]

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the values as `member` reads them."""
        if not isinstance(data, dict):
            self.refuse(
                "wrong_type", f"{shown(data)} is not a JSON object. Write names and values in braces."
            )
        if len(data) > self.most:
            self.refuse("too_many", f"The object has {len(data)} names; at most {self.most} are allowed.")
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
    """Values of an event by attribute name. The topic determines which values are valid."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return `data` unchanged."""
        if not isinstance(data, dict):
            detail = f"{shown(data)} is not a JSON object. Write attributes and values in braces."
            self.refuse("wrong_type", detail)
        return data

    def to_representation(self, value: Any) -> Any:
        """Return `value` unchanged."""
        return value


class Time(StrictField, serializers.DateTimeField):
    """ISO 8601 time as text, with a UTC offset."""

    def to_internal_value(self, data: Any) -> datetime:
        """Return the time in UTC."""
        if not isinstance(data, str):
            self.refuse("wrong_type", f"{shown(data)} is not a string; {RULE}.")
        try:
            return read_utc(data)
        except Refused as refused:
            self.refuse(refused.code, refused.detail)


class Dpid(Text):
    """Datapath id: 16 hexadecimal digits as text, not all zero, optionally in pairs with colons."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("max_length", 23)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        """Return the 16 digits in lower case."""
        rule = "a dpid is a text of 16 hexadecimal digits"
        if isinstance(data, int) and not isinstance(data, bool) and 0 < data < 1 << 64:
            self.refuse("wrong_type", f'{data} is a number; {rule}: write "{data:016x}".')
        text = super().to_internal_value(data)
        if re.fullmatch(r"(?:[0-9a-fA-F]{2}:){7}[0-9a-fA-F]{2}", text):
            text = text.replace(":", "")
        if not re.fullmatch(r"[0-9a-fA-F]{16}", text) or text.endswith("\n"):
            self.refuse("bad_dpid", f'{shown(text)} is not a valid dpid; {rule}, like "00000000000000a1".')
        if not int(text, 16):
            self.refuse("bad_dpid", f"{shown(text)} is zero, which is not a valid dpid; use another one.")
        return text.lower()


class Mac(Text):
    """Unicast MAC address: six pairs of hexadecimal digits with colons, not all zero."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("max_length", 17)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        """Return the address in lower case."""
        text = super().to_internal_value(data)
        if not re.fullmatch(r"(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}", text) or text.endswith("\n"):
            self.refuse("bad_mac", f'{shown(text)} is not a MAC address; write it like "02:00:00:00:00:01".')
        number = int(text.replace(":", ""), 16)
        if number >> 40 & 1:
            self.refuse(
                "group_mac", f"{shown(text)} is a group address; use the unicast address of the host."
            )
        if not number:
            self.refuse("bad_mac", f"{shown(text)} is all zero; use the unicast address of the host.")
        return text.lower()


class HostAddress(Text):
    """Unicast IP address of a host, in the address family of the installation."""

    def __init__(self, version: int = 6, **options: Any) -> None:
        options.setdefault("max_length", 45)
        self.version = version
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        """Return the address as the standard library writes it."""
        text = super().to_internal_value(data)
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            self.refuse(
                "bad_ip", f"{shown(text)} is not an IP address; write it like {_EXAMPLE[self.version]}."
            )
        if "%" in text or address.version != self.version:
            problem = "has a zone" if "%" in text else f"is an IPv{address.version} address"
            rule = f"use an IPv{self.version} address without a zone, like {_EXAMPLE[self.version]}."
            self.refuse("wrong_family", f"{shown(text)} {problem}; {rule}")
        if address.is_multicast or address.is_unspecified or address.is_loopback or _is_broadcast(address):
            self.refuse("not_unicast", f"{shown(text)} is not a unicast address; use the host's own address.")
        return str(address)


_EXAMPLE = {4: "10.0.0.1", 6: "fd00::1"}


def _is_broadcast(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.version == 4 and int(address) == 0xFFFFFFFF
