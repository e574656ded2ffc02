"""The output of a job is identical in every time zone of the machine, of Java and of the Spark session."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from analytics.jobs.increments import ReadFiles
from analytics.jobs.job_table import JOBS
from analytics.jobs.runner import run_job
from analytics.options import JobOptions
from analytics.output.result_rows import collect_rows
from analytics.subscriptions import read_subscriptions
from analytics.times import time_text
from tercast.telemetry import DATASETS
from tercast.telemetry.writer import BatchWriter

ZONES = ("Asia/Kolkata", "America/New_York", "Pacific/Apia")
NOW = datetime(2026, 12, 1, tzinfo=UTC)
MOMENTS = (
    datetime(2011, 12, 30, 12, tzinfo=UTC),  # Apia has no 30 December 2011
    datetime(2026, 3, 8, 6, 59, 59, tzinfo=UTC),  # New York skips the hour from 7:00 in UTC
    datetime(2026, 3, 8, 7, 30, tzinfo=UTC),
    datetime(2026, 11, 1, 5, 30, tzinfo=UTC),  # New York repeats the hour from 5:00 in UTC
    datetime(2026, 11, 1, 6, 30, tzinfo=UTC),
    datetime(2026, 11, 1, 23, 59, 59, 900_000, tzinfo=UTC),
)
TOPIC = {"name": "t", "code": 2, "attributes": [{"name": "a", "type": "int", "min": 0, "max": 15}]}
SUBSCRIPTIONS = read_subscriptions(
    {
        "topics": [TOPIC],
        "subscriptions": [
            {"id": "s1", "host": "h1", "topic": "t", "filter": "a >= 0", "from": "2026-11-01T06:00:00Z"},
            {"id": "s2", "host": "h1", "topic": "t", "filter": "a < 3", "until": "2026-11-01T06:00:00Z"},
        ],
    }
)
WINDOWED = ("flow_table_size", "delay", "false_positives", "publisher_load", "request_latency")


@contextmanager
def zone(spark: Any, name: str) -> Iterator[None]:
    """Set the time zone of this process, of Java and of the session."""
    zones = spark._jvm.java.util.TimeZone
    before = os.environ.get("TZ"), zones.getDefault(), spark.conf.get("spark.sql.session.timeZone")
    try:
        os.environ["TZ"] = name
        zones.setDefault(zones.getTimeZone(name))
        spark.conf.set("spark.sql.session.timeZone", name)
        time.tzset()
        yield
    finally:
        os.environ.pop("TZ")
        if before[0] is not None:
            os.environ["TZ"] = before[0]
        zones.setDefault(before[1])
        spark.conf.set("spark.sql.session.timeZone", before[2])
        time.tzset()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("root")
    writers = {name: BatchWriter(folder, dataset) for name, dataset in DATASETS.items()}
    for seq, at in enumerate(MOMENTS):
        event = {"topic": "t", "publisher": "a1", "seq": seq}
        values = json.dumps({"a": seq})
        writers["published"].add({**event, "published_at": at, "dz": "01", "values": values})
        came = {"host": "h1", "received_at": at + timedelta(milliseconds=seq), "wanted": True}
        writers["delivered"].add(event | came)
        writers["table_snapshots"].add({"switch": "s1", "taken_at": at, "entries": seq, "budget": 9})
        stages = {"received_at": at, "started_at": at, "computed_at": at, "confirmed_at": at}
        writers["requests"].add({"request": seq, "kind": "subscribe", "status": "active", **stages})
    for writer in writers.values():
        writer.close()
    return folder


def output(spark: Any, job: str, root: Path, out: Path, known: ReadFiles | None) -> tuple[str, Any, Any]:
    """Return the JSON, the Parquet table and the constant part of the meta file."""
    options = JobOptions(
        str(root),
        NOW,
        since=datetime(2011, 12, 1, tzinfo=UTC),
        until=NOW,
        window=1_800_000_000,
        subscriptions=SUBSCRIPTIONS,
    )
    run_job(spark, job, options, str(out), parquet=True, known=known)
    meta = json.loads((out / f"{job}.meta.json").read_text())
    lasting = {name: meta.get(name) for name in ("since", "until", "notes", "rejected", "increment")}
    return (out / f"{job}.json").read_text(), pq.read_table(out / f"{job}.parquet"), lasting


def check(
    spark: Any, job: str, root: Path, out: Path, known: ReadFiles | None, zones: tuple[str, ...]
) -> str:
    with zone(spark, "UTC"):
        expected = output(spark, job, root, out, known)
    for name in zones:
        with zone(spark, name):
            assert output(spark, job, root, out, known) == expected, name
    return expected[0]


@pytest.mark.spark
def test_labels_of_windows_are_in_utc(spark: Any, root: Path, tmp_path: Path) -> None:
    text = check(spark, "flow_table_size", root, tmp_path, None, ("Pacific/Apia",))
    starts = [row["window_start"] for row in json.loads(text)]
    assert starts == [
        "2011-12-30T12:00:00Z",
        "2026-03-08T06:30:00Z",
        "2026-03-08T07:30:00Z",
        "2026-11-01T05:30:00Z",
        "2026-11-01T06:30:00Z",
        "2026-11-01T23:30:00Z",
    ]


@pytest.mark.spark
@pytest.mark.full
@pytest.mark.parametrize("job", JOBS)
def test_every_job_writes_the_same_in_every_zone(spark: Any, root: Path, tmp_path: Path, job: str) -> None:
    check(spark, job, root, tmp_path, None, ZONES)
    text = check(spark, job, root, tmp_path, ReadFiles({}), ZONES)
    if job in WINDOWED:
        assert {row["window_start"] for row in json.loads(text)} == {
            time_text(at.replace(minute=at.minute // 30 * 30, second=0, microsecond=0)) for at in MOMENTS
        }
    elif job == "event_samples":
        assert [row["published_at"] for row in json.loads(text)] == [time_text(at) for at in MOMENTS]


@pytest.mark.spark
def test_collected_times_are_in_utc(spark: Any) -> None:
    rows = [(at, None) for at in MOMENTS]
    for name in ZONES:
        with zone(spark, name):
            frame = spark.createDataFrame(rows, "at timestamp, never timestamp")
            assert [(row["at"], row["never"]) for row in collect_rows(frame)] == rows


def test_a_time_without_a_zone_has_no_text() -> None:
    with pytest.raises(ValueError, match="has no time zone; pass a time with its zone"):
        time_text(datetime(2026, 1, 1))
