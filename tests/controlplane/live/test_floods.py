"""Floods of connections and messages: limits by address, by caller and in total; others continue."""

import asyncio
import threading
from dataclasses import replace

import pytest

from controlplane.live import consumer, stream_limits
from controlplane.live.protocol import Ended
from controlplane.live.stream_limits import Openings, Pace, Rate, address_of
from tests.support.controlplane.live_streams import PATIENCE, Stream, application, until

FIRST, SECOND, THIRD = "192.0.2.1", "192.0.2.2", "192.0.2.3"


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def limited(settings):
    def limit(**changes):
        settings.ENV = replace(settings.ENV, **changes)

    return limit


def entered(openings, *addresses):
    """How many of the connections are let in."""
    count = 0
    for address in addresses:
        try:
            openings.enter(address).leave()
        except Ended as refused:
            assert int(refused.close) == 4429 and "connect again later" in refused.detail
            continue
        count += 1
    return count


def test_new_connections_are_limited_by_address_and_in_total(limited):
    limited(stream_openings=3)
    clock = Clock()
    openings = Openings(clock)
    assert entered(openings, *[FIRST] * 9) == 3
    assert entered(openings, *[SECOND] * 9) == 3  # other addresses continue
    others = [f"198.51.100.{n}" for n in range(20)]
    assert entered(openings, *others) == 3 * stream_limits.ALL_TO_ONE - 6
    clock.now += stream_limits.SECONDS + 1
    assert entered(openings, FIRST, THIRD) == 2


def test_what_waits_is_limited_by_address_and_in_all(limited):
    limited(streams_unchecked=4)
    openings = Openings(Clock())
    waiting = [openings.enter(FIRST), openings.enter(FIRST)]
    with pytest.raises(Ended, match=r"2 connections from 192\.0\.2\.1 are still logging in"):
        openings.enter(FIRST)
    waiting += [openings.enter(SECOND), openings.enter(THIRD)]
    with pytest.raises(Ended, match="4 connections are still logging in"):
        openings.enter("198.51.100.1")
    for each in waiting:
        each.leave()
        each.leave()
    assert openings.waiting() == 0
    assert entered(openings, FIRST, SECOND) == 2


def test_message_rate_of_a_caller_is_limited():
    clock = Clock()
    callers = Rate(clock)
    streams = [Pace(callers, clock) for _ in range(stream_limits.MESSAGES_A_CALLER // stream_limits.MESSAGES)]
    for stream in streams:
        for _ in range(stream_limits.MESSAGES):
            stream.hear("vera")
    with pytest.raises(Ended, match="2000 messages of this caller"):
        Pace(callers, clock).hear("vera")
    Pace(callers, clock).hear("ada")  # other callers continue
    with pytest.raises(Ended, match="100 messages in"):
        streams[0].hear("ada")
    clock.now += stream_limits.SECONDS + 1
    streams[0].hear("vera")


@pytest.mark.parametrize(
    ("client", "name"),
    [
        (("192.0.2.1", 5), FIRST),
        (("::ffff:192.0.2.1", 5), FIRST),
        (("2001:db8:1:2:3::4", 5), "2001:db8:1:2::/64"),
        (("2001:db8:1:2:ffff::", 9), "2001:db8:1:2::/64"),
        (("fe80::1%eth0", 5), "fe80::/64"),
        (("unix:", None), "unix:"),
        (None, "this machine"),
    ],
)
def test_an_address_is_one_client(client, name):
    assert address_of({"client": client}) == name


class From:
    """An application whose clients come from an address, through a server that can answer handshakes."""

    def __init__(self, app, address, answers=True):
        self.app, self.address = app, address
        self.extensions = {"websocket.http.response": {}} if answers else {}

    async def __call__(self, scope, receive, send):
        await self.app(
            {**scope, "client": (self.address, 4711), "extensions": self.extensions}, receive, send
        )


async def handshake(app, headers):
    """The server's first answers to a handshake."""
    stream = Stream(app, headers)
    with pytest.raises(AssertionError):
        await stream.open()
    return stream


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_unauthenticated_connections_are_limited(feed, token, limited, monkeypatch):
    """The check of a log-in hangs, as with a slow database; a flood from one address holds its own places."""
    limited(streams_unchecked=4)
    openings, go_on, identify = Openings(), threading.Event(), consumer.identify
    monkeypatch.setattr(consumer, "OPENINGS", openings)
    headers = {"authorization": f"Bearer {token}"}
    app = application(feed=feed)
    early = await Stream(From(app, FIRST), headers).open()
    await early.begin(None)
    assert openings.waiting() == 0

    def slow(scope):
        assert go_on.wait(PATIENCE)
        return identify(scope)

    monkeypatch.setattr(consumer, "identify", slow)
    flood = [await Stream(From(app, FIRST), headers).open() for _ in range(2)]
    refused = await handshake(From(app, FIRST), headers)
    body = await refused.wire.receive_output(PATIENCE)
    assert body["type"] == "websocket.http.response.body" and b"from 192.0.2.1" in body["body"]
    bare = Stream(From(app, FIRST, answers=False), headers)
    with pytest.raises(AssertionError, match=r"websocket\.close"):
        await bare.open()
    other = await Stream(From(app, SECOND), headers).open()
    await early.say({"type": "ping"})
    while (await early.hear())["type"] != "pong":
        pass
    await until(lambda: openings.waiting() == 3)
    go_on.set()
    for stream in (other, *flood):
        assert (await stream.hear())["type"] == "hello"
    assert openings.waiting() == 0
    for stream in (early, other, *flood):
        await stream.leave()


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_a_refused_connection_counts_until_it_is_gone(feed, limited, monkeypatch):
    limited(streams_unchecked=2)
    openings = Openings()
    monkeypatch.setattr(consumer, "OPENINGS", openings)
    stream = await Stream(From(application(feed=feed), FIRST), {}).open()
    assert (await stream.hear_end()).code == 4401
    assert openings.waiting() == 1
    await handshake(From(application(feed=feed), FIRST), {})
    await stream.leave()
    await asyncio.sleep(0)
    assert openings.waiting() == 0
