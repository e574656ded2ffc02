"""Reports of telemetry writers: lost rows, state, and times of complete rows.

Jobs see only the rows in files. An event whose `delivered` row was lost looks like a lost event, so each job
counts the rows that are missing in the telemetry. A row that is not written yet looks like a lost row too. So
a job that runs while telemetry is written reads only rows up to a time that every writer has completed (see
`cutoff`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pyspark.sql import SparkSession

from analytics.input.files import exists, root_uri
from analytics.times import MICROSECOND, micros, parse_time
from tercast.telemetry.sinks import WRITERS

OVERDUE = timedelta(minutes=1)
"""A writer that has not reported for this time plus three of its periods has stopped."""

LONGEST_HOLD = timedelta(minutes=10)
"""Longest time by which a writer delays results. Rows that wait longer count as late."""

_SCHEMA = (
    "name string, taken bigint, lost bigint, pending bigint, closed boolean, told_at string, "
    "period_s double, complete_until string, datasets array<string>"
)


@dataclass(frozen=True, slots=True)
class ParquetWriter:
    """The last report of a writer. Times are in microseconds since 1970.

    Attributes:
        told_at: Time of the report; None if it has no readable time.
        complete_until: All rows before this time are in files.
        datasets: Datasets that it writes; None for any.
    """

    name: str
    lost: int
    closed: bool
    told_at: int | None
    period: int
    complete_until: int | None
    datasets: frozenset[str] | None = None

    def is_overdue(self, now: datetime) -> bool:
        """Whether it stopped without a last report: it was killed or has lost its connection."""
        if self.closed or self.told_at is None:
            return False
        return self.told_at + 3 * self.period + OVERDUE // MICROSECOND < micros(now)

    def held_at(self, now: datetime) -> int | None:
        """Return the time after which its rows may be missing; None if no more rows will come."""
        if self.closed or self.told_at is None or self.is_overdue(now):
            return None
        if self.complete_until is None:  # an earlier release: rows usually wait for at most two periods
            return self.told_at - 2 * self.period
        return max(self.complete_until, self.told_at - LONGEST_HOLD // MICROSECOND)


def read_writers(spark: SparkSession, root: str) -> list[ParquetWriter]:
    """Read all reports below the telemetry root, sorted by name; other files are ignored."""
    folder = f"{root_uri(root).rstrip('/')}/{WRITERS}"
    if not exists(spark, folder):
        return []
    rows = spark.read.schema(_SCHEMA).json(folder).collect()
    return sorted((_writer(row) for row in rows if row["taken"] is not None), key=lambda writer: writer.name)


def count_writers(writers: Collection[ParquetWriter], now: datetime) -> dict[str, int]:
    """Count the writers, their `lost` rows, and those that stopped `without_end`."""
    return {
        "writers": len(writers),
        "lost": sum(writer.lost for writer in writers),
        "without_end": sum(writer.is_overdue(now) for writer in writers),
    }


def slowest(
    writers: Iterable[ParquetWriter], datasets: Collection[str], now: datetime
) -> tuple[int, str] | None:
    """Return the earliest time after which rows of datasets may be missing, and its writer.

    Returns:
        None if no writer of these datasets is running.
    """
    held = [
        (at, writer.name)
        for writer in writers
        if (writer.datasets is None or not writer.datasets.isdisjoint(datasets))
        and (at := writer.held_at(now)) is not None
    ]
    return min(held, default=None)


def _writer(row: Any) -> ParquetWriter:
    told_at, until, datasets = _time(row["told_at"]), _time(row["complete_until"]), row["datasets"]
    if row["complete_until"] is None and row["pending"] == 0:  # an earlier release
        until = told_at
    return ParquetWriter(
        name=row["name"] or "",
        lost=row["lost"] or 0,
        closed=bool(row["closed"]),
        told_at=told_at,
        period=round((row["period_s"] or 0.0) * 1e6),
        complete_until=until,
        datasets=None if datasets is None else frozenset(datasets),
    )


def _time(text: str | None) -> int | None:
    """Parse a time in a report; return None if it is missing or malformed."""
    try:
        return None if text is None else micros(parse_time(text))
    except ValueError:
        return None
