"""Events and subscriptions without Spark: hosts by the exact matcher, counts by brute force."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.jobs.matching import Counting, Wanting
from analytics.subscriptions import FOREVER, SubscriptionRow, read_subscriptions
from tercast.dimensions.spectral import select
from tercast.errors import RefusedMany
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter

TOPIC = Topic.from_json(
    {
        "name": "t",
        "code": 2,
        "attributes": [
            {"name": "a", "type": "int", "min": -2, "max": 3},
            {"name": "b", "type": "bool"},
            {"name": "c", "type": "enum", "values": ["x", "y", "z"]},
        ],
    }
)
SPACE = [{"a": a, "b": b, "c": c} for a, b, c in product(range(-2, 4), (False, True), "xyz")]
FILTERS = (
    "",
    "a >= 1",
    'a < 2.5 and c = "y"',
    "not b = true",
    "a = 3 or b = true",
    'a in (-2, 0) or a > 1 and c != "x"',
    "not (a > -1 and b = false)",
    'c >= "y" and a in [0, 2)',
)
ENTRIES = st.lists(
    st.builds(
        lambda text, host, start, length: SubscriptionRow(
            "s", host, Filter.parse(text, TOPIC), (start, start + length)
        ),
        st.sampled_from(FILTERS),
        st.sampled_from(["h1", "h2", "h3"]),
        st.sampled_from([-FOREVER, 0, 10]),
        st.sampled_from([5, 10, FOREVER]),
    ),
    min_size=1,
    max_size=8,
)


@given(ENTRIES, st.lists(st.integers(-5, 30), min_size=len(SPACE), max_size=len(SPACE)))
def test_hosts_are_those_whose_filters_match_at_that_time(
    entries: list[SubscriptionRow], times: list[int]
) -> None:
    found = Wanting(TOPIC, entries).hosts_of(SPACE, np.array(times, dtype=np.int64))
    wanted = {
        (row, entry.host)
        for row, (event, at) in enumerate(zip(SPACE, times, strict=True))
        for entry in entries
        if entry.span[0] <= at < entry.span[1] and entry.filter.matches(event)
    }
    assert len(found) == len(set(found))
    assert set(found) == wanted


@given(ENTRIES, st.lists(st.integers(-5, 30), min_size=len(SPACE), max_size=len(SPACE)))
def test_counts_are_those_of_each_attribute_alone(entries: list[SubscriptionRow], times: list[int]) -> None:
    found = Counting(TOPIC, entries).counts(SPACE, np.array(times, dtype=np.int64))
    for row, (event, at) in enumerate(zip(SPACE, times, strict=True)):
        live = [entry.filter for entry in entries if entry.span[0] <= at < entry.span[1]]
        for column, name in enumerate("abc"):
            alike = [other for other in SPACE if other[name] == event[name]]
            assert found[row, column] == sum(any(map(filter_.matches, alike)) for filter_ in live)


def test_attributes_are_kept_until_their_weights_reach_the_threshold() -> None:
    found = select(["a", "b", "c"], [5.0, 1.0, -1e-18], [-0.6, 0.0, 0.4], 0.6)
    assert (found.ranking, found.selected) == (("a", "c", "b"), ("a",))
    assert found.eigenvalues == (5.0, 1.0, 0.0)
    assert select(["a", "b", "c"], [0.0] * 3, [-0.6, 0.0, 0.4], 0.61).selected == ("a", "c")
    assert select(["a", "b"], [0.0] * 2, [0.0] * 2, 0.5).selected == ("a", "b")


def entry(**more: Any) -> dict[str, Any]:
    return {"id": "s", "host": "h", "topic": "t", "filter": "a > 0", **more}


def test_all_errors_with_subscriptions_are_reported() -> None:
    bad = [
        entry(filter="a > "),
        entry(**{"from": "noon"}),
        entry(until="2026-01-01", **{"from": "2026-01-01T00:00:00+00:00"}),
        entry(color="red"),
    ]
    with pytest.raises(RefusedMany) as raised:
        read_subscriptions({"topics": [TOPIC.to_json(), TOPIC.to_json()], "subscriptions": bad})
    lines = str(raised.value).splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "topics[1].name",
        "subscriptions[0].filter",
        "subscriptions[1].from",
        "subscriptions[2].until",
        "subscriptions[3].color",
    ]
    good = read_subscriptions(
        {"topics": [TOPIC.to_json()], "subscriptions": [entry(until="1970-01-01T00:00:01Z")]}
    )
    assert good.entries[0].span == (-FOREVER, 1_000_000)
