"""The identity of a filter: equal identities mean that the same events match."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace.topic import Bool, Enum, Float, Int, String, Topic
from tercast.filters.filter import Filter
from tercast.filters.identity import identity
from tests.property_profiles import examples
from tests.support.space_strategies import events, filters, topics

TOPIC = Topic(
    "t", 0, (Int("a", 0, 100), Float("f", 0.0, 9.0), Bool("b"), Enum("side", ("buy", "sell")), String("s"))
)
OTHERWISE_INDEXED = TOPIC.with_indexed(["f", "s"])
LONG = "abcdefghijklmnop"  # 16 bytes: other texts share its point

EQUAL = [
    ("a in [1, 2]", "a >= 1 and a <= 2", "a<=2 and a>=1", "(a > 0) and not a > 2", "a = 1 or a = 2"),
    ("true", "", "a >= 0", "b = true or b = false", "not a > 100"),
    ("f = 1", "f = 1.0", "f >= 1 and f <= 1.0"),
    ("f < 0.5 or a = 1", "a = 1 or f < 0.5"),
    ('side = "buy"', 'side != "sell"', 'side in ("buy")'),
    ('s = "x"', 's in ("x")'),
]
UNEQUAL = [
    ("a < 5", "a <= 5", "a < 6 and f < 1", "f < 5"),
    (f's = "{LONG}"', f's = "{LONG}q"', f'not s = "{LONG}"', f's >= "{LONG}"', f's > "{LONG}"'),
    ('s = "x"', 's = "y"', 's = "X"'),
]


@pytest.mark.parametrize("texts", EQUAL)
def test_other_words_for_the_same_events(texts: tuple[str, ...]) -> None:
    assert (
        len({identity(Filter.parse(text, topic)) for text in texts for topic in (TOPIC, OTHERWISE_INDEXED)})
        == 1
    )


@pytest.mark.parametrize("texts", UNEQUAL)
def test_other_events(texts: tuple[str, ...]) -> None:
    assert len({identity(Filter.parse(text, TOPIC)) for text in texts}) == len(texts)


@examples(60)
@given(st.data())
def test_equal_identities_match_the_same_events(data: st.DataObject) -> None:
    topic = data.draw(topics())
    drawn = data.draw(st.lists(filters(topic), min_size=2, max_size=8))
    drawn += [Filter.parse(str(one), topic) for one in drawn]
    some = [topic.check(values) for values in data.draw(st.lists(events(topic), max_size=20))]
    for one, other in pairwise(sorted(drawn, key=identity)):
        if identity(one) == identity(other):
            assert [one.matches(values) for values in some] == [other.matches(values) for values in some]
