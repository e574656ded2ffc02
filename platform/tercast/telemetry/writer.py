"""Writer of telemetry batches: complete Parquet files, with every lost row counted."""

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
    """Counters of the rows of one writer; `pending` rows are neither written nor lost yet."""

    written: int = 0
    files: int = 0
    lost: int = 0
    failures: int = 0
    pending: int = 0


class BatchWriter:
    """Writes rows of one dataset below a local telemetry root; several threads may add rows.

    A batch is written after `batch_rows` rows, and at `flush`. If it cannot be written, its rows wait for the
    next attempt. If more than `pending_rows` wait, the oldest are lost and counted in `counts.lost`.
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
        """Add a row; raise Refused for an unknown column, a wrong type, or a null in the key."""
        checked = check_row(row, self.dataset)
        with self._lock:
            self._rows.append(checked)
            self._drop_surplus()
            self.counts.pending = len(self._rows)
            if len(self._rows) >= self._retry_at:
                self._write()

    def flush(self) -> bool:
        """Write the waiting rows; return False, with the reason in `error`, if some could not be."""
        with self._lock:
            return self._write()

    def close(self) -> None:
        """Write the waiting rows; rows that cannot be written now are lost and counted."""
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
    """Group checked rows by the day (UTC) of their own time."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row[dataset.time].date().isoformat(), []).append(row)
    return found


def arrow_schema(dataset: Dataset) -> pa.Schema:
    """Return the columns of the dataset as a PyArrow schema."""
    import pyarrow as pa  # noqa: PLC0415 - needed only to write telemetry

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
    """Convert checked rows to a table."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.Table.from_pylist(list(rows), schema=arrow_schema(dataset))


def write_file(folder: Path, table: pa.Table, name: str | None = None) -> Path:
    """Write a table as one file of `folder`, as a whole or not at all.

    A dot hides the file until it is complete. Without `name` it is a new file. A file with `name` (without
    the extension) replaces the file of that name.
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
