"""The dz of events: straight descent, values near cell borders, and batches."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.errors import Refused
from tercast.eventspace import dz
from tercast.eventspace.event_encoder import event_dz_batch
from tercast.eventspace.topic import Attribute, Enum, Float, Int, String, Topic
from tests.property_profiles import examples
from tests.support.space_judge import descend
from tests.support.space_strategies import events, topics

DEPTHS = (1, 2, 5, 9, 20, 31, 48, 61, 75, 112, 130)


def exact(attribute: Attribute, value: Any) -> Any:
    """The value as the point that the definition descends with."""
    if isinstance(attribute, Float):
        return Fraction(value)
    if isinstance(attribute, String):
        return int.from_bytes(value.encode()[:16].ljust(16, b"\0"), "big")
    if isinstance(attribute, Enum):
        return attribute.values.index(value)
    return int(value) - attribute.domain[0]


def by_descent(topic: Topic, values: dict[str, Any], depth: int) -> str:
    points = {
        i: exact(topic.attributes[i], values[topic.attributes[i].name]) for i in topic.indexed_positions
    }
    return descend(topic, points, depth)


@examples(300)
@given(st.data())
def test_descends_to_the_half_that_holds_the_point(data: st.DataObject) -> None:
    topic = data.draw(topics())
    values = data.draw(events(topic))
    for depth in DEPTHS:
        assert dz.text(topic.event_dz(values, depth)) == by_descent(topic, values, depth)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100, 1000, 1025, 4095, 4097, 70_000, 10**6])
def test_integer_domains_of_any_size(size: int) -> None:
    topic = Topic("t", 0, (Int("a", 10, 9 + size), Int("b", 0, 6)))
    some = {
        10,
        9 + size,
        10 + size // 2,
        10 + size // 3,
        *random.Random(size).sample(range(10, 10 + size), min(size, 40)),
    }
    for value, other in itertools.product(some, (0, 3, 6)):
        for depth in (3, 15, 22, 40):
            values = {"a": value, "b": other}
            assert dz.text(topic.event_dz(values, depth)) == by_descent(topic, values, depth)


DOMAINS = [
    (0.0, 100.0),
    (0.0, 1024.0),
    (0.1, 0.7),
    (-1.5, 1.5),
    (1e-310, 5e-310),
    (0.0, 5e-324),
    (-1e308, 1.7e308),
    (1e15, 1e15 + 3),
    (-0.1, 0.2),
    (3.3, 1e9),
    (-1e-200, 1e200),
]


def near_borders(low: float, high: float) -> list[float]:
    rng = random.Random(f"{low} {high}")
    out = [low, high]
    for _ in range(200):
        cell = rng.choice([rng.randrange(1 << 32), rng.randrange(64) << 26])
        border = float(Fraction(low) + (Fraction(high) - Fraction(low)) * cell / (1 << 32))
        out += [border, math.nextafter(border, -math.inf), math.nextafter(border, math.inf)]
        out.append(float(Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(rng.random())))
    return [value for value in out if low <= value <= high]


@pytest.mark.parametrize(("low", "high"), DOMAINS)
def test_floats_near_cell_borders_are_exact(low: float, high: float) -> None:
    topic = Topic("t", 0, (Float("x", low, high),))
    values = near_borders(low, high)
    span = Fraction(high) - Fraction(low)
    cells = [min((Fraction(v) - Fraction(low)) * (1 << 32) // span, (1 << 32) - 1) for v in values]
    expected = [1 << 32 | cell for cell in cells]
    assert [topic.event_dz({"x": value}, 40) for value in values] == expected
    assert event_dz_batch(topic, [{"x": value} for value in values], 40) == expected


def test_the_upper_end_of_a_float_domain_is_in_the_last_cell() -> None:
    topic = Topic("t", 0, (Float("x", 0.0, 1.0),))
    assert dz.text(topic.event_dz({"x": 1.0}, 50)) == "1" * 32
    assert dz.text(topic.event_dz({"x": 0.5}, 3)) == "100"


@examples(200)
@given(st.data())
def test_a_batch_is_the_same_as_one_at_a_time(data: st.DataObject) -> None:
    kinds = data.draw(
        st.sampled_from([("int", "enum", "float", "bool"), ("float",), ("int", "string", "bool")])
    )
    topic = data.draw(topics(kinds))
    batch = data.draw(st.lists(events(topic), max_size=20))
    depth = data.draw(st.sampled_from(DEPTHS))
    assert event_dz_batch(topic, batch, depth) == [topic.event_dz(values, depth) for values in batch]


@pytest.mark.parametrize(
    "attributes",
    [
        (Int("a", -(1 << 62), 1 << 61), Int("b", -3, 1000)),
        (Int("a", -(1 << 80), 1 << 80), Int("b", 0, 1)),
        (Int("a", 1 << 80, (1 << 80) + 9), Int("b", 0, 4)),
        (Int("a", 0, (1 << 64) - 1), Int("b", 0, 5)),
        (Int("a", 0, 10**6), Int("b", 0, 10**6)),
    ],
)
@pytest.mark.parametrize("depth", [7, 40, 62, 100])
def test_a_batch_of_integers_of_any_size(attributes: tuple[Int, ...], depth: int) -> None:
    topic = Topic("t", 0, attributes)
    rng = random.Random(depth)
    batch = [{a.name: rng.randint(a.min, a.max) for a in attributes} for _ in range(300)]
    batch += [{a.name: end(a) for a in attributes} for end in (lambda a: a.min, lambda a: a.max)]
    assert event_dz_batch(topic, batch, depth) == [topic.event_dz(values, depth) for values in batch]


def test_a_batch_of_floats_may_hold_integers() -> None:
    topic = Topic("t", 0, (Float("x", 0.0, 100.0),))
    assert event_dz_batch(topic, [{"x": 5}, {"x": 5.0}], 20) == [topic.event_dz({"x": 5.0}, 20)] * 2


@pytest.mark.parametrize("wrong", [101, -1, True, None, "5", 3.5, 1 << 70])
def test_a_batch_names_the_event_that_is_wrong(wrong: object) -> None:
    topic = Topic("t", 0, (Int("n", 0, 100),))
    with pytest.raises(Refused) as caught:
        event_dz_batch(topic, [{"n": 5}, {"n": 6}, {"n": wrong}], 20)
    assert caught.value.path == (2, "n")
    with pytest.raises(Refused) as caught:
        event_dz_batch(topic, [{"n": 5}, {}], 20)
    assert (caught.value.path, caught.value.code) == ((1, "n"), "missing_attribute")


def test_a_batch_of_texts_names_the_event_that_is_wrong() -> None:
    topic = Topic("t", 0, (String("s"), Int("n", 0, 9)))
    for wrong in (5, None, "a\0"):
        with pytest.raises(Refused) as caught:
            event_dz_batch(topic, [{"s": "a", "n": 1}, {"s": wrong, "n": 1}], 20)
        assert caught.value.path == (1, "s")


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 100.5, True, "1"])
def test_a_batch_of_floats_refuses_what_one_refuses(wrong: object) -> None:
    topic = Topic("t", 0, (Float("x", 0.0, 100.0),))
    with pytest.raises(Refused) as caught:
        event_dz_batch(topic, [{"x": 5.0}, {"x": wrong}], 20)
    assert caught.value.path == (1, "x")


def test_depth_is_at_least_one_bit() -> None:
    topic = Topic("t", 0, (Int("n", 0, 100),))
    for depth in (0, -1, 100_000, True):
        with pytest.raises(Refused):
            topic.event_dz({"n": 1}, depth)


def test_a_wrong_event_far_behind_is_named_by_its_number() -> None:
    topic = Topic("t", 0, (Int("a", 0, 1023), Int("b", 0, 1023)))
    events = [{"a": n % 1024, "b": 7} for n in range(20_000)]
    singly = [topic.event_dz(event, 20) for event in events]
    assert event_dz_batch(topic, events, 20) == singly
    events[17_001] = {"a": 5, "b": 1024}
    with pytest.raises(Refused, match=r"17001"):
        event_dz_batch(topic, events, 20)
