"""Compiled encoding of any filter of any types equals plain Python, in every bit."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.encoding.dispatch import dz_of_parts
from tercast.encoding.encoder import _sides, encode_dz
from tercast.errors import Refused
from tercast.eventspace.topic import Attribute, Enum, Int, String, Topic
from tercast.filters.filter import Filter
from tercast.runtime import jit
from tests.property_profiles import examples
from tests.support.drawn_tests import drawn_attribute, drawn_test
from tests.support.kernel_modes import encoded_twice, restored_kernels  # noqa: F401 - fixture
from tests.support.space_strategies import filters, topics

pytest.importorskip("numba")

DEPTHS = (1, 3, 5, 8, 10, 20, 40, 80, 112)
LIMITS = (1, 2, 3, 4, 7, 16, 17, 50)


@examples(600)
@given(st.data())
def test_all_types_and_operators(data: st.DataObject) -> None:
    topic = data.draw(topics())
    drawn = data.draw(filters(topic))
    depth, limit = data.draw(st.sampled_from(DEPTHS)), data.draw(st.sampled_from(LIMITS))
    quick, plain = encoded_twice(drawn, depth, limit)
    assert quick == plain


def drawn_text(rng: random.Random, topic: Topic) -> str:
    boxes = []
    for _ in range(rng.choice([1, 1, 2, 3, 5, 8, 30])):
        tested = rng.sample(topic.attributes, rng.randint(1, len(topic.attributes)))
        boxes.append(" and ".join(drawn_test(rng, attribute) for attribute in tested))
    text = " or ".join(boxes)
    return f"not ({text})" if rng.random() < 0.2 else text


@pytest.mark.parametrize("count", [25, pytest.param(600, marks=pytest.mark.full)])
def test_many_boxes_and_large_domains(count: int) -> None:
    rng = random.Random(count)
    for _ in range(count):
        rows = tuple(drawn_attribute(rng, f"x{i}") for i in range(rng.randint(1, 4)))
        topic = Topic("t", 1, rows)
        text = drawn_text(rng, topic)
        depth, limit = rng.choice(DEPTHS), rng.choice(LIMITS)
        try:
            drawn = Filter.parse(text, topic)
        except Refused as refused:
            assert refused.code == "matches_nothing"
            continue
        quick, plain = encoded_twice(drawn, depth, limit)
        assert quick == plain, (rows, text, depth, limit)


def test_hundreds_of_boxes() -> None:
    rng = random.Random(7)
    topic = Topic("t", 1, tuple(Int(f"x{i}", 0, 1023) for i in range(5)))
    terms = []
    for _ in range(200):
        tested = rng.sample(range(5), 2)
        terms.append(" and ".join(f"x{i} in [{(low := rng.randrange(1000))}, {low + 20}]" for i in tested))
    quick, plain = encoded_twice(Filter.parse(" or ".join(terms), topic), 50, 16)
    assert quick == plain


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ((String("s"), Int("n", 0, 99)), 's prefix "a" or n != 7'),
        ((Enum("e", tuple("abcde")), Enum("f", tuple("xyz"))), 'e != "c" or f in ("x", "z")'),
        ((Int("n", 0, 10**18),), "n in (5, 77, 1000000007)"),
        ((Int("n", 0, 1023), Int("m", 0, 1023)), "not (n in [3, 70] and m > 5)"),
    ],
)
def test_the_kernel_encodes_each_kind(attributes: tuple[Attribute, ...], text: str) -> None:
    topic = Topic("t", 1, attributes)
    drawn, schedule = Filter.parse(text, topic), topic.schedule(100)
    jit.use(True)
    found = dz_of_parts(_sides(drawn, schedule), schedule, 16)
    jit.use(False)
    assert found
    assert found[0] == encode_dz(drawn, 100, 16)
