"""Where batches of telemetry go: a folder of this machine, or whatever else takes them."""

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
"""The folder below a telemetry root where each writer says what became of its rows."""

Report = Mapping[str, Any]


class SinkDown(TercastError):  # noqa: N818 - named by meaning
    """The batch could not be handed over now; it may have arrived. The same one may be tried again."""


class BatchRefused(TercastError):  # noqa: N818 - named by meaning
    """The batch will not be taken, however often it is tried: its rows are lost."""


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Checked rows of one dataset. Handing over the same `id` again changes nothing."""

    id: str
    dataset: Dataset
    rows: tuple[Row, ...]


class Sink(Protocol):
    """Takes batches; see `SinkDown` and `BatchRefused`."""

    def send(self, batch: RowBatch, report: Report) -> int:
        """Hand over a batch, with the writer's report; how many of its rows were refused."""

    def tell(self, report: Report) -> None:
        """Hand over the writer's report alone."""


class FolderSink:
    """A telemetry root on this machine. It needs PyArrow: BatchRefused, in words, where that is missing."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)
        try:
            import pyarrow  # noqa: F401, PLC0415 - hosts that write no Parquet need none
        except ImportError:
            raise TercastError(
                f"telemetry below {self.root} needs PyArrow: pip install pyarrow, or send it to the API"
            ) from None

    def send(self, batch: RowBatch, report: Report) -> int:
        """Write a file for each day; a second time the same files."""
        try:
            for date, rows in by_date(batch.rows, batch.dataset).items():
                folder = self.root / batch.dataset.name / f"date={date}"
                write_file(folder, rows_table(rows, batch.dataset), batch.id)
        except OSError as error:
            raise self._down(error) from None
        return 0

    def tell(self, report: Report) -> None:
        """Write the report in place of the writer's former one."""
        path = self.root / WRITERS / f"{report['name']}.json"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(path) as part:
                part.write_text(json.dumps(report) + "\n", encoding="utf-8")
        except OSError as error:
            raise self._down(error) from None

    def _down(self, error: OSError) -> SinkDown:
        return SinkDown(f"{self.root}: cannot be written: {error.strerror or error}")
