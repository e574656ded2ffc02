"""Sequence numbers start at the clock, and never repeat."""

import threading

import pytest

from tercast.client.sequence import BLOCK, Sequence, now_us
from tercast.wire.errors import SequenceError
from tercast.wire.event_codec import LARGEST_SEQUENCE


def test_the_first_is_the_clock_and_each_further_one_is_one_more():
    before = now_us()
    numbers = Sequence()
    first = numbers.take()
    assert before <= first <= now_us()
    assert [numbers.take() for _ in range(3)] == [first + 1, first + 2, first + 3]


def test_a_clock_that_steps_back_changes_nothing_while_the_publisher_runs():
    clock = iter([1000, 10, 10, 10])
    numbers = Sequence(clock=lambda: next(clock))
    assert [numbers.take() for _ in range(3)] == [1000, 1001, 1002]


def test_a_restart_at_a_later_clock_begins_above():
    first = Sequence(clock=lambda: 1_000_000)
    used = {first.take() for _ in range(1000)}
    assert Sequence(clock=lambda: 1_001_000).take() not in used


def test_with_a_state_file_a_restart_with_the_clock_behind_begins_above(tmp_path):
    state = tmp_path / "seq"
    with Sequence(state, clock=lambda: 5000) as first:
        used = [first.take() for _ in range(10)]
    with Sequence(state, clock=lambda: 3) as second:
        assert second.take() == used[-1] + 1


def test_a_kill_without_closing_costs_numbers_and_repeats_none(tmp_path):
    state, copy = tmp_path / "seq", tmp_path / "copy"
    with Sequence(state, clock=lambda: 5000) as killed:
        used = {killed.take() for _ in range(10)}
        copy.write_bytes(state.read_bytes())  # what a kill here leaves behind
    with Sequence(copy, clock=lambda: 3) as after:
        assert after.take() > max(used)


def test_the_mark_moves_on_before_its_numbers_are_used(tmp_path):
    state = tmp_path / "seq"
    with Sequence(state, clock=lambda: 0) as numbers:
        for _ in range(BLOCK + 1):
            last = numbers.take()
        assert int(state.read_text()) > last


def test_a_later_clock_wins_over_the_mark(tmp_path):
    state = tmp_path / "seq"
    state.write_text(f"{70:020d}\n")
    with Sequence(state, clock=lambda: 900) as numbers:
        assert numbers.take() == 900


def test_a_state_file_serves_one_publisher_at_a_time(tmp_path):
    with Sequence(tmp_path / "seq"), pytest.raises(SequenceError, match="another publisher uses it"):
        Sequence(tmp_path / "seq")
    Sequence(tmp_path / "seq").close()


@pytest.mark.parametrize(
    "content", ["x", "12\n", f"{5:020d}", f"-{5:019d}\n", "9" * 20 + "\n", f"{5:020d}\n\n"]
)
def test_a_state_file_of_something_else_is_refused_and_left_alone(tmp_path, content):
    state = tmp_path / "seq"
    state.write_text(content)
    with pytest.raises(SequenceError, match="does not contain a sequence number"):
        Sequence(state)
    assert state.read_text() == content


def test_a_state_file_that_cannot_be_opened_is_one_line(tmp_path):
    with pytest.raises(SequenceError, match="cannot open the sequence state"):
        Sequence(tmp_path / "no" / "seq")
    with pytest.raises(SequenceError, match="cannot open the sequence state"):
        Sequence(tmp_path)


def test_the_last_number_is_the_last(tmp_path):
    with Sequence(tmp_path / "seq", clock=lambda: LARGEST_SEQUENCE) as numbers:
        assert numbers.take() == LARGEST_SEQUENCE
        with pytest.raises(SequenceError, match="used up"):
            numbers.take()
    with Sequence(tmp_path / "seq", clock=lambda: 0) as numbers, pytest.raises(SequenceError):
        numbers.take()


def test_threads_never_get_the_same_number():
    numbers = Sequence()
    taken: list[list[int]] = [[] for _ in range(4)]
    threads = [
        threading.Thread(target=lambda mine=mine: mine.extend(numbers.take() for _ in range(5000)))
        for mine in taken
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set().union(*taken)) == 20000
