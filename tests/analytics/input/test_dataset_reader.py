"""Telemetry that is read, refused with a name, or rejected and counted."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analytics.errors import CannotRun, JobFailed
from analytics.input.footers import parse_columns
from analytics.jobs.definitions import COMPUTATIONS
from analytics.jobs.runner import run_job
from analytics.options import JobOptions
from tercast.telemetry import TABLE_SNAPSHOTS
from tests.support.analytics import messy_telemetry

START = datetime(2026, 3, 28, 23, 59, 59, tzinfo=UTC)
JOB = "flow_table_size"


def snapshot(seconds: int, entries: int = 5, switch: str = "sw1") -> dict[str, Any]:
    return {"taken_at": START + timedelta(seconds=seconds), "switch": switch, "entries": entries}


def run(spark: Any, root: Path, out: Path, **more: Any) -> tuple[list[Any], dict[str, Any]]:
    run_job(spark, JOB, JobOptions(str(root), messy_telemetry.NOW, **more), str(out))
    return json.loads((out / f"{JOB}.json").read_text()), json.loads((out / f"{JOB}.meta.json").read_text())


@pytest.mark.spark
def test_since_is_included_and_until_is_not(spark: Any, tmp_path: Path) -> None:
    rows = [snapshot(i, i) for i in range(-3, 5)]
    for day in ("2026-03-28", "2026-03-29"):
        own = [row for row in rows if row["taken_at"].date().isoformat() == day]
        messy_telemetry.write(tmp_path, TABLE_SNAPSHOTS, own, day=day)
    since, until = START + timedelta(seconds=-1), START + timedelta(seconds=3)
    found, meta = run(spark, tmp_path, tmp_path / "out", since=since, until=until, window=86_400_000_000)
    assert [(row["entries_min"], row["entries_max"]) for row in found] == [(-1, 0), (1, 2)]
    assert [row["window_start"] for row in found] == ["2026-03-28T00:00:00Z", "2026-03-29T00:00:00Z"]
    assert meta["datasets"]["table_snapshots"]["files"] == 2


@pytest.mark.spark
def test_days_outside_the_range_are_not_even_opened(spark: Any, tmp_path: Path) -> None:
    messy_telemetry.write(tmp_path, TABLE_SNAPSHOTS, [snapshot(0)])
    messy_telemetry.write(tmp_path, TABLE_SNAPSHOTS, [snapshot(86_400)], day="2026-03-29").write_bytes(b"bad")
    _, meta = run(spark, tmp_path, tmp_path / "out", until=START + timedelta(microseconds=1))
    assert meta["datasets"]["table_snapshots"]["files"] == 1
    assert meta["rejected"]["unreadable_file"] == 0


@pytest.mark.spark
def test_a_file_with_bad_pages_is_counted_and_the_rest_answers(spark: Any, tmp_path: Path) -> None:
    root = tmp_path / "a {root}"
    messy_telemetry.write(root, TABLE_SNAPSHOTS, [snapshot(0, 7)])
    bad = messy_telemetry.write(root, TABLE_SNAPSHOTS, [snapshot(1, 99)], "bad.parquet")
    data = bytearray(bad.read_bytes())
    data[4:60] = b"\xff" * 56
    bad.write_bytes(data)
    found, meta = run(spark, root, tmp_path / "out")
    assert [row["entries_max"] for row in found] == [7]
    assert meta["rejected"]["unreadable_file"] == 1
    [unreadable] = meta["datasets"]["table_snapshots"]["unreadable"]
    assert unreadable["file"].endswith("/bad.parquet")
    assert "pages" in unreadable["reason"]


@pytest.mark.spark
def test_a_missing_column_is_named_with_those_that_are_there(spark: Any, tmp_path: Path) -> None:
    path = messy_telemetry.write(tmp_path, TABLE_SNAPSHOTS, [snapshot(0)])
    pq.write_table(pq.ParquetFile(path).read().drop_columns(["switch"]), path)
    with pytest.raises(
        CannotRun, match=r"x\.parquet: column switch is missing; found taken_at, entries, budget"
    ):
        run(spark, tmp_path, tmp_path / "out")
    assert not (tmp_path / "out" / f"{JOB}.json").exists()


@pytest.mark.spark
def test_a_column_of_another_type_is_named(spark: Any, tmp_path: Path) -> None:
    path = messy_telemetry.write(tmp_path, TABLE_SNAPSHOTS, [snapshot(0)])
    table = pq.ParquetFile(path).read()
    pq.write_table(table.set_column(2, "entries", pa.array(["five"])), path)
    with pytest.raises(CannotRun, match="column entries has type string; int is required"):
        run(spark, tmp_path, tmp_path / "out")


@pytest.mark.spark
def test_what_is_not_there_is_named(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="nowhere: this telemetry root does not exist"):
        run(spark, tmp_path / "nowhere", tmp_path / "out")
    (tmp_path / "root" / "requests").mkdir(parents=True)
    with pytest.raises(CannotRun, match="root: the dataset table_snapshots does not exist; found requests"):
        run(spark, tmp_path / "root", tmp_path / "out")
    with pytest.raises(CannotRun, match='unknown job "sizes"; use one of flow_table_size, delay'):
        run_job(spark, "sizes", JobOptions(str(tmp_path), messy_telemetry.NOW), str(tmp_path / "out"))


@pytest.mark.spark
def test_no_rows_are_an_empty_answer(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "table_snapshots").mkdir()
    found, meta = run(spark, tmp_path, tmp_path / "out")
    assert found == []
    assert (meta["rows"], meta["datasets"]["table_snapshots"]["files"]) == (0, 0)


@pytest.mark.spark
def test_a_failure_leaves_the_last_result_whole(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messy_telemetry.write(tmp_path, TABLE_SNAPSHOTS, [snapshot(0, 7)])
    before, _ = run(spark, tmp_path, tmp_path / "out")
    monkeypatch.setitem(COMPUTATIONS, JOB, lambda task: 1 / 0)
    with pytest.raises(JobFailed, match="division by zero"):
        run(spark, tmp_path, tmp_path / "out")
    assert json.loads((tmp_path / "out" / f"{JOB}.json").read_text()) == before
    monkeypatch.setitem(COMPUTATIONS, JOB, lambda task: [{"switch": object()}])
    with pytest.raises(TypeError):
        run(spark, tmp_path, tmp_path / "new")
    assert not (tmp_path / "new" / f"{JOB}.json").exists()


def test_footers_are_read_as_sparks_types() -> None:
    schema = """message schema {
  optional int64 at (TIMESTAMP(NANOS,true));
  optional int64 naive (TIMESTAMP(MICROS,false)) = 3;
  required int96 old;
  optional int32 small (INTEGER(16,true));
  optional int64 huge (INTEGER(64,false));
  optional binary a name with blanks (STRING);
  optional int32 none (UNKNOWN);
  optional int32 day (DATE);
  optional group list (LIST) {
    repeated group list {
      optional binary element (STRING);
    }
  }
  optional group pair {
    optional binary topic (STRING);
  }
}
"""
    assert dict(parse_columns(schema)) == {
        "at": "nanos",
        "naive": "timestamp",
        "old": "timestamp",
        "small": "int",
        "huge": "decimal(20,0)",
        "a name with blanks": "string",
        "none": "nothing",
        "day": "int32 (DATE)",
        "list": "array<string>",
        "pair": "group",
    }
