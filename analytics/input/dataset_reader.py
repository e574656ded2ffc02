"""Reading of datasets: checks files, returns valid rows, and counts all rejected ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from analytics.errors import CannotRun
from analytics.input.cutoff import NO_CUT, CutOff, Listing
from analytics.input.facts import FUTURE, LEFT, UNREADABLE, FileFacts, facts_of_files
from analytics.input.files import TelemetryFile, UnreadableFile, list_files, read_footers, same_path, within
from analytics.input.schemas import TYPES, Shape, cast, read_schema, shape
from analytics.options import JobOptions
from analytics.spans import Span
from analytics.times import EPOCH
from tercast.telemetry import Dataset

DAY = timedelta(days=1)
NULL_KEY, NULL_TIME = "null_key", "null_time"
REASONS = (NULL_KEY, NULL_TIME, FUTURE, UNREADABLE)


@dataclass(slots=True)
class Telemetry:
    """The telemetry of a run.

    Attributes:
        broken: Files that Spark could not read although their footers are good, with the reasons. They are
            omitted like other unreadable files.
        cut: The listed files, and the time before which rows count. Datasets without listed files are listed
            when they are read.
        reports: By dataset: what was read and rejected.
        choice: Files to read by dataset, already inspected; None for all files of the requested days.
        seen: The files whose footers were read.
    """

    spark: SparkSession
    options: JobOptions
    broken: dict[str, str] = field(default_factory=dict)
    cut: CutOff = NO_CUT
    reports: dict[str, dict[str, Any]] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    choice: Mapping[str, Listing] | None = None
    seen: dict[str, TelemetryFile | UnreadableFile] = field(default_factory=dict)

    def read(
        self,
        dataset: Dataset,
        columns: Iterable[str],
        first: date | None = None,
        last: date | None = None,
        *,
        with_left: bool = False,
    ) -> DataFrame:
        """Read the valid rows before the cut-off in files of these days.

        Args:
            dataset: The dataset.
            columns: The columns to read; the key and the time are among them.
            first: The first day, in UTC.
            last: The last day.
            with_left: Also read rows after the cut-off. They do not count, but they show to which event an
                earlier delivery belongs, or whether an earlier event arrived.
        """
        wanted = tuple(columns)
        reason = rejection(dataset, self.options.latest, self.cut.time)
        valid = reason.isNull() | (reason == LEFT) if with_left else reason.isNull()
        if self.choice is not None:
            return self._read_choice(dataset, wanted, self.choice.get(dataset.name, ())).where(valid)
        listed = [pair for pair in self.listed(dataset.name) if within(pair[0], first, last)]
        files, bad = self._footers(listed)
        frame = self._frame(dataset, wanted, files)
        counted = Counter({row["reason"]: row["count"] for row in _by_reason(frame, reason)})
        self.reports[dataset.name] = {
            "files": len(files),
            "rows": counted.total(),
            "left": counted[LEFT],
            "rejected": {**{name: counted[name] for name in REASONS[:3]}, UNREADABLE: len(bad)},
            "unreadable": [{"file": file.path, "reason": file.reason} for file in bad],
        }
        return frame.where(valid)

    def listed(self, name: str) -> Listing:
        """Return the files of a dataset, as listed at the start of the run."""
        if name in self.cut.files:
            return self.cut.files[name]
        return list_files(self.spark, self.options.telemetry, name)

    def inspect(self, dataset: Dataset, listed: Mapping[str, tuple[str, Any]]) -> dict[str, FileFacts]:
        """Return the facts of files by their paths in the dataset; only keys and times are read."""
        files, bad = self._footers(list(listed.values()))
        wanted = tuple(dict.fromkeys((*dataset.key, dataset.time)))
        frame = self._frame(dataset, wanted, files, named=True)
        time = F.unix_micros(dataset.time)
        reason = rejection(dataset, self.options.latest, self.cut.time).alias("reason")
        found = frame.groupBy("file", reason).agg(F.count("*"), F.min(time), F.max(time)).collect()
        return facts_of_files(listed, files, bad, [tuple(row) for row in found])

    def _read_choice(self, dataset: Dataset, wanted: tuple[str, ...], listed: Listing) -> DataFrame:
        files, _ = self._footers(list(listed))
        self.reports[dataset.name] = {
            "files": len(files),
            "rows": sum(file.rows for file in files),
            "bytes": sum(status.getLen() for _, status in listed),
        }
        return self._frame(dataset, wanted, files)

    def _footers(self, listed: list[tuple[str, Any]]) -> tuple[list[TelemetryFile], list[UnreadableFile]]:
        fresh = read_footers(self.spark, [pair for pair in listed if pair[0] not in self.seen])
        self.seen |= {file.path: file for part in fresh for file in part}
        found = [self.seen[path] for path, _ in listed]
        files = [file for file in found if isinstance(file, TelemetryFile)]
        bad = [file for file in found if isinstance(file, UnreadableFile)]
        bad += [UnreadableFile(file.path, why) for file in files if (why := self._breakage(file))]
        files = [file for file in files if not self._breakage(file)]
        self.paths += [file.path for file in files]
        return files, bad

    def _breakage(self, file: TelemetryFile) -> str | None:
        return next((why for path, why in self.broken.items() if same_path(path, file.path)), None)

    def _frame(
        self, dataset: Dataset, wanted: tuple[str, ...], files: list[TelemetryFile], named: bool = False
    ) -> DataFrame:
        groups: dict[Shape, list[TelemetryFile]] = {}
        for file in files:
            groups.setdefault(shape(file, dataset, wanted), []).append(file)
        if not groups:
            types = ", ".join(f"`{name}` {TYPES[dataset.column(name).kind]}" for name in wanted)
            return self.spark.createDataFrame([], types + (", file string" if named else ""))
        parts = [self._part(dataset, columns, group, named) for columns, group in groups.items()]
        return reduce(DataFrame.unionAll, parts)

    def _part(self, dataset: Dataset, columns: Shape, files: list[TelemetryFile], named: bool) -> DataFrame:
        reader = self.spark.read.schema(read_schema(columns) or StructType([]))
        frame = reader.parquet(*[file.pattern for file in files])
        more = [F.col("_metadata.file_path").alias("file")] if named else []
        return frame.select(*[cast(name, kind, dataset) for name, kind in columns], *more)


def _by_reason(frame: DataFrame, reason: Column) -> list[Any]:
    return frame.groupBy(reason.alias("reason")).count().collect()


def rejection(dataset: Dataset, latest: datetime, cut: datetime | None = None) -> Column:
    """Return why a row is rejected or left for the next run; null if it counts."""
    null_key = reduce(Column.__or__, [F.col(name).isNull() for name in dataset.key])
    time = F.col(dataset.time)
    reason = F.when(null_key, NULL_KEY).when(time.isNull(), NULL_TIME).when(time > F.lit(latest), FUTURE)
    return reason if cut is None else reason.when(time >= F.lit(cut), LEFT)


def in_range(time: Column, options: JobOptions) -> Column:
    """Whether a time is between `since` and `until`, or in a span if there are spans."""
    if options.spans is not None:
        return in_spans(time, options.spans)
    inside = F.lit(True)
    if options.since is not None:
        inside = inside & (time >= F.lit(options.since))
    if options.until is not None:
        inside = inside & (time < F.lit(options.until))
    return inside


def in_spans(time: Column, spans: Iterable[Span], margin: int = 0) -> Column:
    """Whether a time is in one of the spans, each of which is extended by a margin at both ends."""
    inside = F.lit(False)
    for start, end in spans:
        inside = inside | ((time >= _literal(start - margin)) & (time < _literal(end + margin)))
    return inside


def _literal(at: int) -> Column:
    """Return a time as a literal for readers of Parquet, at most at the ends of the calendar."""
    return F.lit(EPOCH + timedelta(microseconds=min(max(at, _FIRST), _LAST)))


_FIRST, _LAST = -62_000_000_000_000_000, 253_000_000_000_000_000


def days(options: JobOptions, margin: timedelta = DAY) -> tuple[date | None, date | None]:
    """Return the first and last day whose files can have rows of the range, with margins."""
    try:
        first = (options.since - margin).date() if options.since else None
        last = (options.until + margin).date() if options.until else None
    except OverflowError:
        raise CannotRun("--since or --until is at the end of the calendar; use another time") from None
    return first, last
