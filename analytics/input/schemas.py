"""From the columns that files have to those that the contract says: what fits, and how it is cast."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

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
    """The wanted columns with the types that the file has; CannotRun names one that is missing or unfit."""
    there = dict(file.columns)
    out = []
    for name in wanted:
        kind = dataset.column(name).kind
        if name not in there:
            raise CannotRun(f"{file.path}: no column {name}; there are {', '.join(there) or 'none'}")
        if there[name] not in _FITTING[kind]:
            raise CannotRun(f"{file.path}: column {name} is {there[name]}, and {TYPES[kind]} is needed")
        out.append((name, there[name]))
    return tuple(out)


def read_schema(columns: Shape) -> str:
    """The schema to read files of that shape with; a column of nulls alone is not read."""
    types = {NANOS: "bigint"}
    return ", ".join(f"`{name}` {types.get(kind, kind)}" for name, kind in columns if kind != NOTHING)


def cast(name: str, kind: str, dataset: Dataset) -> SparkColumn:
    """A column of a file in the contract's type; a number that is none becomes null."""
    wanted = TYPES[dataset.column(name).kind]
    if kind == NOTHING:
        return F.lit(None).cast(wanted).alias(name)
    if kind == NANOS:
        return F.timestamp_micros(F.expr(f"`{name}` div 1000")).alias(name)
    column = F.col(f"`{name}`")
    return (column if kind == wanted else column.try_cast(wanted)).alias(name)
