"""Strict reading of JSON values: unknown keys, missing keys and wrong types are errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from tercast.errors import Path, Refused, shown

SAFE_INTEGER = (1 << 53) - 1
"""The largest integer that every JSON reader keeps exact; larger ones are decimal strings."""

MAX_INTEGER_DIGITS = 1000
"""Longest integer in text, in digits; longer ones are refused."""

_DECIMAL = re.compile(r"-?[0-9]+")
_CANONICAL = re.compile(r"-?[1-9][0-9]*")
_AS_STRING = (
    "only an integer beyond ±(2^53-1) may be a string; such a string contains only decimal digits, possibly "
    "after a minus sign, and no leading zeros"
)


def expect_object(value: object, path: Path) -> Mapping[str, object]:
    """Return `value` if it is a JSON object, else raise Refused."""
    if type(value) is not dict and not isinstance(value, Mapping):
        raise wrong_type(value, path, "an object")
    return value


def expect_list(value: object, path: Path) -> list[object] | tuple[object, ...]:
    """Return `value` if it is a JSON array, else raise Refused."""
    if not isinstance(value, list | tuple):
        raise wrong_type(value, path, "a list")
    return value


def expect_text(value: object, path: Path) -> str:
    """Return `value` if it is a string, else raise Refused."""
    if not isinstance(value, str):
        raise wrong_type(value, path, "a string")
    return value


def expect_boolean(value: object, path: Path) -> bool:
    """Return `value` if it is true or false, else raise Refused."""
    if not isinstance(value, bool):
        raise wrong_type(value, path, "true or false")
    return value


def expect_integer(value: object, path: Path, low: int | None = None, high: int | None = None) -> int:
    """Return `value` if it is an integer within low..high (inclusive), else raise Refused."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(value, path, "an integer")
    if low is not None and value < low:
        raise Refused(path, "out_of_range", f"{shown(value)} is below the minimum {low}", value)
    if high is not None and value > high:
        raise Refused(path, "out_of_range", f"{shown(value)} is above the maximum {high}", value)
    return value


def expect_keys(
    value: object, path: Path, required: Iterable[str], optional: Iterable[str] = ()
) -> Mapping[str, object]:
    """Return the object `value` if its keys are valid, else raise Refused.

    It must have every key of `required`, and no other keys than these and those of `optional`.
    """
    obj = expect_object(value, path)
    required = tuple(required)
    if len(obj) == len(required):
        for key in required:
            if key not in obj:
                break
        else:
            return obj
    for error in key_errors(obj, path, required, optional):
        raise error
    return obj


def key_errors(
    obj: Mapping[str, object], path: Path, required: Iterable[str], optional: Iterable[str] = ()
) -> Iterator[Refused]:
    """Yield an error for each unknown key of an object, then for each missing one."""
    required = tuple(required)
    known = (*required, *optional)
    for key in obj:
        if not isinstance(key, str) or key not in known:
            name = key if isinstance(key, str) else str(key)
            detail = f"unknown key; use one of {', '.join(known)}"
            yield Refused((*path, name), "unknown_key", detail, obj[key])
    for key in required:
        if key not in obj:
            yield Refused((*path, key), "missing_key", "this key is missing")


T = TypeVar("T")


def caught(errors: list[Refused], read: Callable[[], T]) -> T | None:
    """Return the result of `read`, or None after adding its error to `errors`."""
    try:
        return read()
    except Refused as refused:
        errors.append(refused)
        return None


def parse_integer(value: object, path: Path) -> int:
    """Read an integer of JSON, or a decimal string for an integer beyond ±(2^53-1).

    A string is accepted only in the form that `integer_json` writes. Other strings have a wrong type.
    """
    if not isinstance(value, str):
        return expect_integer(value, path)
    if not _CANONICAL.fullmatch(value):
        raise wrong_type(value, path, f"an integer: {_AS_STRING}")
    number = integer_of_text(value, path)
    if -SAFE_INTEGER <= number <= SAFE_INTEGER:
        raise wrong_type(value, path, f"an integer but a string; write {number} without quotes: {_AS_STRING}")
    return number


def integer_of_text(text: str, path: Path) -> int:
    """Read an integer from decimal digits, for sources that have only text (a command line)."""
    if not _DECIMAL.fullmatch(text):
        raise Refused(path, "wrong_type", f"{shown(text)} is not an integer in decimal digits", text)
    if len(text) > MAX_INTEGER_DIGITS:
        rule = f"the integer has {len(text)} characters; at most {MAX_INTEGER_DIGITS} are allowed"
        raise Refused(path, "too_long", rule, text)
    return int(text)


def integer_json(value: int) -> int | str:
    """Return `value` for JSON: unchanged up to ±(2^53-1), beyond as a decimal string."""
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)


def value_json(value: object) -> object:
    """Return a value of an event for JSON: integers beyond `SAFE_INTEGER` are decimal strings."""
    return integer_json(value) if type(value) is int else value


def wrong_type(value: object, path: Path, wanted: str) -> Refused:
    """Return the error for a value that is not `wanted` (an article and a noun)."""
    if isinstance(value, (dict, list, tuple)):
        return Refused(path, "wrong_type", f"found {shown(value)}, expected {wanted}", value)
    return Refused(path, "wrong_type", f"{shown(value)} is not {wanted}", value)
