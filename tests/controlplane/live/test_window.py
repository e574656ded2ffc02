"""The window of recent events: what it contains, what it removes, and that a burst overtakes no reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.live.feed import EventWindow, OutboxFeed
from controlplane.live.protocol import StreamEvent
from tests.support.controlplane.live_streams import Stream, application, emit, emit_many


def events(*ids, size=10):
    return tuple(StreamEvent(id_, "load", "x" * size) for id_ in ids)


def ids(found):
    return [event.id for event in found]


def test_what_comes_after_an_id():
    window = EventWindow(floor=4, events=10, characters=1000)
    window.extend(events(5, 6, 9))
    assert ids(window.after(4, 10)) == [5, 6, 9]
    assert ids(window.after(6, 10)) == [9]
    assert ids(window.after(7, 10)) == [9], "numbers may be left out"
    assert ids(window.after(4, 2)) == [5, 6]
    assert window.after(9, 10) == []
    assert (window.floor, window.newest) == (4, 9)


def test_the_oldest_fall_out():
    window = EventWindow(floor=0, events=3, characters=1000)
    window.extend(events(1, 2))
    window.extend(events(3, 4))
    assert ids(window.after(window.floor, 10)) == [2, 3, 4]
    assert window.floor == 1


def test_many_characters_count_too_but_the_newest_stays():
    window = EventWindow(floor=0, events=100, characters=25)
    window.extend(events(1, 2, 3))
    assert window.floor == 1
    window.extend(events(4, size=500))
    assert ids(window.after(window.floor, 10)) == [4]


@given(st.lists(st.lists(st.integers(1, 60), min_size=1, max_size=6), max_size=20), st.integers(1, 8))
def test_a_window_is_a_bounded_end_of_all_events(batches, most):
    window, everything = EventWindow(floor=0, events=most, characters=120), []
    for batch in batches:
        new = tuple(StreamEvent(len(everything) + i, "load", "x" * size) for i, size in enumerate(batch, 1))
        everything += new
        window.extend(new)
        kept = window.after(window.floor, 1000)
        assert kept == everything[len(everything) - len(kept) :] and kept
        assert window.floor == len(everything) - len(kept)
        assert len(kept) <= most
        assert len(kept) == 1 or sum(len(event.text) for event in kept) <= 120


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("limits", [{"events": 10}, {"characters": 2000}])
async def test_a_burst_does_not_outrun_who_reads(token, limits):
    feed = OutboxFeed(interval=0.02, **limits)
    stream = await Stream(application(feed=feed), {"authorization": f"Bearer {token}"}).open()
    await stream.begin(None)
    written = await emit_many(150)
    assert [event["id"] for event in await stream.events(150)] == written
    await stream.leave()


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_an_event_larger_than_the_window_is_sent(token):
    feed = OutboxFeed(interval=0.01, characters=500)
    stream = await Stream(application(feed=feed), {"authorization": f"Bearer {token}"}).open()
    await stream.begin(None)
    large = await emit("load", {"padding": "x" * 5000})
    (event,) = await stream.events(1)
    assert event["id"] == large.id and len(event["payload"]["padding"]) == 5000
    await stream.leave()
