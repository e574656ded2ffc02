"""Special cases of single transforms, on tiny frames."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from analytics.spark.session import first_line
from analytics.transforms.dimension_selection import events_of_topic, spectrum
from analytics.transforms.flow_table_size import flow_table_size
from analytics.transforms.publisher_load import publisher_load
from analytics.transforms.request_latency import latest_stage

pytestmark = pytest.mark.spark

START = datetime(2026, 3, 29, 0, 59, 59, tzinfo=UTC)
PUBLISHED = "topic string, publisher string, seq bigint, published_at timestamp, dz string"
REQUESTS = (
    "request bigint, kind string, received_at timestamp, started_at timestamp, computed_at timestamp, "
    "confirmed_at timestamp, status string"
)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def rows(frame: Any) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in frame.collect()]


def test_loads_of_one_moment_have_no_rate_and_depth_nought_one_cell(spark: Any) -> None:
    frame = spark.createDataFrame([("t", "a1", 1, at(0), "01"), ("t", "a1", 2, at(0), None)], PUBLISHED)
    [row] = rows(publisher_load(frame, 0))
    assert row == {
        "publisher": "a1",
        "events": 2,
        "events_per_s": None,
        "dz_histogram": {"": 1},
        "without_dz": 1,
    }


def test_rates_are_of_the_time_that_was_asked_for(spark: Any) -> None:
    frame = spark.createDataFrame([("t", f"a{i}", i, at(i), "01") for i in range(3)], PUBLISHED)
    assert [row["events_per_s"] for row in rows(publisher_load(frame, 1).orderBy("publisher"))] == [0.5] * 3
    whole = publisher_load(frame, 1, at(0), at(10))
    assert [row["events_per_s"] for row in rows(whole)] == [0.1] * 3


def test_rows_of_one_key_that_differ_count_once_in_any_order(spark: Any) -> None:
    two = [("t", "a1", 1, at(0), "11"), ("t", "a1", 1, at(5), "00")]
    answers = [rows(publisher_load(spark.createDataFrame(order, PUBLISHED), 2)) for order in (two, two[::-1])]
    assert answers[0] == answers[1]
    assert (answers[0][0]["events"], answers[0][0]["dz_histogram"]) == (1, {"00": 1})


def test_occupancy_is_of_the_budget_of_its_time(spark: Any) -> None:
    snapshots = [(at(0), "s", 30, 40), (at(1), "s", 30, 60), (at(2), "s", 90, None), (at(3), "s", 1, 0)]
    frame = spark.createDataFrame(snapshots, "taken_at timestamp, switch string, entries int, budget int")
    found = sorted(rows(flow_table_size(frame, 1_500_000)), key=lambda row: row["window_start"])
    assert [(row["budget"], row["occupancy_max"]) for row in found] == [(40, 0.75), (None, 0.5), (0, None)]
    assert [row["entries_max"] for row in found] == [30, 90, 1]


def test_the_latest_stage_wins_then_a_final_status(spark: Any) -> None:
    stages = [
        (1, "subscribe", at(0), at(1), at(2), None, "failed"),
        (1, "subscribe", at(0), at(1), at(2), None, "deploying"),
        (1, "subscribe", at(9), None, None, None, "queued"),
        (2, None, at(0), None, None, None, None),
    ]
    for order in (stages, stages[::-1]):
        found = rows(latest_stage(spark.createDataFrame(order, REQUESTS)).orderBy("request"))
        assert [(row["kind"], row["computed_at"] is not None, row["status"]) for row in found] == [
            ("subscribe", True, "failed"),
            (None, False, None),
        ]


def test_the_last_events_alone_are_looked_at(spark: Any) -> None:
    rows = [("t", "a1", i, i, [float(i % 2), 5.0 if i < 7 else 1.0], None) for i in range(10)]
    rows += [("other", "a1", 1, 99, [9.0, 9.0], None), ("t", "a1", 50, None, None, "bad")]
    schema = "topic string, publisher string, seq bigint, at bigint, counts array<double>, problem string"
    frame = spark.createDataFrame(rows + rows[-3:], schema)
    number, eigenvalues, first = spectrum(events_of_topic(frame, "t", 3), 2)
    assert number == 3
    assert eigenvalues == pytest.approx([2 / 3, 0.0], abs=1e-12)
    assert [abs(value) for value in first] == pytest.approx([1.0, 0.0], abs=1e-12)
    assert spectrum(events_of_topic(frame, "t", 1), 2) == (1, [0.0, 0.0], [0.0, 0.0])
    assert spectrum(events_of_topic(frame, "none", None), 2) == (0, [0.0, 0.0], [0.0, 0.0])


def test_an_error_of_a_worker_is_reported_by_its_last_line(spark: Any) -> None:
    def fail(_: Any) -> Any:
        raise KeyError("no such thing")

    with pytest.raises(Exception, match="no such thing") as raised:
        spark.range(1).mapInPandas(fail, "id bigint").collect()
    assert first_line(raised.value) == "KeyError: 'no such thing'"
