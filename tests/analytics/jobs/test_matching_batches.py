"""Events and subscriptions in Spark, where parts of a batch are empty."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from analytics.jobs.matching import BAD_VALUES, UNKNOWN_TOPIC, expected_hosts, match_counts
from analytics.subscriptions import read_subscriptions

pytestmark = pytest.mark.spark

NOON = datetime(2026, 3, 28, 12, tzinfo=UTC)
PUBLISHED = "topic string, publisher string, seq bigint, published_at timestamp, values string"
SUBSCRIPTIONS = {
    "topics": [
        {"name": name, "code": code, "attributes": [{"name": "x", "type": "int", "min": 0, "max": 9}]}
        for code, name in enumerate(("early", "heard", "silent"))
    ],
    "subscriptions": [
        {"id": "s1", "host": "h1", "topic": "heard", "filter": "x >= 5"},
        {"id": "s2", "host": "h2", "topic": "early", "filter": "", "from": "2026-03-28T13:00:00Z"},
    ],
}
BATCH = [("early", 1), ("heard", 2), ("heard", 7), ("silent", 3), ("heard", "bad"), ("silent", None)]


def published(spark: Any, batch: list[tuple[str, Any]]) -> Any:
    """Return the events of a batch, numbered in order."""
    rows = [(topic, "a1", n, NOON, json.dumps({"x": x})) for n, (topic, x) in enumerate(batch)]
    return spark.createDataFrame(rows, PUBLISHED).coalesce(1)


@pytest.fixture(scope="module")
def given(spark: Any) -> Any:
    return spark.sparkContext.broadcast(read_subscriptions(SUBSCRIPTIONS))


def test_topics_that_nobody_hears_and_events_before_a_subscription_have_no_host(
    spark: Any, given: Any
) -> None:
    found = expected_hosts(published(spark, [*BATCH, ("unknown", 1)]), given).collect()
    assert sorted((row.seq, row.host, row.problem) for row in found if row.host) == [(2, "h1", None)]
    assert {row.seq: row.problem for row in found if row.host is None} == {
        4: BAD_VALUES,
        5: BAD_VALUES,
        6: UNKNOWN_TOPIC,
    }


@pytest.mark.parametrize("batch", [BATCH[:1], [("silent", 3)], [("heard", "bad")], [("heard", 1)]])
def test_a_batch_without_any_host_is_no_error(spark: Any, given: Any, batch: list[tuple[str, Any]]) -> None:
    found = expected_hosts(published(spark, batch), given).collect()
    assert [row.problem for row in found] == ([BAD_VALUES] if batch == [("heard", "bad")] else [])


def test_counts_of_good_events_stand_beside_parts_that_are_all_bad(spark: Any, given: Any) -> None:
    found = match_counts(published(spark, [("heard", 7), ("silent", "bad"), ("early", 1)]), given).collect()
    assert sorted((row.seq, row.counts, row.problem) for row in found) == [
        (0, [1.0], None),
        (1, None, BAD_VALUES),
        (2, [0.0], None),
    ]
