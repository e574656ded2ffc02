"""The four datasets of telemetry: columns, keys, and the time of a row."""

from __future__ import annotations

from dataclasses import dataclass

STRING, LONG, INT, BOOLEAN, TIMESTAMP, STRINGS = "string", "long", "int", "boolean", "timestamp", "strings"
"""Kinds of columns; `strings` is a list of strings, and timestamps are in UTC with microseconds."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name and its kind."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """One dataset: rows with the same `key` are equal, and the column `time` gives their `date`."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    time: str

    def column(self, name: str) -> Column:
        """Return the column of that name; raise KeyError if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)


def _columns(text: str) -> tuple[Column, ...]:
    return tuple(Column(*word.split(":")) for word in text.split())


PUBLISHED = Dataset(
    "published",
    _columns(
        "topic:string publisher:string host:string seq:long published_at:timestamp dz:string values:string"
    ),
    key=("topic", "publisher", "seq"),
    time="published_at",
)

DELIVERED = Dataset(
    "delivered",
    _columns(
        "topic:string publisher:string seq:long host:string received_at:timestamp wanted:boolean "
        "subscriptions:strings"
    ),
    key=("topic", "publisher", "seq", "host", "received_at"),
    time="received_at",
)

TABLE_SNAPSHOTS = Dataset(
    "table_snapshots",
    _columns("taken_at:timestamp switch:string entries:int budget:int packets:long bytes:long"),
    key=("switch", "taken_at"),
    time="taken_at",
)

REQUESTS = Dataset(
    "requests",
    _columns(
        "request:long kind:string topic:string partition:string received_at:timestamp started_at:timestamp "
        "computed_at:timestamp confirmed_at:timestamp status:string added:int removed:int modified:int"
    ),
    key=("request",),
    time="received_at",
)

DATASETS = {dataset.name: dataset for dataset in (PUBLISHED, DELIVERED, TABLE_SNAPSHOTS, REQUESTS)}
