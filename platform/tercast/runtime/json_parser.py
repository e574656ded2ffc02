"""Parser of strict JSON. It finds repeated keys, and numbers beyond JSON or Python.

Callers choose which of these flaws they refuse, and word the errors.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from tercast.errors import Path

MAX_NUMBER_DIGITS = 1000
"""Longest integer, in characters: Python needs quadratic time to read it."""


class NumberFlaw(Enum):
    """Why a number is not accepted."""

    NOT_FINITE = auto()
    """`NaN`, `Infinity` or `-Infinity`: no JSON, but Python reads it."""
    TOO_LARGE = auto()
    """Beyond the range of doubles."""
    TOO_LONG = auto()
    """An integer with more than `MAX_NUMBER_DIGITS` characters."""


@dataclass(frozen=True, slots=True)
class RefusedValue:
    """Placeholder in a document for a value that the caller refuses."""

    code: str
    detail: str
    value: object = None


def parse_strict(
    text: str,
    *,
    flawed_number: Callable[[NumberFlaw, str], Any] | None = None,
    repeated_keys: Callable[[list[tuple[str, Any]], list[int]], dict[str, Any]] | None = None,
) -> Any:
    """Parse a JSON document. Without a function for it, a flaw is read as Python does.

    Args:
        text: The document.
        flawed_number: Returns the replacement of a number, from the flaw and the number's text.
        repeated_keys: Returns the object with the given members, if a key occurs again. The second argument
            contains the index of each member whose key occurred before.

    Raises:
        json.JSONDecodeError: The text is not JSON.
        RecursionError: Lists and objects are nested too deeply for Python.
    """
    hooks: dict[str, Any] = {}
    if flawed_number is not None:
        hooks |= _number_hooks(flawed_number)
    if repeated_keys is not None:
        hooks["object_pairs_hook"] = _object_hook(repeated_keys)
    return json.loads(text, **hooks)


def parse_finite(text: str) -> Any:
    """Parse JSON as Python does, but without NaN and infinities.

    Raises:
        ValueError: The text is not JSON; the message has one line.
        RecursionError: Lists and objects are nested too deeply for Python.
    """
    return json.loads(text, parse_constant=_refuse_constant)


def values_by_path(document: Any) -> Iterator[tuple[Path, Any]]:
    """Yield each value of a document with its path, depth first, without recursion."""
    stack: list[tuple[Path, Any]] = [((), document)]
    while stack:
        path, value = stack.pop()
        yield path, value
        if isinstance(value, dict):
            stack.extend(((*path, key), child) for key, child in reversed(value.items()))
        elif isinstance(value, list):
            stack.extend(((*path, i), value[i]) for i in range(len(value) - 1, -1, -1))


def _object_hook(
    repeated_keys: Callable[[list[tuple[str, Any]], list[int]], dict[str, Any]],
) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    def make_object(members: list[tuple[str, Any]]) -> dict[str, Any]:
        out = dict(members)
        return out if len(out) == len(members) else repeated_keys(members, _repeated(members))

    return make_object


def _repeated(members: list[tuple[str, Any]]) -> list[int]:
    seen: set[str] = set()
    found = []
    for index, (key, _) in enumerate(members):
        if key in seen:
            found.append(index)
        seen.add(key)
    return found


def _number_hooks(flawed: Callable[[NumberFlaw, str], Any]) -> dict[str, Callable[[str], Any]]:
    def integer(digits: str) -> Any:
        return int(digits) if len(digits) <= MAX_NUMBER_DIGITS else flawed(NumberFlaw.TOO_LONG, digits)

    def real(digits: str) -> Any:
        value = float(digits)
        return value if value - value == 0 else flawed(NumberFlaw.TOO_LARGE, digits)

    def constant(name: str) -> Any:
        return flawed(NumberFlaw.NOT_FINITE, name)

    return {"parse_int": integer, "parse_float": real, "parse_constant": constant}


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
