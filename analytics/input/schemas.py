"""Conversion of the columns of files to the types of the contract."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions as F  # noqa: N812 - the usual name

from analytics.errors import CannotRun
from analytics.input.files import TelemetryFile
from analytics.input.footers import NANOS, NOTHING
from tercast.telemetry import Dataset

TYPES = {
    "string": "string",
    "long": "bigint",
    "int": "int",
    "boolean": "boolean",
    "timestamp": "timestamp",
    "strings": "array<string>",
}

_NUMBERS = frozenset({"bigint", "int", "double", "float", "decimal(20,0)", NOTHING})
_FITTING = {
    "string": frozenset({"string", NOTHING}),
    "long": _NUMBERS,
    "int": _NUMBERS,
    "boolean": frozenset({"boolean", NOTHING}),
    "timestamp": frozenset({"timestamp", NANOS, NOTHING}),
    "strings": frozenset({"array<string>", NOTHING}),
}

Shape = tuple[tuple[str, str], ...]


def shape(file: TelemetryFile, dataset: Dataset, wanted: Iterable[str]) -> Shape:
    """Return the wanted columns with their types in a file.

    Raises:
        CannotRun: A column is missing or has the wrong type.
    """
    there = dict(file.columns)
    out = []
    for name in wanted:
        kind = dataset.column(name).kind
        if name not in there:
            raise CannotRun(f"{file.path}: column {name} is missing; found {', '.join(there) or 'none'}")
        if there[name] not in _FITTING[kind]:
            raise CannotRun(f"{file.path}: column {name} has type {there[name]}; {TYPES[kind]} is required")
        out.append((name, there[name]))
    return tuple(out)


def read_schema(columns: Shape) -> str:
    """Return the schema to read files of this shape; columns with only nulls are not read."""
    types = {NANOS: "bigint"}
    return ", ".join(f"`{name}` {types.get(kind, kind)}" for name, kind in columns if kind != NOTHING)


def cast(name: str, kind: str, dataset: Dataset) -> SparkColumn:
    """Return a column in the type of the contract; a number that does not fit becomes null."""
    wanted = TYPES[dataset.column(name).kind]
    if kind == NOTHING:
        return F.lit(None).cast(wanted).alias(name)
    if kind == NANOS:
        return F.timestamp_micros(F.expr(f"`{name}` div 1000")).alias(name)
    column = F.col(f"`{name}`")
    return (column if kind == wanted else column.try_cast(wanted)).alias(name)
