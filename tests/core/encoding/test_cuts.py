"""Filters and events in event spaces with cuts: the cells of the definition, and no lost event."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tercast.encoding.encoder import encode, encode_dz
from tercast.eventspace import dz
from tercast.eventspace.cell_bounds import cell_intervals
from tercast.eventspace.topic import Float, Int, Topic
from tercast.filters.filter import Filter
from tercast.verification.encoding_check import missing
from tests.property_profiles import examples
from tests.support.space_judge import cut_point, descend, dz_set
from tests.support.space_strategies import cut_topics, events, filters

MANY = 1_000


@examples(300)
@given(st.data())
def test_filters_have_the_cells_of_the_definition(data: st.DataObject) -> None:
    topic = data.draw(cut_topics())
    drawn = data.draw(filters(topic))
    depth = data.draw(st.integers(1, 7))
    expected = dz_set(drawn.tree, topic, depth)
    assert [dz.text(cell) for cell in encode_dz(drawn, depth, MANY)] == expected
    assert [dz.text(cell) for cell in encode_dz(drawn, depth, max(1, len(expected)))] == expected


@examples(300)
@given(st.data())
def test_events_have_the_dz_of_the_definition(data: st.DataObject) -> None:
    topic = data.draw(cut_topics())
    values = data.draw(events(topic))
    depth = data.draw(st.sampled_from([1, 2, 4, 10, 48, 112]))
    points = {
        i: Fraction(values[row.name]) if isinstance(row, Float) else cut_point(row, values[row.name])
        for i, row in enumerate(topic.attributes)
    }
    assert dz.text(topic.event_dz(values, depth)) == descend(topic, points, depth)


@examples(300)
@given(st.data())
def test_no_event_is_lost_and_the_limit_holds(data: st.DataObject) -> None:
    topic = data.draw(cut_topics())
    drawn = data.draw(filters(topic))
    depth = data.draw(st.sampled_from([1, 4, 10, 30, 112]))
    exact = encode_dz(drawn, min(depth, 10), 4_096)
    for limit in (1, 2, 3, 5, 50):
        made = encode(drawn, depth, limit)
        assert len(made.dz) <= limit and dz.canonical(made.dz) == made.dz
        assert made.dz == encode_dz(drawn, depth, limit)
        assert depth > 10 or dz.set_covers(made.dz, exact)
        assert 0 <= made.volume <= made.covered <= 1
        values = data.draw(events(topic))
        if drawn.matches(values):
            assert dz.set_covers(made.dz, (topic.event_dz(values, depth),))


@examples(200)
@given(st.data())
def test_the_check_finds_each_removed_cell(data: st.DataObject) -> None:
    topic = data.draw(cut_topics())
    drawn = data.draw(filters(topic))
    depth = data.draw(st.sampled_from([4, 10, 112]))
    cells = encode_dz(drawn, depth, data.draw(st.sampled_from([1, 5, 50])))
    assert not list(missing(drawn, cells))
    exact = encode_dz(drawn, 6, 4_096)
    gone = data.draw(st.sampled_from(exact))
    found = list(missing(drawn, tuple(cell for cell in exact if cell != gone)))
    assert found and all(dz.covers(gone, cell) or dz.covers(cell, gone) for cell in found)


@examples(200)
@given(st.data())
def test_a_cell_contains_the_events_within_its_intervals_and_no_others(data: st.DataObject) -> None:
    topic = data.draw(cut_topics())
    values = data.draw(events(topic))
    whole = topic.event_dz(data.draw(events(topic)), 30)
    cell = dz.prefix(whole, data.draw(st.integers(0, dz.length(whole))))
    inside = all(
        low <= attribute.before(attribute_value) < high
        for name, (low, high) in cell_intervals(topic, cell).items()
        for attribute, attribute_value in [(topic.attribute(name), values[name])]
    )
    assert inside == dz.covers(cell, topic.event_dz(values, 30))


def test_a_filter_between_two_doubles_has_the_cells_of_the_lower_one() -> None:
    """No event matches it, and without cells it could not be registered."""
    topic = Topic("t", 1, (Float("x", 0.0, 1.0), Int("n", 0, 9))).with_cuts([["x", 0.5], 1, ["n", 4], 1, 1])
    nothing = Filter.parse("x > 0.3 and x < 0.30000000000000004", topic)
    cells = encode(nothing, 30, 50).dz
    assert not list(missing(nothing, cells))
    for n in range(10):
        inside = [dz.set_covers(cells, (topic.event_dz({"x": x, "n": n}, 30),)) for x in (0.29, 0.3, 0.31)]
        assert inside == [False, True, False]
    either = Filter.parse("x > 0.3 and x < 0.30000000000000004 or n = 9", topic)
    assert encode_dz(either, 20, 50) == encode_dz(Filter.parse("n = 9", topic), 20, 50)


def test_a_cell_of_a_single_double_has_no_volume() -> None:
    """A cut at the upper border is learned from a filter such as `x = 1`."""
    topic = Topic("t", 1, (Float("x", 0.0, 1.0), Int("n", 0, 9))).with_cuts([["x", 1.0], 1, 1])
    encoded = encode(Filter.parse("x = 1", topic), 30, 50)
    assert encoded.covered == encoded.volume == encoded.excess == 0
    assert not list(missing(Filter.parse("x = 1", topic), encoded.dz))
    below, at = (topic.event_dz({"x": x, "n": 3}, 30) for x in (0.999, 1.0))
    assert [dz.set_covers(encoded.dz, (one,)) for one in (below, at)] == [False, True]
