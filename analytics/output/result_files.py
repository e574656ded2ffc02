"""Result files of a job, written all or none: `JOB.json`, `JOB.meta.json`, optional Parquet."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from analytics.errors import CannotRun
from analytics.output.result_rows import Row
from analytics.times import time_text
from tercast.runtime.json_files import FileRefused, whole_file, write_json

ORDER = ("topic", "switch", "publisher", "kind", "host", "window_start", "published_at", "seq")
"""Columns that results are sorted by, if they have them."""

_TEXTS = pa.list_(pa.string())
_NUMBERS = pa.list_(pa.float64())
_STAGE = pa.struct([("p50", pa.float64()), ("p95", pa.float64()), ("mean", pa.float64())])
_KINDS = {
    **dict.fromkeys(("topic", "host", "switch", "publisher", "kind", "values", "cuts"), pa.string()),
    **dict.fromkeys(
        ("entries_avg", "occupancy_max", "p50_ms", "p95_ms", "p99_ms", "max_ms", "fpr", "events_per_s"),
        pa.float64(),
    ),
    **dict.fromkeys(("waiting_ms", "computing_ms", "deploying_ms", "processing_ms"), _STAGE),
    **dict.fromkeys(("window_start", "published_at"), pa.timestamp("us", tz="UTC")),
    "dz_histogram": pa.map_(pa.string(), pa.int64()),
    "ranking": _TEXTS,
    "selected": _TEXTS,
    "indexed": _TEXTS,
    "weights": _NUMBERS,
    "eigenvalues": _NUMBERS,
}


def prepare_folder(out: str) -> Path:
    """Return the folder for results, which is created if it does not exist.

    Raises:
        CannotRun: The folder cannot be created or written to.
    """
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotRun(f"{out}: cannot create the folder: {error.strerror or error}") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CannotRun(f"{out}: no permission to write to this folder; choose another one")
    return folder


def publish(
    folder: Path, job: str, rows: list[Row], meta: dict[str, Any], parquet: Sequence[str] | None
) -> None:
    """Write all files of a result, `JOB.json` last: if it exists, so do the others.

    Args:
        parquet: Columns of the Parquet file; None for no such file.

    Raises:
        CannotRun: A file cannot be written.
    """
    ordered = sorted(rows, key=_place)
    try:
        if parquet is not None:
            _write_parquet(folder / f"{job}.parquet", ordered, parquet)
        write_json(str(folder / f"{job}.meta.json"), meta)
        write_json(str(folder / f"{job}.json"), [_plain(row) for row in ordered])
    except FileRefused as refused:
        raise CannotRun(str(refused)) from None
    except OSError as error:
        raise CannotRun(f"{folder}: cannot write: {error.strerror or error}") from None


def _place(row: Row) -> tuple[Any, ...]:
    return tuple((row[name] is not None, row[name]) for name in ORDER if name in row)


def _plain(row: Row) -> Row:
    return {name: time_text(value) if isinstance(value, datetime) else value for name, value in row.items()}


def _write_parquet(path: Path, rows: list[Row], columns: Sequence[str]) -> None:
    schema = pa.schema([(name, _KINDS.get(name, pa.int64())) for name in columns])
    arrays = [pa.array([_cell(row[name]) for row in rows], schema.field(name).type) for name in columns]
    with whole_file(path) as part:
        pq.write_table(pa.Table.from_arrays(arrays, schema=schema), part)


def _cell(value: Any) -> Any:
    """Convert a histogram to the pairs of an Arrow map; return all other values unchanged."""
    if isinstance(value, dict) and "p50" not in value:
        return list(value.items())
    return value
