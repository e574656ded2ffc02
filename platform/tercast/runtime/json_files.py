"""Files of the offline tools: strict JSON, complete outputs, and errors with their place."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path as FilePath
from typing import Any, BinaryIO, NoReturn, TypeVar

from tercast.errors import Refused, RefusedMany, TercastError, shown
from tercast.runtime.json_parser import (
    MAX_NUMBER_DIGITS,
    NumberFlaw,
    RefusedValue,
    parse_strict,
    values_by_path,
)

MAX_BYTES = 1 << 30
_READ_AT_ONCE = 1 << 20
MAX_LINE_BYTES = 1 << 20
MAX_ERRORS = 100
"""Largest number of reported errors of one file; the first ones are sufficient."""

STANDARD_OUTPUT = "-"

Result = TypeVar("Result")


class FileRefused(TercastError):  # noqa: N818 - named by meaning
    """A file cannot be used: `lines` contain the reasons, each with the file's name first."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        super().__init__("\n".join(lines))


def read_json(name: str) -> Any:
    """Read the JSON document in a file; raise FileRefused if it is not strict JSON in UTF-8."""
    return _refusing(name, lambda: parse_json(_read_bytes(name)))


def read_document(name: str, read: Callable[[Any], Result]) -> Result:
    """Call `read` with the JSON document in a file; its errors become FileRefused."""
    document = read_json(name)
    return _refusing(name, lambda: read(document))


def read_lines(name: str) -> Iterator[tuple[int, Any]]:
    """Yield the JSON values of a file of JSON lines with their line numbers; skip blank lines."""
    with _opened(name) as stream:
        number = 0
        while line := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                rule = f"the line has more than {MAX_LINE_BYTES} bytes; write one JSON value on each line"
                raise FileRefused([f"{name}:{number}: {rule}"])
            if line.strip():
                yield number, _refusing(f"{name}:{number}", partial(parse_json, line))


def parse_json(data: bytes) -> Any:
    """Parse strict JSON: UTF-8, no duplicate keys, no NaN or infinity, no number out of range."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused((), "not_utf8", f"byte {error.start} is not UTF-8 ({error.reason})") from None
    bad: list[RefusedValue] = []

    def keep(code: str, detail: str) -> RefusedValue:
        bad.append(RefusedValue(code, detail))
        return bad[-1]

    def repeated_keys(members: list[tuple[str, Any]], repeated: list[int]) -> dict[str, Any]:
        detail = "this key occurs twice in one object; keep one"
        return dict(members) | {members[i][0]: keep("duplicate_key", detail) for i in repeated}

    try:
        document = parse_strict(
            text,
            flawed_number=lambda flaw, number: keep(*_number_error(flaw, number)),
            repeated_keys=repeated_keys,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Refused((), "not_json", f"not JSON: {error.msg} at {where}") from None
    except RecursionError:
        raise Refused((), "too_deep", "lists and objects are nested too deeply") from None
    if bad:
        raise RefusedMany(list(_errors(document))[:MAX_ERRORS])
    return document


def write_json(name: str, document: Any, indent: int | None = 1) -> None:
    """Write a document as a whole, so that a file is never incomplete; `-` is standard output.

    Without an indent it is one line. With an indent, the outer objects and lists have a line for each item.
    """
    text = (_encode(document) if indent is None else _indented(document, " " * indent, OUTER)) + "\n"
    if name == STANDARD_OUTPUT:
        if sys.stdout is None:
            raise FileRefused(["standard output is closed; name an output file with -o"])
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        _write_whole(FilePath(name), text)
    except OSError as error:
        raise FileRefused([f"{name}: cannot be written: {error.strerror or error}"]) from None


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
OUTER = 3
"""Number of levels that are written line by line; deeper levels are on the line of their parent."""


def _indented(value: Any, pad: str, levels: int, before: str = "\n") -> str:
    """Encode JSON with a line for each outer item, faster than the standard encoder."""
    if levels == 0 or not value or not _is_nested(value):
        return _encode(value)
    inner = before + pad
    if isinstance(value, dict):
        ends = "{}"
        items = [
            f"{_encode(str(key))}: {_indented(one, pad, levels - 1, inner)}" for key, one in value.items()
        ]
    else:
        ends = "[]"
        items = [_indented(one, pad, levels - 1, inner) for one in value]
    return ends[0] + inner + f",{inner}".join(items) + before + ends[1]


def _is_nested(value: Any) -> bool:
    """Whether a value is an object, or a list of objects or lists."""
    if isinstance(value, list | tuple):
        return any(isinstance(one, dict | list | tuple) for one in value)
    return isinstance(value, dict)


def _write_whole(path: FilePath, text: str) -> None:
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8") as stream:  # a device or a pipe; a directory fails here
            stream.write(text)
        return
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")


@contextmanager
def whole_file(path: FilePath) -> Iterator[FilePath]:
    """Open a part file next to `path`, and replace `path` with it if there is no error."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _opened(name: str) -> Any:
    try:
        return FilePath(name).open("rb")
    except (OSError, ValueError) as error:
        _refuse_file(name, error)


def _read_bytes(name: str) -> bytes:
    try:
        with FilePath(name).open("rb") as stream:
            data = read_at_most(stream, MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        _refuse_file(name, error)
    if len(data) > MAX_BYTES:
        raise Refused((), "too_large", f"the file has more than {MAX_BYTES} bytes")
    return data


def read_at_most(stream: BinaryIO, count: int) -> bytes:
    """Read up to `count` bytes; unlike `stream.read`, this allocates no more than is read."""
    read = bytearray()
    while len(read) < count and (part := stream.read(min(_READ_AT_ONCE, count - len(read)))):
        read += part
    return bytes(read)


def _refuse_file(name: str, error: Exception) -> NoReturn:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    raise FileRefused([f"{name}: cannot be read: {reason}"]) from None


def _refusing(name: str, action: Callable[[], Result]) -> Result:
    """Call `action`; its errors become FileRefused, with one line for each."""
    try:
        return action()
    except Refused as refused:
        raise FileRefused([f"{name}: {refused}"]) from None
    except RefusedMany as many:
        lines = [f"{name}: {refused}" for refused in many.errors[:MAX_ERRORS]]
        if len(many.errors) > MAX_ERRORS:
            lines.append(f"{name}: and {len(many.errors) - MAX_ERRORS} more errors")
        raise FileRefused(lines) from None


def _number_error(flaw: NumberFlaw, number: str) -> tuple[str, str]:
    match flaw:
        case NumberFlaw.NOT_FINITE:
            return "not_finite", f"{number} is not a JSON number"
        case NumberFlaw.TOO_LARGE:
            return "not_finite", f"{shown(number)} is beyond the range of doubles"
        case NumberFlaw.TOO_LONG:
            rule = f"at most {MAX_NUMBER_DIGITS} are allowed"
            return "too_long", f"the number has {len(number)} digits; {rule}"


def _errors(document: Any) -> Iterator[Refused]:
    for path, value in values_by_path(document):
        if isinstance(value, RefusedValue):
            yield Refused(path, value.code, value.detail)
