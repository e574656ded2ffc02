"""Many events in spaces with cuts: the dz of each equals the dz of the event alone."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tercast.errors import Refused
from tercast.eventspace.cut_columns import cut_columns
from tercast.eventspace.event_encoder import event_dz_batch, event_indexes, indexes_dz_batch
from tercast.eventspace.topic import Float, Int, String, Topic
from tests.property_profiles import examples
from tests.support.space_strategies import cut_topics, events

NUMBERS = ("int", "int", "float", "bool", "enum")
DEPTHS = [1, 2, 4, 10, 48, 60, 61, 112, 120, 130]


def at_borders(topic: Topic, event: dict[str, Any]) -> list[dict[str, Any]]:
    """The event with each value at a cut of its attribute, and at the next double on both sides."""
    found = []
    for node in topic.cuts.cuts():
        attribute = topic.attributes[node.attribute]
        near = [node.value]
        if isinstance(attribute, Float):
            around = [math.nextafter(node.value, end) for end in (-math.inf, math.inf)]
            near += [value for value in around if attribute.min <= value <= attribute.max]
        found += [{**event, attribute.name: value} for value in near]
    return found


@examples(200)
@given(st.data())
def test_a_batch_equals_one_at_a_time(data: st.DataObject) -> None:
    topic = data.draw(cut_topics(NUMBERS))
    drawn = data.draw(st.lists(events(topic), min_size=1, max_size=8))
    rows = [*drawn, *at_borders(topic, drawn[0])]
    rows *= 1 + 32 // len(rows)
    depth = data.draw(st.sampled_from(DEPTHS))
    assert event_dz_batch(topic, rows, depth) == [topic.event_dz(row, depth) for row in rows]


@examples(100)
@given(st.data())
def test_a_batch_of_indexes_equals_its_first_places(data: st.DataObject) -> None:
    topic = data.draw(cut_topics(NUMBERS))
    assume(topic.cuts)
    rows = data.draw(st.lists(events(topic), min_size=1, max_size=8))
    depth = data.draw(st.sampled_from(DEPTHS))
    columns = event_indexes(topic, rows)
    attributes = [topic.attributes[i] for i in topic.coded_positions]
    space = topic.cut_space(depth)
    expected = [
        space.dz_at(
            {
                i: attribute.place_at(int(column[number]))
                for i, attribute, column in zip(topic.coded_positions, attributes, columns, strict=True)
            }
        )
        for number in range(len(rows))
    ]
    assert indexes_dz_batch(topic, columns, depth) == expected


@pytest.mark.parametrize("high", [4_294_967_296.0, 1e-300, 1e300, 10.0])
def test_floats_on_the_borders_of_cells(high: float) -> None:
    """The grid of the first leaf is that of the domain up to the double before the cut."""
    topic = Topic("t", 1, (Float("x", 0.0, high), Int("n", 0, 4))).with_cuts([["x", high / 2], 1, 1])
    steps = [high / 2 * i / 16 for i in range(17)]
    near = [math.nextafter(step, end) for step in steps for end in (-math.inf, math.inf)]
    rows = [{"x": x, "n": n} for x in (*steps, *near) if 0 <= x <= high for n in range(5)]
    assert event_dz_batch(topic, rows, 40) == [topic.event_dz(row, 40) for row in rows]


def test_a_chain_of_cuts_longer_than_a_word() -> None:
    nodes: list[object] = [node for n in range(1, 100) for node in (["n", n], 1)]
    topic = Topic("t", 1, (Int("n", 0, 1_000),)).with_cuts([*nodes, 1])
    rows = [{"n": n} for n in range(0, 1_001, 7)] + [{"n": n} for n in range(100)]
    for depth in (59, 60, 61, 70, 99, 120):
        assert event_dz_batch(topic, rows, depth) == [topic.event_dz(row, depth) for row in rows]


@pytest.mark.parametrize("size", [1 << 20, 1_000_003])
def test_dz_longer_than_a_word(size: int) -> None:
    draw = Random(size)
    attributes = tuple(Int(name, -5, size - 6) for name in "abcde")
    topic = Topic("t", 1, attributes).with_cuts([["a", 7], ["b", 500], 1, 1, ["c", 3], 1, 1])
    rows = [{name: draw.randrange(-5, size - 5) for name in "abcde"} for _ in range(100)]
    for depth in (58, 59, 60, 61, 62, 80, 101, 120):
        assert event_dz_batch(topic, rows, depth) == [topic.event_dz(row, depth) for row in rows]


def test_texts_and_long_dz_are_encoded_one_at_a_time() -> None:
    texts = Topic("t", 1, (String("s"), Int("n", 0, 9))).with_cuts([["s", "m"], 1, 1])
    rows = [{"s": text, "n": n} for text in ("a", "lz", "m", "zebra") for n in range(10)]
    assert cut_columns(texts.cut_space(30)) is None
    assert event_dz_batch(texts, rows, 30) == [texts.event_dz(row, 30) for row in rows]
    numbers = Topic("t", 1, (Int("n", 0, 9),)).with_cuts([["n", 3], 1, 1])
    assert cut_columns(numbers.cut_space(121)) is None and cut_columns(numbers.cut_space(120))


@pytest.mark.parametrize("wrong", [11, -1, "3", None, 2.5, True, 1 << 70])
def test_a_wrong_event_is_named_by_its_number(wrong: object) -> None:
    topic = Topic("t", 1, (Int("n", 0, 10),)).with_cuts([["n", 5], 1, 1])
    rows: list[dict[str, Any]] = [{"n": n % 11} for n in range(40)]
    rows[33] = {"n": wrong}
    with pytest.raises(Refused) as caught:
        event_dz_batch(topic, rows, 10)
    assert caught.value.path[0] == 33
