"""Telemetry in batches: complete files, separate days, and every lost row counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tercast.errors import Refused
from tercast.telemetry import DELIVERED, TABLE_SNAPSHOTS
from tercast.telemetry.writer import BatchWriter

MIDNIGHT = datetime(2026, 3, 29, tzinfo=UTC)


def snapshot(seconds: int) -> dict[str, Any]:
    return {"taken_at": MIDNIGHT + timedelta(seconds=seconds), "switch": "sw1", "entries": seconds}


def files(root: Path) -> list[Path]:
    return sorted(path.relative_to(root) for path in root.rglob("*") if path.is_file())


def test_rows_come_back_as_they_were_written_by_day(tmp_path: Path) -> None:
    writer = BatchWriter(tmp_path, DELIVERED)
    row = {
        "topic": "t",
        "publisher": "a1",
        "seq": 1 << 62,
        "host": "h1",
        "received_at": datetime(2026, 3, 29, 1, 59, 59, 999999, timezone(timedelta(hours=2))),
        "wanted": True,
        "subscriptions": ["s1", "s2"],
    }
    writer.add(row)
    writer.add({**row, "received_at": MIDNIGHT})
    assert files(tmp_path) == []
    assert writer.flush()
    found = files(tmp_path / "delivered")
    assert [path.parent.name for path in found] == ["date=2026-03-28", "date=2026-03-29"]
    rows = [pq.ParquetFile(tmp_path / "delivered" / path).read().to_pylist() for path in found]
    assert rows == [[row], [{**row, "received_at": MIDNIGHT}]]
    assert (writer.counts.written, writer.counts.files, writer.counts.pending, writer.counts.lost) == (
        2,
        2,
        0,
        0,
    )


def test_a_full_batch_is_written_by_itself(tmp_path: Path) -> None:
    writer = BatchWriter(tmp_path, TABLE_SNAPSHOTS, batch_rows=3)
    for i in range(7):
        writer.add(snapshot(i))
    assert (writer.counts.written, writer.counts.files, writer.counts.pending) == (6, 2, 1)
    writer.close()
    assert (writer.counts.written, writer.counts.lost) == (7, 0)


def test_rows_wait_while_nothing_can_be_written_and_the_oldest_are_counted_as_lost(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.write_text("in the way")
    writer = BatchWriter(root, TABLE_SNAPSHOTS, batch_rows=2, pending_rows=3)
    for i in range(5):
        writer.add(snapshot(i))
    assert not writer.flush()
    assert writer.error is not None and str(root) in writer.error
    assert (writer.counts.pending, writer.counts.lost, writer.counts.written) == (3, 2, 0)
    root.unlink()
    assert writer.flush()
    [path] = files(root)
    assert [row["entries"] for row in pq.ParquetFile(root / path).read().to_pylist()] == [2, 3, 4]
    assert (writer.counts.pending, writer.counts.lost, writer.counts.written) == (0, 2, 3)


def test_what_cannot_be_written_at_the_end_is_lost_and_counted(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.write_text("in the way")
    writer = BatchWriter(root, TABLE_SNAPSHOTS)
    writer.add(snapshot(1))
    writer.close()
    assert (writer.counts.pending, writer.counts.lost) == (0, 1)


def test_a_file_that_breaks_off_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(table: Any, stream: Any, **_: Any) -> None:
        stream.write(b"PAR1 and a bit")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    writer = BatchWriter(tmp_path, TABLE_SNAPSHOTS)
    writer.add(snapshot(1))
    assert not writer.flush()
    assert writer.error is not None and writer.error.endswith("No space left on device")
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        ({"switch": None}, "null_key", "switch"),
        ({"entries": "5"}, "wrong_type", "entries"),
        ({"entries": 1 << 31}, "wrong_type", "entries"),
        ({"taken_at": datetime(2026, 1, 1)}, "wrong_type", "taken_at"),
        ({"colour": 1}, "unknown_column", "colour"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(
    change: dict[str, Any], code: str, where: str, tmp_path: Path
) -> None:
    writer = BatchWriter(tmp_path, TABLE_SNAPSHOTS)
    with pytest.raises(Refused) as raised:
        writer.add({**snapshot(1), **change})
    assert (raised.value.code, raised.value.path) == (code, (where,))
    assert writer.counts.pending == 0
