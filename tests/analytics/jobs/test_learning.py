"""Learned event spaces: which subscriptions count, when there are too few events, and what a space saves."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from analytics.generate import GeneratedPlan, generate
from analytics.input.dataset_reader import Telemetry
from analytics.jobs.definitions import Task, run_learned_space
from analytics.jobs.learning import FEWEST, learn_space
from analytics.jobs.matching import BAD_VALUES, UNKNOWN_TOPIC, checked_events
from analytics.options import JobOptions
from analytics.subscriptions import Subscriptions, read_subscriptions
from analytics.times import micros
from tercast.eventspace.cut_tree import CutTree

START = datetime(2026, 3, 1, tzinfo=UTC)
TOPIC = {
    "name": "heat",
    "code": 2,
    "indexed": ["noise"],
    "attributes": [{"name": name, "type": "int", "min": 0, "max": 1023} for name in ("low", "noise")],
}


def wanted(*entries: tuple[str, str, Any, Any]) -> Subscriptions:
    rows = [
        {"id": f"q{n}", "host": host, "topic": "heat", "filter": text, "from": since, "until": until}
        for n, (host, text, since, until) in enumerate(entries)
    ]
    return read_subscriptions({"topics": [TOPIC], "subscriptions": rows})


def events(count: int) -> list[dict[str, int]]:
    return [{"low": n * 37 % 1024, "noise": n * 101 % 1024} for n in range(count)]


def options(**fields: Any) -> JobOptions:
    return JobOptions("nowhere", START + timedelta(days=1), **fields)


NARROW = [("h1", "low in [100, 199]", None, None), ("h2", "low in [600, 649]", None, None)]


def test_a_space_follows_the_filters_and_is_measured_on_held_back_events() -> None:
    row = learn_space("heat", events(400), wanted(*NARROW), options())
    assert row is not None
    assert (row["events"], row["subscriptions"], row["judged_by"]) == (400, 2, 200)
    assert row["unwanted"] == 0 and row["unwanted_before"] > row["delivered"] > 0
    assert row["delivered_before"] - row["unwanted_before"] == row["delivered"]
    tree = CutTree.from_json(json.loads(row["cuts"]), wanted().topics["heat"].attributes)
    assert {(cut.attribute, cut.value) for cut in tree.cuts()} >= {(0, 100), (0, 200), (0, 600), (0, 650)}


def test_only_subscriptions_at_the_end_of_the_time_count() -> None:
    noon, evening = START + timedelta(hours=12), START + timedelta(hours=18)
    entries = wanted(
        ("h1", "low < 9", None, noon.isoformat()),
        ("h2", "noise < 500", noon.isoformat(), evening.isoformat()),
    )
    row = learn_space("heat", events(200), entries, options(until=START + timedelta(hours=15)))
    assert row is not None and row["subscriptions"] == 1 and row["unwanted"] == 0
    assert "low" not in row["cuts"]
    assert learn_space("heat", events(200), entries, options(until=evening)) is None


def test_few_events_or_no_subscription_give_no_result() -> None:
    assert learn_space("heat", events(FEWEST - 1), wanted(*NARROW), options()) is None
    assert learn_space("heat", events(FEWEST), wanted(*NARROW), options()) is not None
    assert learn_space("heat", events(FEWEST), wanted(), options()) is None


def test_the_numbers_of_cuts_and_bits_are_limited() -> None:
    narrow = [(f"h{n}", f"low = {25 * n} and noise > {n}", None, None) for n in range(40)]
    row = learn_space("heat", events(600), wanted(*narrow), options(max_cuts=5))
    assert row is not None and len(json.loads(row["cuts"])) == 11
    short = learn_space("heat", events(600), wanted(*narrow), options(dz_length=3))
    assert short is not None and short["cells"] <= 8 * 40 and short["unwanted"] > row["unwanted"]


def test_events_that_do_not_fit_are_counted() -> None:
    notes: Counter[str] = Counter()
    rows = [
        {"topic": topic, "publisher": "a1", "seq": seq, "values": text}
        for seq, (topic, text) in enumerate(
            [("heat", '{"low": 1, "noise": 2}'), ("heat", '{"low": 1}'), ("cold", "{}"), ("heat", "[")]
        )
    ]
    found = checked_events([*reversed(rows)], wanted(), notes)
    assert found == {"heat": [{"low": 1, "noise": 2}]}
    assert notes == {BAD_VALUES: 2, UNKNOWN_TOPIC: 1}


@pytest.mark.spark
def test_spark_draws_the_sample_from_telemetry(spark: Any, tmp_path: Path) -> None:
    generate(tmp_path / "root", GeneratedPlan(3000, micros(START)))
    subscriptions = read_subscriptions(json.loads((tmp_path / "root" / "subscriptions.json").read_text()))
    chosen = JobOptions(
        str(tmp_path / "root"), START + timedelta(days=2), subscriptions=subscriptions, most=400, max_cuts=64
    )
    (row,) = run_learned_space(Task(Telemetry(spark, chosen), chosen))
    assert 400 <= row["events"] < 600 and row["judged_by"] == row["events"] // 2
    topic = subscriptions.topics[row["topic"]]
    learned = topic.with_indexed(row["indexed"]).with_cuts(json.loads(row["cuts"]))
    assert 0 < learned.cuts.count <= 64 and row["unwanted"] < row["unwanted_before"]
