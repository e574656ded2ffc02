"""Columns in the footer of a Parquet file, as types of Spark."""

from __future__ import annotations

import re
from functools import cache

NANOS, NOTHING = "nanos", "nothing"
"""Two types that Spark does not have: nanoseconds since 1970, and a column with only nulls."""

_FIELD = re.compile(r"  (?:optional|required|repeated) (\S+) (.+?)(?: \(([A-Z].*)\))?(?: = [0-9]+)?(?:;| \{)")
_INTEGER = re.compile(r"INTEGER\(([0-9]+),(true|false)\)")
_PLAIN = {"boolean": "boolean", "double": "double", "float": "float", "int96": "timestamp", "int32": "int"}


@cache
def parse_columns(schema: str) -> tuple[tuple[str, str], ...]:
    """Return the names and types of the columns in a footer's schema, as parquet-java prints it.

    A type that telemetry never has is returned as the footer names it.
    """
    lines = schema.splitlines()
    out = []
    for number, line in enumerate(lines):
        found = _FIELD.fullmatch(line)
        if found:
            kind, name, annotation = found.groups()
            out.append((name, _type(kind, annotation or "", lines[number + 1 : number + 4])))
    return tuple(out)


def _type(kind: str, annotation: str, below: list[str]) -> str:
    if annotation == "UNKNOWN":
        return NOTHING
    if kind == "group":
        strings = annotation == "LIST" and any(" binary " in line for line in below)
        return "array<string>" if strings else f"group {annotation}".strip()
    if annotation.startswith("TIMESTAMP"):
        return NANOS if "NANOS" in annotation else "timestamp"
    number = _INTEGER.fullmatch(annotation)
    if number:
        return _integer(int(number[1]), number[2] == "true")
    if kind == "binary" and annotation in {"", "STRING", "JSON", "ENUM"}:
        return "string"
    if annotation:
        return f"{kind} ({annotation})"
    return {**_PLAIN, "int64": "bigint"}.get(kind, kind)


def _integer(bits: int, signed: bool) -> str:
    if bits == 64:
        return "bigint" if signed else "decimal(20,0)"
    return "int" if signed or bits < 32 else "bigint"
