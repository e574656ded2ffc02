"""The realistic mix of filters: a fifth has other operators, and all can be parsed."""

from __future__ import annotations

import pytest

from mininet_labs.figures.workloads.mixed import KINDS, SHARE, MixedFilters, mixed_topic
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter

MARKS = {"or": " or ", "in": " in (", "not": " not (", "!=": "!=", "string": "symbol =", "prefix": "prefix"}


def test_a_fifth_of_the_filters_is_not_a_conjunction_of_ranges() -> None:
    filters = MixedFilters(5, 1)
    texts = [filters.draw() for _ in range(2_000)]
    others = [text for text in texts if any(mark in text for mark in MARKS.values())]
    assert abs(len(others) / len(texts) - SHARE) < 0.04


@pytest.mark.parametrize("kind", KINDS)
def test_filters_of_each_kind_can_be_parsed(kind: str) -> None:
    topic = Topic.from_json(mixed_topic(5))
    filters = MixedFilters(5, 2)
    texts = [filters.draw_kind(kind) for _ in range(100)]
    assert all(Filter.parse(text, topic).terms for text in texts)
    assert sum(MARKS[kind] in text for text in texts) > 50


def test_the_same_seed_draws_the_same_filters() -> None:
    first, second = MixedFilters(3, 7), MixedFilters(3, 7)
    assert [first.draw() for _ in range(50)] == [second.draw() for _ in range(50)]
