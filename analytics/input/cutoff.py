"""The cut-off of a run: one time for all of its datasets, before which every writer has completed its rows.

A writer hands over rows in files, and files of different writers and datasets appear at different times.
So a file of deliveries may be there before the file of the events that they belong to, and a run that
reads all that it finds counts deliveries of unknown events. Each writer reports until when its rows are
complete. A run takes the earliest of these times, less a margin, and leaves later rows for the next run.

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
"""The most that clocks of hosts, and a row's time and the moment when its writer gets it, may differ.

An event that was published before the cut-off and delivered within this time after it counts as delivered.
"""

Listing = Sequence[tuple[str, Any]]
"""Paths of files with what their file system says of them."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """What a run reads: the files that were there at one time, and of them rows before `at`.

    `at` is in microseconds since 1970; None where no writer of the datasets is at work: all rows count.
    `holder` is the writer that decides it.
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
        """Return the cut-off, moved to `end` where it is earlier: rows that counted once count again.

        It would go back where a writer starts that is behind, or one returns that was silent.
        """
        return replace(self, at=end) if self.at is not None and self.at < end else self

    def to_json(self, left: Mapping[str, int]) -> dict[str, Any]:
        """Format the cut-off for the meta file, with the number of rows left for the next run by dataset."""
        return {
            "at": self.time and time_text(self.time),
            "writer": self.holder,
            "listed_at": self.listed_at and time_text(self.listed_at),
            "left": dict(left),
        }

    def counts(self, now: datetime) -> dict[str, int]:
        """Count the writers and the rows that they lost."""
        return count_writers(self.writers, now)


NO_CUT = CutOff()
"""All rows count, and each dataset is listed when it is read."""


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
