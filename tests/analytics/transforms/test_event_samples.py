"""Samples of published events: deterministic, a share of each publisher's load, and never too large."""

from __future__ import annotations

import json
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from analytics.generate import GeneratedPlan, generate
from analytics.input.dataset_reader import Telemetry
from analytics.jobs.definitions import Task, run_event_samples
from analytics.options import JobOptions
from analytics.times import micros
from analytics.transforms.event_samples import LEAST, event_samples, quotas

pytestmark = pytest.mark.spark

START = datetime(2026, 3, 29, tzinfo=UTC)
SCHEMA = "topic string, publisher string, seq bigint, published_at timestamp, values string"
LOADS = {("t", "a1"): 4000, ("t", "a2"): 1000, ("t", "a3"): 5, ("u", "a4"): 30}


def events() -> list[tuple[Any, ...]]:
    return [
        (topic, publisher, n, START + timedelta(seconds=n), f'{{"n": {n}}}')
        for (topic, publisher), count in LOADS.items()
        for n in range(count)
    ]


def sampled(spark: Any, rows: list[tuple[Any, ...]], most: int) -> set[tuple[Any, ...]]:
    found = event_samples(spark.createDataFrame(rows, SCHEMA), most).collect()
    keys = {(row["topic"], row["publisher"], row["seq"]) for row in found}
    assert len(keys) == len(found)
    assert all(row["values"] == f'{{"n": {row["seq"]}}}' for row in found)
    return keys


def test_each_publisher_has_its_share_and_a_few_at_least(spark: Any) -> None:
    keys = sampled(spark, events(), 500)
    counts = {pair: sum(key[:2] == pair for key in keys) for pair in LOADS}
    assert counts == {("t", "a1"): 400, ("t", "a2"): 100, ("t", "a3"): 5, ("u", "a4"): 30}
    by_load = {
        row["publisher"]: (row["events"], row["quota"])
        for row in quotas(spark.createDataFrame(events(), SCHEMA), 50).collect()
    }
    assert by_load == {"a1": (4000, 40), "a2": (1000, LEAST), "a3": (5, 5), "a4": (30, 30)}


def test_order_copies_and_other_topics_change_nothing(spark: Any) -> None:
    rows = events()
    first = sampled(spark, rows, 300)
    again = rows * 2
    random.Random(1).shuffle(again)
    assert sampled(spark, again, 300) == first
    alone = [row for row in rows if row[0] == "t"]
    assert sampled(spark, alone, 300) == {key for key in first if key[0] == "t"}


def test_a_sample_is_spread_over_all_times_and_grows_by_itself(spark: Any) -> None:
    small, large = sampled(spark, events(), 100), sampled(spark, events(), 500)
    assert small < large
    seqs = sorted(seq for _, publisher, seq in large if publisher == "a1")
    assert seqs[20] < 800 and seqs[-20] > 3200 and max(b - a for a, b in pairwise(seqs)) < 200


def test_a_sample_is_drawn_from_telemetry_of_the_time_that_is_asked_for(spark: Any, tmp_path: Path) -> None:
    generate(tmp_path / "root", GeneratedPlan(2000, micros(START)))
    until = START + timedelta(hours=12)
    options = JobOptions(
        str(tmp_path / "root"), START + timedelta(days=2), since=START, until=until, most=160
    )
    rows = run_event_samples(Task(Telemetry(spark, options), options))
    assert Counter(row["publisher"] for row in rows) == {f"a{n}": LEAST for n in range(8)}
    times = [row["published_at"].replace(tzinfo=UTC) for row in rows]
    assert min(times) >= START and max(times) < until
    assert all(json.loads(row["values"]).keys() == {"price", "volume", "venue"} for row in rows)


def test_events_without_values_are_no_samples(spark: Any) -> None:
    rows = [("t", "a1", n, START, None if n % 2 else f'{{"n": {n}}}') for n in range(40)]
    assert {seq for _, _, seq in sampled(spark, rows, 100)} == set(range(0, 40, 2))
