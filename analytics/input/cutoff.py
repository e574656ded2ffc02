"""The cut-off of a run: all writers of its datasets have completed their rows until then.

Writers store rows in files, and the files of different writers and datasets appear at different times. So the
file of a delivery may appear before the file of its event. A run that reads all files counts such deliveries
as unknown events. Therefore each writer reports the time before which its rows are complete. A run uses the
earliest of these times minus a margin, and leaves later rows to the next run.

The reports are read before the files are listed: rows that a report calls complete are in files by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql import SparkSession

from analytics.input.files import list_files
from analytics.input.writers import ParquetWriter, count_writers, read_writers, slowest
from analytics.options import JobOptions
from analytics.times import EPOCH, MICROSECOND, time_text

MARGIN = timedelta(seconds=10)
"""Highest difference between clocks of hosts, and between the time of a row and its arrival at the writer.

An event that was published before the cut-off and delivered within this time after it counts as delivered.
"""

Listing = Sequence[tuple[str, Any]]
"""Paths of files with their status in the file system."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """Input of a run: the files at one time, and of these the rows before a time.

    Attributes:
        at: Microseconds since 1970; None if no writer of the datasets is running, because then all rows
            count.
        holder: The writer whose report determines `at`.
    """

    at: int | None = None
    holder: str | None = None
    listed_at: datetime | None = None
    files: Mapping[str, Listing] = field(default_factory=dict)
    writers: tuple[ParquetWriter, ...] = ()

    @property
    def time(self) -> datetime | None:
        """The cut-off as a time in UTC."""
        return None if self.at is None else EPOCH + timedelta(microseconds=self.at)

    def not_before(self, end: int) -> CutOff:
        """Return the cut-off, moved to `end` if it is earlier: rows that once counted count again.

        Without this, it would move back when a late writer starts or a silent one returns.
        """
        return replace(self, at=end) if self.at is not None and self.at < end else self

    def to_json(self, left: Mapping[str, int]) -> dict[str, Any]:
        """Return the cut-off for the meta file, with the rows left for the next run by dataset."""
        return {
            "at": self.time and time_text(self.time),
            "writer": self.holder,
            "listed_at": self.listed_at and time_text(self.listed_at),
            "left": dict(left),
        }

    def counts(self, now: datetime) -> dict[str, int]:
        """Count the writers and their lost rows."""
        return count_writers(self.writers, now)


NO_CUT = CutOff()
"""No cut-off: all rows count, and each dataset is listed when it is read."""


def take_cut_off(spark: SparkSession, options: JobOptions, datasets: Iterable[str]) -> CutOff:
    """Read the writers' reports, then list the files of all datasets.

    Raises:
        NoTelemetry: The root or a dataset does not exist.
        CannotRun: A folder cannot be read.
    """
    names = tuple(datasets)
    writers = tuple(read_writers(spark, options.telemetry))
    found = slowest(writers, names, options.now)
    files = {name: list_files(spark, options.telemetry, name) for name in names}
    at, holder = (None, None) if found is None else (found[0] - MARGIN // MICROSECOND, found[1])
    return CutOff(at, holder, datetime.now(UTC), files, writers)
