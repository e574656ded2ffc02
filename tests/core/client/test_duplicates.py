"""Detection of duplicate events within the bounds of the memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.client.duplicates import SeenEvents


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 20)), max_size=200))
def test_with_room_for_all_it_is_a_set(arrivals):
    seen, known = SeenEvents(window=100), set()
    for publisher, seq in arrivals:
        assert seen.seen(publisher, seq) == ((publisher, seq) in known)
        known.add((publisher, seq))


def test_a_double_is_found_until_window_others_came():
    seen = SeenEvents(window=3)
    for seq in (1, 2, 3):
        assert not seen.seen("a", seq)
    assert seen.seen("a", 1)
    assert not seen.seen("a", 4)
    assert not seen.seen("a", 1)  # forgotten by now
    assert seen.seen("a", 4)


def test_a_chatty_publisher_takes_nothing_from_a_quiet_one():
    seen = SeenEvents(window=10, publishers=2)
    seen.seen("quiet", 1)
    for seq in range(1000):
        seen.seen("chatty", seq)
    assert seen.seen("quiet", 1)


def test_the_publisher_silent_for_longest_is_forgotten():
    seen = SeenEvents(publishers=2)
    for publisher in ("a", "b", "a", "c"):
        seen.seen(publisher, 1)
    assert seen.seen("a", 1)
    assert not seen.seen("b", 1)


def test_numbers_below_those_seen_are_new():
    """A publisher restarted with its clock set back must not fall silent."""
    seen = SeenEvents()
    assert not seen.seen("a", 10**15)
    assert not seen.seen("a", 5)
    assert seen.seen("a", 5)


@pytest.mark.parametrize("bounds", [(0, 1), (1, 0)])
def test_a_memory_of_nothing_is_refused(bounds):
    with pytest.raises(ValueError, match="at least 1"):
        SeenEvents(*bounds)
