"""Reading an attribute's JSON object, strictly."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from tercast.errors import Path, Refused, shown
from tercast.eventspace.attribute import Attribute, Bool, Enum, Int
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
"""Words of the filter language, in any letter case; no attribute has such a name."""

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
    """The attribute that a JSON object describes; Refused with the path of what is wrong."""
    errors: list[Refused] = []
    attribute = _read(obj, path, errors)
    if attribute is None:
        raise errors[0]
    return attribute


def attribute_errors(obj: object, path: Path = ()) -> list[Refused]:
    """Return all that is wrong with the JSON object of an attribute; none where it is good."""
    errors: list[Refused] = []
    _read(obj, path, errors)
    return errors


def _read(obj: object, path: Path, errors: list[Refused]) -> Attribute | None:
    """Return the attribute, or None after adding all refusals to `errors`."""
    fields = caught(errors, lambda: expect_object(obj, path))
    if fields is None:
        return None
    kind = fields.get("type")
    known = isinstance(kind, str) and kind in _KEYS
    required, optional = (_KEYS[str(kind)], ()) if known else (("name", "type"), ("min", "max", "values"))
    errors += key_errors(fields, path, required, optional)
    if not known and "type" in fields:
        detail = f"{shown(kind)} is none of {', '.join(_KEYS)}"
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
    return _made(str(kind), name, low, high, values)


def _made(kind: str, name: str, low: Any, high: Any, values: tuple[str, ...]) -> Attribute:
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
    """Return a value that `read` reads; None where it is missing or refused."""
    if key not in fields:
        return None
    return caught(errors, lambda: read(fields[key], (*path, key)))


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


def _parse_values(value: object, path: Path, errors: list[Refused]) -> tuple[str, ...]:
    """Return the texts of an enum that are good; the refusals of the others go to `errors`."""
    values = expect_list(value, path)
    if not 1 <= len(values) <= MAX_ENUM_VALUES:
        raise Refused(path, "bad_count", f"{len(values)} values; an enum has 1 to {MAX_ENUM_VALUES}", value)
    seen: dict[str, int] = {}
    for i, item in enumerate(values):
        text = caught(errors, partial(_parse_value, item, (*path, i), seen))
        if text is not None:
            seen[text] = i
    return tuple(seen)


def _parse_value(value: object, path: Path, seen: Mapping[str, int]) -> str:
    text = expect_text(value, path)
    if len(text) > MAX_ENUM_TEXT:
        raise Refused(path, "too_long", f"a value of {len(text)} characters; at most {MAX_ENUM_TEXT}", text)
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise Refused(path, "bad_text", f"{shown(text)} has a lone surrogate in it", text)
    if text in seen:
        detail = f"{shown(text)} is already number {seen[text]} of the values"
        raise Refused(path, "duplicate", detail, text)
    return text


_BOUNDS: dict[str, Callable[[object, Path], Any]] = {"int": parse_integer, "float": _parse_bound}


def _reversed(low: float, high: float, path: Path) -> Refused:
    rule = "below" if isinstance(low, float) else "at most"
    detail = f"min {shown(low)} has to be {rule} max {shown(high)}"
    return Refused((*path, "min"), "bad_domain", detail, low)
