"""Reading an attribute's JSON object, strictly."""

from __future__ import annotations

import math
import re

from tercast.attributes import Attribute, Bool, Enum, Int
from tercast.errors import Path, Refused, shown
from tercast.float_attribute import Float, describe_inexact, exact_double
from tercast.strict import expect_keys, expect_list, expect_object, expect_text, parse_integer, wrong_type
from tercast.string_attribute import String

MAX_NAME = 128
MAX_ENUM_VALUES = 65_536
MAX_ENUM_TEXT = 1_024

KEYWORDS = frozenset({"and", "or", "not", "in", "prefix", "true", "false"})
"""Words of the filter language, in any letter case; no attribute has such a name."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_KEYS = {
    "int": ("name", "type", "min", "max"),
    "float": ("name", "type", "min", "max"),
    "bool": ("name", "type"),
    "enum": ("name", "type", "values"),
    "string": ("name", "type"),
}


def parse_attribute(obj: object, path: Path = ()) -> Attribute:
    """The attribute that a JSON object describes; Refused with the path of what is wrong."""
    kind = expect_object(obj, path).get("type")
    if not isinstance(kind, str) or kind not in _KEYS:
        expect_keys(obj, path, ("name", "type"), ("min", "max", "values"))
        raise Refused((*path, "type"), "unknown_type", f"{shown(kind)} is none of {', '.join(_KEYS)}", kind)
    fields = expect_keys(obj, path, _KEYS[kind])
    name = _parse_name(fields["name"], (*path, "name"))
    match kind:
        case "int":
            low, high = (parse_integer(fields[key], (*path, key)) for key in ("min", "max"))
            if low > high:
                raise _reversed(low, high, path)
            return Int(name, low, high)
        case "float":
            start, end = (_parse_bound(fields[key], (*path, key)) for key in ("min", "max"))
            if start >= end:
                raise _reversed(start, end, path)
            return Float(name, start, end)
        case "enum":
            return Enum(name, _parse_values(fields["values"], (*path, "values")))
        case "bool":
            return Bool(name)
        case _:
            return String(name)


def _parse_name(value: object, path: Path) -> str:
    name = expect_text(value, path)
    if not _NAME.fullmatch(name):
        rule = "begins with a letter or _, then letters, digits, _ and -, all ASCII"
        raise Refused(path, "bad_name", f"{shown(name)} is no attribute name: one {rule}", name)
    if len(name) > MAX_NAME:
        raise Refused(path, "too_long", f"a name of {len(name)} characters; at most {MAX_NAME}", name)
    if name.lower() in KEYWORDS:
        detail = f"{shown(name)} is a word of the filter language, and so no attribute name"
        raise Refused(path, "reserved_name", detail, name)
    return name


def _parse_bound(value: object, path: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(value, path, "a number")
    number = exact_double(value)
    if number is None:
        raise Refused(path, "not_a_double", describe_inexact(int(value)), value)
    if not math.isfinite(number):
        raise Refused(path, "not_finite", f"{shown(value)} is no bound; a domain is finite", value)
    return number


def _parse_values(value: object, path: Path) -> tuple[str, ...]:
    values = expect_list(value, path)
    if not 1 <= len(values) <= MAX_ENUM_VALUES:
        raise Refused(path, "bad_count", f"{len(values)} values; an enum has 1 to {MAX_ENUM_VALUES}", value)
    seen: dict[str, int] = {}
    for i, item in enumerate(values):
        text = expect_text(item, (*path, i))
        if len(text) > MAX_ENUM_TEXT:
            detail = f"a value of {len(text)} characters; at most {MAX_ENUM_TEXT}"
            raise Refused((*path, i), "too_long", detail, text)
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise Refused((*path, i), "bad_text", f"{shown(text)} has a lone surrogate in it", text)
        if text in seen:
            detail = f"{shown(text)} is already number {seen[text]} of the values"
            raise Refused((*path, i), "duplicate", detail, text)
        seen[text] = i
    return tuple(seen)


def _reversed(low: float, high: float, path: Path) -> Refused:
    rule = "below" if isinstance(low, float) else "at most"
    detail = f"min {shown(low)} has to be {rule} max {shown(high)}"
    return Refused((*path, "min"), "bad_domain", detail, low)
