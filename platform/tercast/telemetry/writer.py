"""Writes telemetry in batches: complete Parquet files, moved into place, and every lost row counted."""

from __future__ import annotations

import os
import secrets
import time
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from tercast.telemetry.datasets import BOOLEAN, INT, LONG, STRING, STRINGS, TIMESTAMP, Dataset
from tercast.telemetry.rows import check_row

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 50_000
PENDING_ROWS = 200_000


@dataclass(slots=True)
class WriterCounts:
    """What became of the rows of one writer; `pending` are neither written nor lost yet."""

    written: int = 0
    files: int = 0
    lost: int = 0
    failures: int = 0
    pending: int = 0


class BatchWriter:
    """Rows of one dataset below a local telemetry root; safe to use from several threads.

    A batch is written when `batch_rows` have come, and at `flush`. When it cannot be written, its rows wait
    for the next time; of more than `pending_rows` that wait the oldest are lost, counted in `counts.lost`.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        dataset: Dataset,
        batch_rows: int = BATCH_ROWS,
        pending_rows: int = PENDING_ROWS,
    ) -> None:
        self.folder = Path(root) / dataset.name
        self.dataset = dataset
        self.counts = WriterCounts()
        self.error: str | None = None
        self._batch_rows = batch_rows
        self._pending_rows = max(pending_rows, batch_rows)
        self._rows: deque[dict[str, Any]] = deque()
        self._retry_at = batch_rows
        self._lock = Lock()

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row; Refused when a column is unknown, of a wrong type, or a null that the key has not."""
        checked = check_row(row, self.dataset)
        with self._lock:
            self._rows.append(checked)
            self._drop_surplus()
            self.counts.pending = len(self._rows)
            if len(self._rows) >= self._retry_at:
                self._write()

    def flush(self) -> bool:
        """Write what waits; False, and `error` says why, when some of it could not be written."""
        with self._lock:
            return self._write()

    def close(self) -> None:
        """Write what waits; what cannot be written now is lost, and counted."""
        with self._lock:
            if not self._write():
                self.counts.lost += len(self._rows)
                self._rows.clear()
                self.counts.pending = 0

    def _drop_surplus(self) -> None:
        while len(self._rows) > self._pending_rows:
            self._rows.popleft()
            self.counts.lost += 1

    def _write(self) -> bool:
        kept: deque[dict[str, Any]] = deque()
        for date, rows in by_date(self._rows, self.dataset).items():
            try:
                write_file(self.folder / f"date={date}", rows_table(rows, self.dataset))
            except OSError as error:
                self.error = f"{self.folder}: cannot be written: {error.strerror or error}"
                self.counts.failures += 1
                kept.extend(rows)
                continue
            self.counts.files += 1
            self.counts.written += len(rows)
        self._rows = kept
        self._retry_at = len(kept) + self._batch_rows
        self.counts.pending = len(kept)
        return not kept


def by_date(rows: Iterable[dict[str, Any]], dataset: Dataset) -> dict[str, list[dict[str, Any]]]:
    """Checked rows by the day (UTC) of their own time."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row[dataset.time].date().isoformat(), []).append(row)
    return found


def arrow_schema(dataset: Dataset) -> pa.Schema:
    """The dataset's columns as PyArrow has them."""
    import pyarrow as pa  # noqa: PLC0415 - only who writes telemetry needs it

    kinds = {
        STRING: pa.string(),
        LONG: pa.int64(),
        INT: pa.int32(),
        BOOLEAN: pa.bool_(),
        TIMESTAMP: pa.timestamp("us", tz="UTC"),
        STRINGS: pa.list_(pa.string()),
    }
    return pa.schema([(column.name, kinds[column.kind]) for column in dataset.columns])


def rows_table(rows: Iterable[Mapping[str, Any]], dataset: Dataset) -> pa.Table:
    """Checked rows as a table."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.Table.from_pylist(list(rows), schema=arrow_schema(dataset))


def write_file(folder: Path, table: pa.Table, name: str | None = None) -> Path:
    """Write a table as one file of `folder`, whole or not at all; until then a dot hides it.

    It is a new file, but where `name` is given (without its ending) it takes the place of one of that name.
    """
    import pyarrow.parquet as pq  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    unique = f"{os.getpid()}-{secrets.token_hex(4)}"
    whole = folder / f"{name or f'{time.time_ns() // 1000}-{unique}'}.parquet"
    part = folder / f".{whole.name}.{unique}.part"
    try:
        with part.open("wb") as stream:
            pq.write_table(table, stream, compression="zstd")
            stream.flush()
            os.fsync(stream.fileno())
        part.rename(whole)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return whole
