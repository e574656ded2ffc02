"""Ranges of a cell: they contain exactly the events whose dz the cell covers."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace import dz
from tercast.eventspace.cell_bounds import cell_ranges
from tercast.eventspace.topic import Topic

sizes = st.lists(st.integers(1, 7), min_size=1, max_size=3)


@given(sizes, st.data())
def test_a_cell_holds_the_events_in_its_ranges_and_no_others(sizes, data):
    attributes = [{"name": f"a{n}", "type": "int", "min": 3, "max": 2 + size} for n, size in enumerate(sizes)]
    topic = Topic.from_json({"name": "t", "code": 0, "attributes": attributes})
    points = list(product(*(range(size) for size in sizes)))
    full = {at: topic.event_dz({f"a{n}": 3 + i for n, i in enumerate(at)}, 32) for at in points}
    whole = full[data.draw(st.sampled_from(points))]
    cell = dz.prefix(whole, data.draw(st.integers(0, dz.length(whole))))
    ranges = list(cell_ranges(topic, cell).values())
    inside = {at for at in points if all(low <= i <= high for i, (low, high) in zip(at, ranges, strict=True))}
    assert inside == {at for at in points if dz.covers(cell, full[at])}


def test_what_is_too_long_is_refused():
    topic = Topic.from_json({"name": "t", "code": 0, "attributes": [{"name": "a", "type": "bool"}]})
    with pytest.raises(ValueError, match="011 is longer"):
        cell_ranges(topic, dz.parse("011"))
