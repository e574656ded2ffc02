"""Rows of telemetry: checks by column, and their form in JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from tercast.errors import Path, Refused, RefusedMany, shown
from tercast.runtime.strict_json import expect_object, integer_json, parse_integer
from tercast.telemetry.datasets import LONG, STRINGS, TIMESTAMP, Column, Dataset

Row = dict[str, Any]

Make = Callable[[], Mapping[str, Any]]
"""Makes a row; it is called when the batch of the row is created."""

_BITS = {"int": 31, "long": 63}


def check_row(row: Mapping[str, Any], dataset: Dataset) -> Row:
    """Check a row, with null for missing optional columns; raise Refused for the first error."""
    out: Row = {}
    for error in _read(row, dataset, (), out, _checked):
        raise error
    return out


def check_rows(rows: Iterable[tuple[Dataset, Make]]) -> tuple[dict[Dataset, list[Row]], str | None]:
    """Make and check rows of several datasets.

    Returns:
        The good rows by dataset, and the error of the last bad one (None without any).
    """
    good: dict[Dataset, list[Row]] = {}
    error = None
    for dataset, make in rows:
        try:
            row = check_row(make(), dataset)
        except Refused as refused:
            error = f"a row of {dataset.name} is invalid: {refused}"
        else:
            good.setdefault(dataset, []).append(row)
    return good, error


def check_whole_row(row: Mapping[str, Any], dataset: Dataset, path: Path) -> Row:
    """Check a row like `check_row`; raise RefusedMany with all its errors below `path`."""
    return _all(row, dataset, path, _checked)


def read_row(document: object, dataset: Dataset, path: Path = ()) -> Row:
    """Read a row from a JSON object as `row_json` writes it; raise RefusedMany with all errors.

    A time is ISO 8601 with its time zone. An integer beyond ±(2^53-1) may be a decimal string.
    """
    try:
        fields = expect_object(document, path)
    except Refused as refused:
        raise RefusedMany([refused]) from None
    return _all(fields, dataset, path, _of_json)


def row_json(row: Mapping[str, Any], dataset: Dataset) -> Row:
    """Convert a checked row for JSON; columns that are null are left out."""
    return {
        column.name: _to_json(row[column.name], column)
        for column in dataset.columns
        if row[column.name] is not None
    }


def _to_json(value: Any, column: Column) -> Any:
    if column.kind == TIMESTAMP:
        return value.isoformat(timespec="microseconds")
    return integer_json(value) if column.kind == LONG else value


def _all(row: Mapping[str, Any], dataset: Dataset, path: Path, read: Any) -> Row:
    out: Row = {}
    errors = [*_read(row, dataset, path, out, read), *_empty(row, dataset, path)]
    if errors:
        raise RefusedMany(errors)
    return out


def _empty(row: Mapping[str, Any], dataset: Dataset, path: Path) -> Iterator[Refused]:
    """Refuse empty names: the texts of the key and the host."""
    for name in dict.fromkeys((*dataset.key, "host")):
        if row.get(name) == "":
            detail = (
                f"{name} is empty; a row of {dataset.name} needs it"
                if name in dataset.key
                else (f"{name} is empty; write a name, or leave it out")
            )
            yield Refused((*path, name), "empty", detail, "")


def _read(row: Mapping[str, Any], dataset: Dataset, path: Path, out: Row, read: Any) -> Iterator[Refused]:
    """Fill `out` with the valid values of a row, and yield an error for each invalid one."""
    known = {column.name for column in dataset.columns}
    for name in row:
        if name not in known:
            detail = f"unknown column of {dataset.name}; use one of {', '.join(sorted(known))}"
            yield Refused((*path, str(name)), "unknown_column", detail, row[name])
    needed = {*dataset.key, dataset.time}
    for column in dataset.columns:
        value = row.get(column.name)
        if value is None and column.name in needed:
            yield Refused(
                (*path, column.name), "null_key", f"missing value; a row of {dataset.name} needs it"
            )
            continue
        try:
            out[column.name] = None if value is None else read(value, column, (*path, column.name))
        except Refused as refused:
            yield refused


def _of_json(value: Any, column: Column, path: Path) -> Any:
    if column.kind == TIMESTAMP and isinstance(value, str):
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            raise _wrong(value, column, path) from None
        if time.tzinfo is None:
            raise _wrong(value, column, path)
        value = time
    elif column.kind == LONG and isinstance(value, str):
        value = parse_integer(value, path)
    return _checked(value, column, path)


def _checked(value: Any, column: Column, path: Path) -> Any:
    match column.kind:
        case "string" if isinstance(value, str) and _is_text(value):
            return value
        case "boolean" if isinstance(value, bool):
            return value
        case "strings" if isinstance(value, list | tuple) and all(
            isinstance(item, str) and _is_text(item) for item in value
        ):
            return list(value)
        case "timestamp" if isinstance(value, datetime) and value.tzinfo is not None:
            try:
                return value.astimezone(UTC)
            except OverflowError:
                raise _wrong(value, column, path) from None
        case "long" | "int" if isinstance(value, int) and not isinstance(value, bool):
            if -(1 << _BITS[column.kind]) <= value < 1 << _BITS[column.kind]:
                return value
    raise _wrong(value, column, path)


def _is_text(value: str) -> bool:
    """Whether a text can be written as UTF-8; half of a surrogate pair cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _wrong(value: Any, column: Column, path: Path) -> Refused:
    wanted = _WANTED.get(column.kind, f"a value of type {column.kind}")
    if column.kind == STRINGS and isinstance(value, list | tuple):
        bad = next(item for item in value if not (isinstance(item, str) and _is_text(item)))
        return Refused(path, "wrong_type", f"{shown(bad)} is not a text; write {wanted}", value)
    text = value.isoformat() if isinstance(value, datetime) else value
    return Refused(path, "wrong_type", f"{shown(text)} has the wrong type; write {wanted}", text)


_WANTED = {
    TIMESTAMP: 'a time with a zone, e.g. "2026-01-31T12:00:00Z"',
    STRINGS: 'a list of texts, e.g. ["q1"]',
}
