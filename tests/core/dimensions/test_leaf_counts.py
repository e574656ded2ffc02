"""Boxes and events on both sides of a cut are counted correctly, in both ways."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tercast.dimensions.leaf_counts import CANDIDATES, dense_counts, sorted_counts
from tests.property_profiles import examples


@examples(300)
@given(st.data())
def test_both_ways_count_what_a_loop_counts(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, 20))
    end = start + data.draw(st.integers(1, 200))
    boxes = data.draw(st.lists(st.tuples(st.integers(0, end - 1), st.integers(1, 250)), max_size=90))
    boxes = [(low, low + width) for low, width in boxes if low + width > start]
    events = data.draw(st.lists(st.integers(start, end - 1), max_size=60))
    bounds = sorted({step for box in boxes for step in box if start < step < end})
    if len(bounds) > CANDIDATES:
        bounds = [bounds[i] for i in np.linspace(0, len(bounds) - 1, CANDIDATES).astype(int)]
    expected = [
        bounds,
        [sum(high <= step for _, high in boxes) for step in bounds],
        [sum(low >= step for low, _ in boxes) for step in bounds],
        [sum(event < step for event in events) for step in bounds],
    ]
    low, high = (np.array([box[i] for box in boxes], np.int32) for i in range(2))
    columns = (low, high, np.array(events, np.int32), start, end)
    assert [part.tolist() for part in dense_counts(*columns)] == expected
    assert [part.tolist() for part in sorted_counts(*columns)] == expected
