"""From hello to events: where a stream begins, and that nothing is left out."""

import asyncio

import pytest
from django.db import transaction

from controlplane.requestlog import outbox
from controlplane.requestlog.models import OutboxEvent
from tests.support.controlplane.live_streams import Stream, application, emit, emit_many, until

pytestmark = [pytest.mark.asyncio, pytest.mark.django_db(transaction=True)]


async def test_hello_reports_the_range_of_the_outbox(opened):
    ids = await emit_many(3)
    stream = await opened()
    hello = await stream.hear()
    assert hello == {
        "type": "hello",
        "oldest": ids[0],
        "newest": ids[-1],
        "retention": {"events": 100_000, "seconds": 86_400},
    }
    await stream.leave()


async def test_an_empty_outbox_has_bounds_too(opened):
    stream = await opened()
    hello, answer = await stream.begin(0)
    assert (hello["oldest"], hello["newest"]) == (0, 0)
    assert answer == {"type": "up-to-date", "newest": 0}
    event = await emit("load", {"links": {}})
    assert [e["id"] for e in await stream.events(1)] == [event.id]
    await stream.leave()


async def test_an_event_comes_as_it_was_written(opened):
    stream = await opened()
    await stream.begin(None)
    payload = {
        "text": "<b>ü \u2028 \U0001f680</b>",
        "deep": [{"a": None}],
        "large": "12345678901234567890",
    }
    row = await emit("alarm", payload)
    (event,) = await stream.events(1)
    assert event == {
        "type": "event",
        "id": row.id,
        "kind": "alarm",
        "payload": payload,
        "at": row.created_at.isoformat(),
    }
    await stream.leave()


async def test_what_was_missed_is_replayed_before_what_is_new(opened):
    ids = await emit_many(20)
    stream = await opened()
    _, answer = await stream.begin(ids[4])
    assert answer == {"type": "replayed", "from": ids[4], "to": ids[-1]}
    later = await emit_many(5)
    assert [e["id"] for e in await stream.events(20)] == ids[5:] + later
    await stream.leave()


async def test_a_replay_larger_than_a_page_is_complete(feed, token):
    ids = await emit_many(57)
    feed.page = 10
    stream = await Stream(application(feed=feed), {"authorization": f"Bearer {token}"}).open()
    await stream.begin(ids[0] - 1)
    assert [e["id"] for e in await stream.events(57)] == ids
    await stream.leave()


async def test_whoever_has_everything_is_up_to_date(opened):
    ids = await emit_many(3)
    stream = await opened()
    assert (await stream.begin(ids[-1]))[1] == {"type": "up-to-date", "newest": ids[-1]}
    later = await emit_many(1)
    assert [e["id"] for e in await stream.events(1)] == later
    await stream.leave()


async def test_without_an_id_the_stream_goes_on_from_the_hello(opened):
    await emit_many(3)
    stream = await opened()
    assert (await stream.hear())["type"] == "hello"
    between = await emit_many(2)
    await stream.say({"type": "from"})
    assert (await stream.hear())["type"] == "replayed"
    assert [e["id"] for e in await stream.events(2)] == between
    await stream.leave()


async def test_a_client_that_says_nothing_gets_everything_since_the_hello(opened):
    await emit_many(3)
    stream = await opened(grace=0.05)
    newest = (await stream.hear())["newest"]
    assert await stream.hear() == {"type": "up-to-date", "newest": newest}
    later = await emit_many(2)
    assert [e["id"] for e in await stream.events(2)] == later
    await stream.leave()


@pytest.mark.parametrize("named", ["newest", None, "older"])
async def test_who_speaks_late_goes_on_if_he_asks_for_what_he_gets(opened, named):
    await emit_many(3)
    stream = await opened(grace=0.05)
    newest = (await stream.hear())["newest"]
    assert (await stream.hear())["type"] == "up-to-date"  # nothing was said in time
    asked = {"newest": {"id": newest}, "older": {"id": newest - 1}}.get(named, {})
    await stream.say({"type": "from", **asked})
    if named == "older":
        assert "after the stream started" in (await stream.hear())["detail"]
        return
    later = await emit_many(2)
    assert [e["id"] for e in await stream.events(2)] == later
    await stream.say({"type": "from", "id": newest})
    assert "send it once" in (await stream.hear())["detail"]


async def test_an_id_that_is_no_longer_kept_means_reload(opened, in_thread):
    ids = await emit_many(10)
    await in_thread(OutboxEvent.objects.filter(id__lte=ids[6]).delete)()
    stream = await opened()
    hello, answer = await stream.begin(ids[5])
    assert hello["oldest"] == ids[7]
    assert (answer["type"], answer["oldest"], answer["newest"]) == ("reload", ids[7], ids[9])
    assert "no longer stored" in answer["detail"]
    await stream.say({"type": "from", "id": answer["newest"]})
    assert (await stream.hear())["type"] == "up-to-date"
    await stream.leave()


async def test_the_id_just_before_the_oldest_can_go_on(opened, in_thread):
    ids = await emit_many(10)
    await in_thread(OutboxEvent.objects.filter(id__lte=ids[6]).delete)()
    stream = await opened()
    assert (await stream.begin(ids[6]))[1]["type"] == "replayed"
    assert [e["id"] for e in await stream.events(3)] == ids[7:]
    await stream.leave()


async def test_an_id_of_the_future_means_reload(opened):
    ids = await emit_many(2)
    stream = await opened()
    answer = (await stream.begin(ids[-1] + 1))[1]
    assert answer["type"] == "reload" and "does not exist yet" in answer["detail"]
    await stream.leave()


async def test_events_pruned_before_they_could_be_sent_end_the_stream(feed, token, in_thread):
    ids = await emit_many(6)
    stream = await Stream(application(feed=feed), {"authorization": f"Bearer {token}"}).open()
    await stream.begin(ids[-1])
    await until(lambda: feed.window.newest == ids[-1])
    await in_thread(emit_and_prune)()
    end = await stream.hear_end()
    assert (end.code, end.error["code"]) == (4410, 4410)
    assert "deleted" in end.reason
    await stream.leave()


@transaction.atomic
def emit_and_prune():
    """Emit four events, and delete the first three before any poller can read them."""
    later = [outbox.emit("load", {"n": n}).id for n in range(4)]
    OutboxEvent.objects.filter(id__lte=later[2]).delete()


async def test_a_client_that_comes_back_again_and_again_misses_nothing(opened):
    (last,) = await emit_many(1)
    seen, written = [], []
    writer = asyncio.create_task(_write(written, batches=25, each=8))
    while not (writer.done() and written and seen and seen[-1] == written[-1]):
        stream = await opened()
        await stream.begin(last)
        for _ in range(min(5, len(written) - len(seen)) if written else 0):
            seen.append((await stream.events(1))[0]["id"])
            last = seen[-1]
        await stream.leave()
    assert seen == written
    assert len(seen) == 200


async def _write(written, batches, each):
    for _ in range(batches):
        written += await emit_many(each)
        await asyncio.sleep(0.002)


async def test_the_poller_runs_from_the_first_client_to_the_last(feed, opened):
    assert not feed.running
    first, second = await opened(), await opened()
    await first.begin(None)
    await second.begin(None)
    assert feed.running
    await first.leave()
    assert feed.running
    await emit("load", {})
    await second.events(1)
    await second.leave()
    assert not feed.running


async def test_a_feed_serves_again_after_it_stopped(feed, opened):
    for _ in range(3):
        stream = await opened()
        await stream.begin(None)
        row = await emit("load", {})
        assert [e["id"] for e in await stream.events(1)] == [row.id]
        await stream.leave()
        assert not feed.running
