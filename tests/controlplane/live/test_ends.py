"""How a stream ends: refused at the door, for a bad message, for being slow, for a log-in that ended."""

import asyncio
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import OperationalError

from controlplane.accounts.models import Token
from controlplane.accounts.tokens import revoke_token
from controlplane.config.asgi import application as whole_application
from controlplane.live import consumer
from controlplane.live.feed import OutboxFeed
from controlplane.live.protocol import LARGEST_MESSAGE
from controlplane.live.stream_limits import MESSAGES
from tests.support.controlplane.live_streams import (
    ORIGIN,
    PATIENCE,
    Stream,
    application,
    emit,
    emit_many,
    until,
)

pytestmark = [pytest.mark.asyncio, pytest.mark.django_db(transaction=True)]


async def _refusal(headers, feed):
    stream = await Stream(application(feed=feed), headers).open()
    end = await stream.hear_end()
    await stream.leave()
    assert not feed.running
    return end


@pytest.mark.parametrize(
    ("headers", "code", "says"),
    [
        ({}, 4401, "Authorization: Bearer"),
        ({"origin": ORIGIN}, 4401, "log in"),
        ({"origin": ORIGIN, "cookie": "sessionid=made-up"}, 4401, "log in"),
        ({"authorization": "Bearer made-up"}, 4401, "The token is unknown"),
        ({"authorization": "Bearer"}, 4401, "Bearer"),
        ({"authorization": "Basic dmVyYTpw"}, 4401, "log in"),
    ],
)
async def test_a_user_who_is_not_logged_in_gets_a_message(headers, code, says, feed):
    end = await _refusal(headers, feed)
    assert end.code == code
    assert says in end.reason
    assert len(end.reason.encode()) <= 123


async def test_a_session_is_let_in(feed, session):
    stream = await Stream(application(feed=feed), session).open()
    assert (await stream.hear())["type"] == "hello"
    await stream.leave()


async def test_a_session_without_an_origin_is_refused(feed, session):
    assert (await _refusal({"cookie": session["cookie"]}, feed)).code == 4401


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://testserver.evil.example",
        "http://testserver:81",
        "null",
        "http://[",
        "http://testserver:x",
    ],
)
async def test_pages_of_other_origins_are_refused(feed, session, token, origin):
    end = await _refusal({**session, "origin": origin}, feed)
    assert (end.code, end.reason) == (
        4403,
        "this page is not from this server, so it may not open the live stream",
    )
    assert (await _refusal({"authorization": f"Bearer {token}", "origin": origin}, feed)).code == 4403


async def test_a_foreign_host_name_is_refused(feed, session):
    end = await _refusal({**session, "host": "evil.example", "origin": "http://evil.example"}, feed)
    assert end.code == 4403


async def test_a_trusted_origin_is_let_in(feed, session, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://front.example"]
    stream = await Stream(application(feed=feed), {**session, "origin": "https://front.example"}).open()
    assert (await stream.hear())["type"] == "hello"
    await stream.leave()


async def test_other_paths_have_no_stream(token):
    stream = Stream(whole_application, {"authorization": f"Bearer {token}"}, path="/ws/v1/else/")
    with pytest.raises(AssertionError, match=r"websocket\.close"):
        await stream.open()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hello?", "not JSON"),
        ("", "not JSON"),
        ("[" * 4000, "not JSON"),
        ("[1]", "not an object"),
        ('"from"', "not an object"),
        ("{}", "type null is unknown"),
        ('{"type": "subscribe"}', 'type "subscribe" is unknown'),
        ('{"type": ["from"]}', "is unknown"),
        ('{"type": "from", "id": "7"}', 'id "7" is not valid'),
        ('{"type": "from", "id": -1}', "id -1 is not valid; use null or an integer from 0"),
        ('{"type": "from", "id": 9223372036854775808}', "2^63-1"),
        ('{"type": "from", "id": 1.0}', "id 1.0"),
        ('{"type": "from", "id": true}', "id true"),
        ('{"type": "from", "id": NaN}', "id NaN"),
        ('{"type": "from", "id": [[1]]}', "an object or a list"),
        (" " * (LARGEST_MESSAGE + 1), "at most 4096 characters"),
    ],
)
async def test_invalid_message_closes_the_stream(opened, text, says):
    stream = await opened()
    assert (await stream.hear())["type"] == "hello"
    await stream.say(text)
    end = await stream.hear_end()
    assert end.error["type"] == "error"
    assert (end.code, end.error["code"]) == (4400, 4400)
    assert says in end.error["detail"]
    await stream.leave()


async def test_bytes_are_a_bad_message(opened):
    stream = await opened()
    await stream.wire.send_input({"type": "websocket.receive", "bytes": b"{}"})
    assert (await stream.hear_end()).code == 4400
    await stream.leave()


async def test_from_is_said_once(opened):
    stream = await opened()
    await stream.begin(None)
    await stream.say({"type": "from", "id": 0})
    end = await stream.hear_end()
    assert end.code == 4400 and "once" in end.reason
    await stream.leave()


async def test_a_ping_is_answered_at_any_time(opened):
    stream = await opened()
    assert (await stream.hear())["type"] == "hello"
    await stream.say({"type": "ping"})
    assert (await stream.hear())["type"] == "pong"
    await stream.say({"type": "from"})
    await stream.hear()
    await emit("load", {})
    await stream.events(1)
    await stream.say({"type": "ping"})
    assert (await stream.hear())["type"] == "pong"
    await stream.leave()


async def test_silence_is_filled_with_pings(opened):
    stream = await opened(pulse=0.02)
    await stream.begin(None)
    for _ in range(3):
        assert (await stream.hear())["type"] == "ping"
    row = await emit("load", {})
    while (message := await stream.hear())["type"] == "ping":
        assert message["newest"] < row.id, "a ping does not confirm what was not sent"
    assert message["id"] == row.id
    assert (await stream.hear())["newest"] == row.id
    await stream.leave()


class Blocked:
    """A wrapper of an application; its client stops reading when the test clears `reading`."""

    def __init__(self, app):
        self.app = app
        self.reading = asyncio.Event()
        self.reading.set()

    async def __call__(self, scope, receive, send):
        async def slow_send(message):
            await self.reading.wait()
            await send(message)

        await self.app(scope, receive, slow_send)


async def test_unread_data_of_a_client_is_limited(token):
    feed = OutboxFeed(interval=0.01, events=20)
    app = Blocked(application(feed=feed))
    stream = await Stream(app, {"authorization": f"Bearer {token}"}).open()
    other = await Stream(application(feed=feed), {"authorization": f"Bearer {token}"}).open()
    await stream.begin(None)
    await other.begin(None)
    app.reading.clear()
    ids = await emit_many(50)
    assert [e["id"] for e in await other.events(50)] == ids, "the others are served all the same"
    app.reading.set()
    end = await stream.hear_end()
    assert (end.code, end.error["code"]) == (4408, 4408)
    assert "slow" in end.reason
    await stream.leave()
    await other.leave()


async def test_what_a_slow_client_got_has_no_gap_and_it_goes_on_from_there(token):
    feed = OutboxFeed(interval=0.01, events=20)
    app = Blocked(application(feed=feed))
    stream = await Stream(app, {"authorization": f"Bearer {token}"}).open()
    await stream.begin(None)
    first = await emit_many(5)
    seen = [e["id"] for e in await stream.events(5)]
    app.reading.clear()
    rest = await emit_many(60)
    await until(lambda: not feed.running)
    app.reading.set()
    while (output := await stream.wire.receive_output(PATIENCE))["type"] == "websocket.send":
        if '"event"' in output["text"]:
            seen.append(int(output["text"].split('"id":')[1].split(",")[0]))
    await stream.leave()
    written = first + rest
    assert seen == written[: len(seen)]
    again = await Stream(application(feed=feed), {"authorization": f"Bearer {token}"}).open()
    await again.begin(seen[-1])
    assert seen + [e["id"] for e in await again.events(len(written) - len(seen))] == written
    await again.leave()


async def test_close_code_has_a_time_limit(token):
    feed = OutboxFeed(interval=0.01, events=20)
    app = Blocked(application(feed=feed, farewell=0.05))
    stream = await Stream(app, {"authorization": f"Bearer {token}"}).open()
    await stream.begin(None)
    app.reading.clear()
    await emit_many(50)
    await until(lambda: not feed.running)
    await asyncio.wait_for(stream.wire.future, PATIENCE)  # the server closes the connection


async def test_a_log_in_that_cannot_be_read_is_a_failure_of_the_server(feed, session, monkeypatch):
    def broken(scope):
        raise OperationalError("no database")

    monkeypatch.setattr(consumer, "identify", broken)
    end = await _refusal(session, feed)
    assert end.code == 1011 and "cannot be checked" in end.reason


@pytest.mark.parametrize("how", ["revoked", "deactivated"])
async def test_a_token_that_no_longer_holds_ends_the_stream(opened, viewer, in_thread, how):
    stream = await opened(recheck=0.05)
    await stream.begin(None)
    if how == "revoked":
        await in_thread(lambda: revoke_token(Token.objects.get()))()
    else:
        await in_thread(User.objects.update)(is_active=False)
    assert (await stream.hear_end()).code == 4401
    await stream.leave()


async def test_a_log_out_ends_the_stream(feed, session, in_thread):
    stream = await Stream(application(feed=feed, recheck=0.05), session).open()
    await stream.begin(None)
    await in_thread(Session.objects.all().delete)()
    assert (await stream.hear_end()).code == 4401
    await stream.leave()


class Broken:
    """An outbox that can be read until it breaks."""

    def __init__(self, reader):
        self.reader = reader
        self.broken = False

    async def bounds(self):
        if self.broken:
            raise OSError("no database")
        return await self.reader.bounds()

    async def page(self, *where):
        if self.broken:
            raise OSError("no database")
        return await self.reader.page(*where)

    def close(self):
        self.reader.close()


async def test_an_outbox_that_cannot_be_read_ends_the_streams_and_recovers(feed, opened):
    feed.reader = Broken(feed.reader)
    stream = await opened()
    await stream.begin(None)
    feed.reader.broken = True
    end = await stream.hear_end()
    assert end.code == 1011 and "cannot read" in end.reason
    await stream.leave()
    feed.reader.broken = False
    stream = await opened()
    assert (await stream.begin(None))[1]["type"] == "up-to-date"
    await stream.leave()


@pytest.mark.parametrize("bound", [{"streams_a_caller": 2}, {"streams": 2}])
async def test_streams_are_limited(opened, settings, bound):
    settings.ENV = replace(settings.ENV, **bound)
    first, second = await opened(), await opened()
    assert [(await each.hear())["type"] for each in (first, second)] == ["hello", "hello"]
    third = await opened()
    end = await third.hear_end()
    assert (end.code, end.error["code"]) == (4429, 4429) and " 2 " in end.error["detail"]
    await third.leave()
    await first.leave()
    again = await opened()
    assert (await again.hear())["type"] == "hello"
    await again.leave()
    await second.leave()


async def test_message_rate_of_a_client_is_limited(opened):
    stream = await opened()
    await stream.hear()
    for _ in range(MESSAGES + 1):
        await stream.say({"type": "ping"})
    end = await stream.hear_end()
    assert end.code == 4400 and str(MESSAGES) in end.error["detail"]
    await stream.leave()
