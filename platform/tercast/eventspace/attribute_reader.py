"""Strict reader of an attribute's JSON object."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from tercast.errors import Path, Refused, shown
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.counted_attributes import Bool, Enum, Int
from tercast.eventspace.float_attribute import Float, describe_inexact, exact_double
from tercast.eventspace.string_attribute import String
from tercast.runtime.strict_json import (
    caught,
    expect_list,
    expect_object,
    expect_text,
    key_errors,
    parse_integer,
    wrong_type,
)

MAX_NAME = 128
MAX_ENUM_VALUES = 65_536
MAX_ENUM_TEXT = 1_024

KEYWORDS = frozenset({"and", "or", "not", "in", "prefix", "true", "false"})
"""Keywords of the filter language, in any letter case; they cannot be attribute names."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_KEYS = {
    "int": ("name", "type", "min", "max"),
    "float": ("name", "type", "min", "max"),
    "bool": ("name", "type"),
    "enum": ("name", "type", "values"),
    "string": ("name", "type"),
}


T = TypeVar("T")


def parse_attribute(obj: object, path: Path = ()) -> Attribute:
    """Read the JSON object of an attribute; Refused with the path of the first error."""
    errors: list[Refused] = []
    attribute = _read(obj, path, errors)
    if attribute is None:
        raise errors[0]
    return attribute


def attribute_errors(obj: object, path: Path = ()) -> list[Refused]:
    """Return all errors in the JSON object of an attribute; empty if it is valid."""
    errors: list[Refused] = []
    _read(obj, path, errors)
    return errors


def _read(obj: object, path: Path, errors: list[Refused]) -> Attribute | None:
    """Return the attribute, or None after adding all errors to `errors`."""
    fields = caught(errors, lambda: expect_object(obj, path))
    if fields is None:
        return None
    kind = fields.get("type")
    known = isinstance(kind, str) and kind in _KEYS
    required, optional = (_KEYS[str(kind)], ()) if known else (("name", "type"), ("min", "max", "values"))
    errors += key_errors(fields, path, required, optional)
    if not known and "type" in fields:
        detail = f"unknown attribute type {shown(kind)}; use one of {', '.join(_KEYS)}"
        errors.append(Refused((*path, "type"), "unknown_type", detail, kind))
    name = _field(fields, "name", _parse_name, path, errors)
    low = high = None
    values: tuple[str, ...] | None = ()
    if kind in ("int", "float"):
        low, high = (_field(fields, key, _BOUNDS[str(kind)], path, errors) for key in ("min", "max"))
        if low is not None and high is not None and (low > high or (kind == "float" and low == high)):
            errors.append(_reversed(low, high, path))
    elif kind == "enum":
        values = _field(fields, "values", partial(_parse_values, errors=errors), path, errors)
    if errors:
        return None
    assert name is not None and values is not None
    return _new_attribute(str(kind), name, low, high, values)


def _new_attribute(kind: str, name: str, low: Any, high: Any, values: tuple[str, ...]) -> Attribute:
    match kind:
        case "int":
            return Int(name, low, high)
        case "float":
            return Float(name, low, high)
        case "enum":
            return Enum(name, values)
        case "bool":
            return Bool(name)
        case _:
            return String(name)


def _field(
    fields: Mapping[str, object],
    key: str,
    read: Callable[[object, Path], T],
    path: Path,
    errors: list[Refused],
) -> T | None:
    """Return the value that `read` reads; None if the key is missing or the value is refused."""
    if key not in fields:
        return None
    return caught(errors, lambda: read(fields[key], (*path, key)))


def _parse_name(value: object, path: Path) -> str:
    name = expect_text(value, path)
    if not _NAME.fullmatch(name):
        rule = "start with a letter or _, then use letters, digits, _ and - (ASCII only)"
        raise Refused(path, "bad_name", f"{shown(name)} is not a valid attribute name; {rule}", name)
    if len(name) > MAX_NAME:
        detail = f"the name has {len(name)} characters; at most {MAX_NAME} are allowed"
        raise Refused(path, "too_long", detail, name)
    if name.lower() in KEYWORDS:
        detail = f"{shown(name)} is a keyword of the filter language; choose another attribute name"
        raise Refused(path, "reserved_name", detail, name)
    return name


def _parse_bound(value: object, path: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(value, path, "a number")
    number = exact_double(value)
    if number is None:
        raise Refused(path, "not_a_double", describe_inexact(int(value)), value)
    if not math.isfinite(number):
        detail = f"{shown(value)} is not a finite number; a bound must be finite"
        raise Refused(path, "not_finite", detail, value)
    return number


def _parse_values(value: object, path: Path, errors: list[Refused]) -> tuple[str, ...]:
    """Return the valid texts of an enum; add an error to `errors` for each of the others."""
    values = expect_list(value, path)
    if not 1 <= len(values) <= MAX_ENUM_VALUES:
        detail = f"the list has {len(values)} values; an enum has 1 to {MAX_ENUM_VALUES}"
        raise Refused(path, "bad_count", detail, value)
    seen: dict[str, int] = {}
    for i, item in enumerate(values):
        text = caught(errors, partial(_parse_value, item, (*path, i), seen))
        if text is not None:
            seen[text] = i
    return tuple(seen)


def _parse_value(value: object, path: Path, seen: Mapping[str, int]) -> str:
    text = expect_text(value, path)
    if len(text) > MAX_ENUM_TEXT:
        detail = f"the value has {len(text)} characters; at most {MAX_ENUM_TEXT} are allowed"
        raise Refused(path, "too_long", detail, text)
    if any("\ud800" <= char <= "\udfff" for char in text):
        detail = (
            f"{shown(text)} contains an incomplete Unicode character (half a surrogate pair); use complete "
            "characters"
        )
        raise Refused(path, "bad_text", detail, text)
    if text in seen:
        detail = f"{shown(text)} is a duplicate of values[{seen[text]}]"
        raise Refused(path, "duplicate", detail, text)
    return text


_BOUNDS: dict[str, Callable[[object, Path], Any]] = {"int": parse_integer, "float": _parse_bound}


def _reversed(low: float, high: float, path: Path) -> Refused:
    rule = "less than" if isinstance(low, float) else "at most"
    detail = f"min ({shown(low)}) must be {rule} max ({shown(high)})"
    return Refused((*path, "min"), "bad_domain", detail, low)
