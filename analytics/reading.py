"""Reads datasets of telemetry: checked files in, valid rows out, and all that is rejected counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from analytics.errors import CannotRun
from analytics.files import TelemetryFile, Unreadable, list_files, read_footers, same_path, within
from analytics.options import Options
from analytics.schemas import TYPES, Shape, cast, read_schema, shape
from tercast.telemetry import Dataset

DAY = timedelta(days=1)
NULL_KEY, NULL_TIME, FUTURE, UNREADABLE = "null_key", "null_time", "future", "unreadable_file"
REASONS = (NULL_KEY, NULL_TIME, FUTURE, UNREADABLE)


@dataclass(slots=True)
class Telemetry:
    """The telemetry of one run. `reports` says for each dataset what was read and rejected.

    `broken` are files found to be unreadable behind a good footer; they are left out like the others.
    """

    spark: SparkSession
    options: Options
    broken: dict[str, str] = field(default_factory=dict)
    reports: dict[str, dict[str, Any]] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)

    def read(
        self, dataset: Dataset, columns: Iterable[str], first: date | None = None, last: date | None = None
    ) -> DataFrame:
        """The valid rows in files of these days, with `columns`, which hold the key and the time."""
        wanted = tuple(columns)
        listed = list_files(self.spark, self.options.telemetry, dataset.name)
        files, bad = read_footers(self.spark, [pair for pair in listed if within(pair[0], first, last)])
        bad += [Unreadable(file.path, why) for file in files if (why := self._breakage(file))]
        files = [file for file in files if not self._breakage(file)]
        self.paths += [file.path for file in files]
        frame = self._frame(dataset, wanted, files)
        reason = rejection(dataset, self.options.latest)
        counted = Counter({row["reason"]: row["count"] for row in _by_reason(frame, reason)})
        self.reports[dataset.name] = {
            "files": len(files),
            "rows": counted.total(),
            "rejected": {**{name: counted[name] for name in REASONS[:3]}, UNREADABLE: len(bad)},
            "unreadable": [{"file": file.path, "reason": file.reason} for file in bad],
        }
        return frame.where(reason.isNull())

    def _breakage(self, file: TelemetryFile) -> str | None:
        return next((why for path, why in self.broken.items() if same_path(path, file.path)), None)

    def _frame(self, dataset: Dataset, wanted: tuple[str, ...], files: list[TelemetryFile]) -> DataFrame:
        groups: dict[Shape, list[TelemetryFile]] = {}
        for file in files:
            groups.setdefault(shape(file, dataset, wanted), []).append(file)
        if not groups:
            types = ", ".join(f"`{name}` {TYPES[dataset.column(name).kind]}" for name in wanted)
            return self.spark.createDataFrame([], types)
        parts = [self._part(dataset, columns, group) for columns, group in groups.items()]
        return reduce(DataFrame.unionAll, parts)

    def _part(self, dataset: Dataset, columns: Shape, files: list[TelemetryFile]) -> DataFrame:
        reader = self.spark.read.schema(read_schema(columns) or StructType([]))
        frame = reader.parquet(*[file.pattern for file in files])
        return frame.select(*[cast(name, kind, dataset) for name, kind in columns])


def _by_reason(frame: DataFrame, reason: Column) -> list[Any]:
    return frame.groupBy(reason.alias("reason")).count().collect()


def rejection(dataset: Dataset, latest: datetime) -> Column:
    """Why a row is rejected; null for a valid one."""
    null_key = reduce(Column.__or__, [F.col(name).isNull() for name in dataset.key])
    return (
        F.when(null_key, NULL_KEY)
        .when(F.col(dataset.time).isNull(), NULL_TIME)
        .when(F.col(dataset.time) > F.lit(latest), FUTURE)
    )


def in_range(time: Column, options: Options) -> Column:
    """Whether a time lies between `since` and `until`."""
    inside = F.lit(True)
    if options.since is not None:
        inside = inside & (time >= F.lit(options.since))
    if options.until is not None:
        inside = inside & (time < F.lit(options.until))
    return inside


def days(options: Options, margin: timedelta = DAY) -> tuple[date | None, date | None]:
    """First and last day whose files can hold rows of the range, with a margin on both sides."""
    try:
        first = (options.since - margin).date() if options.since else None
        last = (options.until + margin).date() if options.until else None
    except OverflowError:
        raise CannotRun("--since or --until lies at the end of the calendar") from None
    return first, last
