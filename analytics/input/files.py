"""Files of a dataset in any file system of Hadoop, and their footers; no rows are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from analytics.errors import CannotRun, NoTelemetry
from analytics.input.footers import parse_columns
from analytics.spark.session import first_line

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DATE = re.compile(r"date=([0-9]{4}-[0-9]{2}-[0-9]{2})")
_GLOB = re.compile(r"([\[\]{}*?\\])")
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class TelemetryFile:
    """A readable file: its path, number of rows, and columns (name and type in Spark)."""

    path: str
    rows: int
    columns: tuple[tuple[str, str], ...]

    @property
    def pattern(self) -> str:
        """The path for the readers of Spark, which expect patterns."""
        return _GLOB.sub(r"\\\1", self.path)


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A file that cannot be read, and the reason."""

    path: str
    reason: str


def root_uri(root: str) -> str:
    """Return the telemetry root as a URI; a path without a scheme is a local path."""
    return root if _SCHEME.match(root) else "file:" + str(Path(root).resolve())


def list_files(spark: SparkSession, root: str, dataset: str) -> list[tuple[str, Any]]:
    """Return the path and status of all files of a dataset, sorted by path.

    Files in progress (`.` or `_` at the start of a name) are omitted.

    Raises:
        NoTelemetry: The root or the dataset does not exist.
        CannotRun: A folder cannot be read.
    """
    jvm, conf = _java(spark)
    uri = root_uri(root)
    folder = jvm.org.apache.hadoop.fs.Path(uri, dataset)
    try:
        system = folder.getFileSystem(conf)
        if not system.exists(folder):
            raise NoTelemetry(_missing(system, jvm.org.apache.hadoop.fs.Path(uri), root, dataset))
        prefix = len(folder.toString()) + 1
        found = [(status.getPath().toString(), status) for status in _each(system.listFiles(folder, True))]
    except Py4JError as error:
        raise CannotRun(f"{root}: cannot read the telemetry: {first_line(error)}") from None
    absolute = [
        (path, status) for path, status in found if not _is_hidden(path[_start(path, folder, prefix) :])
    ]
    return sorted(absolute, key=lambda pair: pair[0])


def _start(path: str, folder: Any, prefix: int) -> int:
    """Return where the part below the dataset starts; Hadoop adds the host to paths."""
    tail = folder.toUri().getPath()
    at = path.find(tail)
    return at + len(tail) if at >= 0 else prefix


def _is_hidden(relative: str) -> bool:
    return any(part.startswith((".", "_")) for part in relative.split("/") if part)


def _missing(system: Any, root: Any, name: str, dataset: str) -> str:
    if not system.exists(root):
        return f"{name}: this telemetry root does not exist; correct --telemetry"
    there = sorted(status.getPath().getName() for status in system.listStatus(root))
    return f"{name}: the dataset {dataset} does not exist; found {', '.join(there) or 'none'}"


def exists(spark: SparkSession, uri: str) -> bool:
    """Whether a folder or file exists.

    Raises:
        CannotRun: The file system cannot be read.
    """
    jvm, conf = _java(spark)
    path = jvm.org.apache.hadoop.fs.Path(uri)
    try:
        return bool(path.getFileSystem(conf).exists(path))
    except Py4JError as error:
        raise CannotRun(f"{uri}: cannot read the file system: {first_line(error)}") from None


def within(path: str, first: date | None, last: date | None) -> bool:
    """Whether the `date=` of a file is in a range of days; a file without one may have any day."""
    found = _DATE.search(path)
    if found is None:
        return True
    day = found[1]
    return not (first and day < first.isoformat()) and not (last and day > last.isoformat())


def read_footers(
    spark: SparkSession, files: list[tuple[str, Any]]
) -> tuple[list[TelemetryFile], list[UnreadableFile]]:
    """Read the footers of files; return the readable and the unreadable files."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        read = list(pool.map(lambda pair: _read_footer(spark, *pair), files))
    good = [file for file in read if isinstance(file, TelemetryFile)]
    return good, [file for file in read if isinstance(file, UnreadableFile)]


def _read_footer(spark: SparkSession, path: str, status: Any) -> TelemetryFile | UnreadableFile:
    jvm, conf = _java(spark)
    try:
        stream = jvm.org.apache.parquet.hadoop.util.HadoopInputFile.fromStatus(status, conf)
        reader = jvm.org.apache.parquet.hadoop.ParquetFileReader.open(stream)
        try:
            schema = reader.getFooter().getFileMetaData().getSchema().toString()
            rows = reader.getRecordCount()
        finally:
            reader.close()
    except Py4JError as error:
        return UnreadableFile(path, first_line(error))
    return TelemetryFile(path, rows, parse_columns(schema))


def broken_file(error: BaseException) -> str | None:
    """Return the path of the file that made Spark fail, or None if the error names none."""
    found = re.search(r"Encountered error while reading file (.+?)\.\s+SQLSTATE", str(error))
    return unquote(found[1]) if found else None


def same_path(a: str, b: str) -> bool:
    """Whether two spellings (`file:/x`, `file:///x`) name the same file."""
    return re.sub(":/+", ":/", unquote(a)) == re.sub(":/+", ":/", unquote(b))


def _each(iterator: Any) -> Iterator[Any]:
    while iterator.hasNext():
        yield iterator.next()


def _java(spark: SparkSession) -> tuple[Any, Any]:
    context: Any = spark.sparkContext
    return context._jvm, context._jsc.hadoopConfiguration()
