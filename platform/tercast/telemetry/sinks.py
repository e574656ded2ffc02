"""Destinations of telemetry batches: a folder of this machine, or another sink."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tercast.errors import TercastError
from tercast.runtime.json_files import whole_file
from tercast.telemetry.datasets import Dataset
from tercast.telemetry.rows import Row
from tercast.telemetry.writer import by_date, rows_table, write_file

WRITERS = "_writers"
"""Folder below a telemetry root for the report of each writer."""

Report = Mapping[str, Any]


class SinkDown(TercastError):  # noqa: N818 - named by meaning
    """The batch could not be sent now; it may have arrived. The same batch may be sent again."""


class BatchRefused(TercastError):  # noqa: N818 - named by meaning
    """The batch is refused permanently, and its rows are lost."""


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Checked rows of one dataset. Sending the same `id` again changes nothing."""

    id: str
    dataset: Dataset
    rows: tuple[Row, ...]


class Sink(Protocol):
    """Accepts batches; raises `SinkDown` or `BatchRefused`."""

    def send(self, batch: RowBatch, report: Report) -> int:
        """Send a batch with the writer's report; return the number of refused rows."""

    def send_report(self, report: Report) -> None:
        """Send the writer's report alone."""


class FolderSink:
    """A telemetry root on this machine; raises TercastError without PyArrow."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)
        try:
            import pyarrow  # noqa: F401, PLC0415 - hosts that write no Parquet do not need it
        except ImportError:
            raise TercastError(
                f"telemetry below {self.root} needs PyArrow; run pip install pyarrow, or use the API"
            ) from None

    def send(self, batch: RowBatch, report: Report) -> int:
        """Write a file for each day; a repeated call writes the same files."""
        try:
            for date, rows in by_date(batch.rows, batch.dataset).items():
                folder = self.root / batch.dataset.name / f"date={date}"
                write_file(folder, rows_table(rows, batch.dataset), batch.id)
        except OSError as error:
            raise self._down(error) from None
        return 0

    def send_report(self, report: Report) -> None:
        """Write the report in place of the previous report of the writer."""
        path = self.root / WRITERS / f"{report['name']}.json"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(path) as part:
                part.write_text(json.dumps(report) + "\n", encoding="utf-8")
        except OSError as error:
            raise self._down(error) from None

    def _down(self, error: OSError) -> SinkDown:
        return SinkDown(f"{self.root}: cannot be written: {error.strerror or error}")
