"""Strict JSON bodies: all that JSON leaves undefined is refused, with a pointer to it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, NoReturn

from rest_framework.parsers import BaseParser

from controlplane.common.problems import FieldError, Problem, invalid, pointer, too_large
from controlplane.rest.list_bodies import Listed, json_lines
from tercast.errors import Path, shown

MAX_BYTES = 1024 * 1024
MAX_BULK_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 32
MAX_DIGITS = 1000

_ESCAPED = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


@dataclass(frozen=True, slots=True)
class _RefusedNumber:
    """Placeholder in the parsed body for a refused value."""

    code: str
    detail: str
    value: object


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
        errors = list(_walk(value, bool(_ESCAPED.search(text))))
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
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_int,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        _fail("not_json", f"{where}: {error.msg}. The body must be one JSON document.")
    except RecursionError:
        _fail("too_deep", f"The body has more than {MAX_DEPTH} nested levels. Flatten it.")


def _fail(code: str, detail: str) -> NoReturn:
    raise invalid([FieldError("", code, detail)], "bad_json") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) == len(pairs):
        return out
    seen: set[str] = set()
    repeated = _Repeated(out)
    repeated.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return repeated


def _constant(name: str) -> _RefusedNumber:
    return _RefusedNumber("not_a_number", f"{name} is not a JSON number. Use a finite number, or null.", name)


def _float(digits: str) -> float | _RefusedNumber:
    value = float(digits)
    if value - value == 0:
        return value
    return _RefusedNumber(
        "number_too_large",
        f"{digits[:40]} is larger than 1.8e308, the largest number. Use a smaller one.",
        digits,
    )


def _int(digits: str) -> int | _RefusedNumber:
    if len(digits) <= MAX_DIGITS:
        return int(digits)
    detail = f"The integer has {len(digits)} digits; at most {MAX_DIGITS} are allowed."
    return _RefusedNumber("number_too_large", detail, digits)


def _walk(value: Any, check_text: bool) -> Iterator[FieldError]:
    """Yield the errors in a parsed body, depth first, without recursion."""
    stack: list[tuple[Path, Any]] = [((), value)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, dict | list) and len(path) >= MAX_DEPTH:
            detail = f"The body has more than {MAX_DEPTH} nested levels. Flatten it."
            yield FieldError(pointer(path), "too_deep", detail)
            return
        if isinstance(node, _RefusedNumber):
            yield FieldError(pointer(path), node.code, node.detail, node.value)
        elif isinstance(node, dict):
            yield from _check_keys(path, node, check_text)
            stack.extend(((*path, key), child) for key, child in reversed(node.items()))
        elif isinstance(node, list):
            stack.extend(((*path, i), node[i]) for i in range(len(node) - 1, -1, -1))
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
