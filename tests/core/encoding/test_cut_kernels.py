"""Compiled encoding in spaces with cuts equals plain Python, in every bit."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.encoding.dispatch import dz_of_terms
from tercast.errors import Refused
from tercast.eventspace.topic import Enum, Float, Int, String, Topic
from tercast.filters.filter import Filter
from tercast.filters.place_terms import place_terms
from tercast.runtime import jit
from tests.property_profiles import examples
from tests.support.drawn_tests import drawn_attribute, drawn_test
from tests.support.kernel_modes import encoded_twice, restored_kernels  # noqa: F401 - fixture
from tests.support.space_strategies import cut_topics, filters

pytest.importorskip("numba")

DEPTHS = (1, 2, 3, 5, 8, 10, 20, 40, 80, 96, 112)
LIMITS = (1, 2, 3, 4, 7, 16, 17, 50)


@examples(600)
@given(st.data())
def test_all_types_and_operators(data: st.DataObject) -> None:
    topic = data.draw(cut_topics())
    drawn = data.draw(filters(topic))
    depth, limit = data.draw(st.sampled_from(DEPTHS)), data.draw(st.sampled_from(LIMITS))
    quick, plain = encoded_twice(drawn, depth, limit)
    assert quick == plain


def drawn_value(rng: random.Random, attribute: object) -> object:
    match attribute:
        case Int():
            return rng.randint(attribute.min, attribute.max)
        case Float():
            return rng.choice([rng.uniform(attribute.min, attribute.max), float(rng.randint(1, 99))])
        case Enum():
            return rng.choice(attribute.values)
        case String():
            return "".join(rng.choices("abcdefgé", k=rng.randint(1, 4)))
        case _:
            return True


def cut_topic(rng: random.Random, cuts: int) -> Topic:
    """Draw a topic with a tree of cuts at values of any attribute, and random weights."""
    topic = Topic("t", 1, tuple(drawn_attribute(rng, f"a{i}") for i in range(rng.randint(1, 5))))
    nodes: list[object] = [rng.randint(0, 9)]
    for _ in range(cuts):
        leaf = rng.choice([n for n, node in enumerate(nodes) if isinstance(node, int)])
        row = rng.choice(topic.attributes)
        wider = [*nodes[:leaf], [row.name, drawn_value(rng, row)], rng.randint(0, 999), rng.randint(0, 3)]
        try:
            topic.with_cuts([*wider, *nodes[leaf + 1 :]])
        except Refused:
            continue
        nodes = [*wider, *nodes[leaf + 1 :]]
    return topic.with_cuts(nodes if len(nodes) > 1 else [])


def drawn_filter(rng: random.Random, topic: Topic) -> Filter | None:
    boxes = []
    for _ in range(rng.choice([1, 1, 2, 4, 30])):
        rows = rng.sample(topic.attributes, rng.randint(1, len(topic.attributes)))
        boxes.append(" and ".join(drawn_test(rng, row) for row in rows))
    text = " or ".join(boxes)
    try:
        return Filter.parse(f"not ({text})" if rng.random() < 0.2 else text, topic)
    except Refused:
        return None


@pytest.mark.parametrize("seed", range(12))
def test_trees_with_many_cuts(seed: int) -> None:
    rng = random.Random(seed)
    topic = cut_topic(rng, rng.choice([5, 20, 60]))
    for _ in range(25):
        drawn = drawn_filter(rng, topic)
        if drawn is not None:
            quick, plain = encoded_twice(drawn, rng.choice(DEPTHS), rng.choice(LIMITS))
            assert quick == plain, drawn


def test_the_kernel_encodes_filters_of_all_types_at_full_depth() -> None:
    """At 96 bits, the depth of an IPv6 address, no filter is left to plain Python."""
    rows = (Int("n", 0, 1023), Int("big", 0, (1 << 100) - 1), Float("x", 0.0, 100.0), String("s"))
    topic = Topic("t", 1, rows, ("n", "x", "s")).with_cuts(
        [["s", "GO"], ["x", 0.1], 7, 90_000, ["big", 1 << 70], 3, ["n", 12], 5, 1]
    )
    jit.use(True)
    space = topic.cut_space(96)
    for text in (
        "n != 7",
        "x > 0.3 or x = 0.05",
        's prefix "G" and not (x in [0.05, 0.2] and n < 900)',
        "big in (1, 5, 1180591620717411303424) and n in (3, 9, 900)",
    ):
        drawn = Filter.parse(text, topic)
        terms = place_terms(drawn, space.attributes, space.positions)
        assert dz_of_terms(terms, space, 50, shares=False) is not None
        quick, plain = encoded_twice(drawn, 96, 50)
        assert quick == plain
        jit.use(True)
