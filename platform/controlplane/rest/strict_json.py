"""Strict JSON bodies: all that JSON leaves undefined is refused, with a pointer to it."""

import json
import re
from collections.abc import Iterator
from typing import IO, Any, NoReturn

from rest_framework.parsers import BaseParser

from controlplane.common.problems import FieldError, Problem, invalid, pointer, too_large
from controlplane.rest.list_bodies import Listed, json_lines
from tercast.errors import Path, shown
from tercast.runtime.json_parser import (
    MAX_NUMBER_DIGITS,
    NumberFlaw,
    RefusedValue,
    parse_strict,
    values_by_path,
)

MAX_BYTES = 1024 * 1024
MAX_BULK_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 32

_ESCAPED = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class _Repeated(dict[str, Any]):
    """JSON object whose text contains a key twice."""

    key = ""


class StrictJSONParser(BaseParser):
    """Parser for JSON in UTF-8 with unique keys, finite numbers, storable text, limited depth."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return the body as Python values; raise `Problem` with all its errors."""
        view = (parser_context or {}).get("view")
        bulk = getattr(view, "bulk", False) or getattr(view, "bulk_bytes", False)
        limit = MAX_BULK_BYTES if bulk else MAX_BYTES
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise too_large(f"The body is larger than {limit} bytes. Split it into several calls.")
        text = _decode(body)
        value = _load(text)
        errors = list(_find_errors(value, bool(_ESCAPED.search(text))))
        if errors:
            raise invalid(errors, "bad_json")
        if isinstance(value, list) and getattr(view, "bulk", False):
            return Listed(value, lambda: json_lines(text))
        return value


def _decode(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        _fail("not_utf8", f"Byte {error.start} is not valid UTF-8. Send JSON as UTF-8.")


def _load(text: str) -> Any:
    try:
        return parse_strict(text, flawed_number=_flawed_number, repeated_keys=_repeated_keys)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        _fail("not_json", f"{where}: {error.msg}. The body must be one JSON document.")
    except RecursionError:
        _fail("too_deep", f"The body has more than {MAX_DEPTH} nested levels. Flatten it.")


def _fail(code: str, detail: str) -> NoReturn:
    raise invalid([FieldError("", code, detail)], "bad_json") from None


def _repeated_keys(members: list[tuple[str, Any]], repeated: list[int]) -> dict[str, Any]:
    out = _Repeated(members)
    out.key = members[repeated[0]][0]
    return out


def _flawed_number(flaw: NumberFlaw, number: str) -> RefusedValue:
    match flaw:
        case NumberFlaw.NOT_FINITE:
            detail = f"{number} is not a JSON number. Use a finite number, or null."
            return RefusedValue("not_a_number", detail, number)
        case NumberFlaw.TOO_LARGE:
            detail = f"{number[:40]} is larger than 1.8e308, the largest number. Use a smaller one."
        case NumberFlaw.TOO_LONG:
            detail = f"The integer has {len(number)} digits; at most {MAX_NUMBER_DIGITS} are allowed."
    return RefusedValue("number_too_large", detail, number)


def _find_errors(document: Any, check_text: bool) -> Iterator[FieldError]:
    """Yield the errors in a parsed body, depth first."""
    for path, node in values_by_path(document):
        if isinstance(node, dict | list) and len(path) >= MAX_DEPTH:
            detail = f"The body has more than {MAX_DEPTH} nested levels. Flatten it."
            yield FieldError(pointer(path), "too_deep", detail)
            return
        if isinstance(node, RefusedValue):
            yield FieldError(pointer(path), node.code, node.detail, node.value)
        elif isinstance(node, dict):
            yield from _check_keys(path, node, check_text)
        elif check_text and isinstance(node, str):
            yield from _check_text(path, node)


def _check_keys(path: Path, node: dict[str, Any], check_text: bool) -> Iterator[FieldError]:
    if isinstance(node, _Repeated):
        detail = f"The key {shown(node.key)} occurs twice in one object. Keep one."
        yield FieldError(pointer((*path, node.key)), "repeated_key", detail, node.key)
    if check_text:
        for key in node:
            yield from _check_text(path, key)


def _check_text(path: Path, text: str) -> Iterator[FieldError]:
    if "\0" in text:
        detail = "The text contains U+0000, which is not allowed. Remove it."
        yield FieldError(pointer(path), "null_character", detail, text)
    elif not _encodes(text):
        detail = (
            "The text contains an incomplete Unicode character (half a surrogate pair). Send complete "
            "characters."
        )
        yield FieldError(pointer(path), "lone_surrogate", detail, text)


def _encodes(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def body_required() -> Problem:
    """Return the problem 411 for a body without a `Content-Length`."""
    return Problem(
        411, "length_required", "The request has no Content-Length header. Send the length of the body in it."
    )
