"""The batch matcher finds the same hosts as the exact matcher does for each event."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace.counted_attributes import Int
from tercast.eventspace.float_attribute import Float
from tercast.eventspace.topic import Topic
from tercast.filters import batch_matcher as module
from tercast.filters.batch_matcher import Audience
from tercast.filters.filter import Filter
from tests.property_profiles import examples
from tests.support.space_strategies import events, filters, topics

HOSTS = 4


def matched(wanted: list[tuple[int, Filter]], some: list[dict[str, Any]]) -> list[list[bool]]:
    return [
        [any(host == other and filter_.matches(values) for other, filter_ in wanted) for host in range(HOSTS)]
        for values in some
    ]


@pytest.mark.parametrize("room", [1 << 25, 40])
@examples(150)
@given(st.data())
def test_hosts_want_what_their_filters_match(room: int, data: st.DataObject) -> None:
    """With a `room` of few bytes, the matcher computes new rows after every few events."""
    topic = data.draw(topics())
    wanted = data.draw(st.lists(st.tuples(st.integers(0, HOSTS - 1), filters(topic)), max_size=12))
    some = [topic.check(values) for values in data.draw(st.lists(events(topic), max_size=30))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_ROWS_BYTES", room)
        found = Audience(topic, wanted, HOSTS).wanting(some)
    assert found.shape == (len(some), HOSTS)
    assert found.tolist() == matched(wanted, some)


@pytest.mark.parametrize(
    ("attribute", "texts", "values"),
    [
        (
            Float("x", -1e300, 1e300),
            ["x > 9007199254740993", "x <= 9007199254740992"],
            [2.0**53, 2.0**53 + 2],
        ),
        (Float("x", 0.0, 1.0), ["x > 0.1", "x >= 0.1", "x = 0.1", "x < 1", "x <= 1"], [0.1, 0.0, 1.0, 0.2]),
        (Int("x", -(1 << 80), 1 << 80), [f"x < {1 << 70}", f"x = {1 << 70}"], [1 << 70, (1 << 70) - 1, -5]),
        (Int("x", -3, 3), ["x > 0.5", "x < -0.5", "x in (1.0, 2.5)"], [-3, -1, 0, 1, 2, 3]),
    ],
)
def test_borders_are_exact(attribute: Any, texts: list[str], values: list[Any]) -> None:
    topic = Topic("t", 1, (attribute,))
    wanted = [(host % HOSTS, Filter.parse(text, topic)) for host, text in enumerate(texts)]
    some = [topic.check({"x": value}) for value in values]
    assert Audience(topic, wanted, HOSTS).wanting(some).tolist() == matched(wanted, some)


def test_nobody_and_everybody() -> None:
    topic = Topic("t", 1, (Int("x", 0, 9),))
    assert not Audience(topic, [], HOSTS).wanting([{"x": 1}, {"x": 2}]).any()
    found = Audience(topic, [(2, Filter.everything(topic))] * 9, HOSTS).wanting([{"x": 1}])
    assert np.flatnonzero(found[0]).tolist() == [2]
