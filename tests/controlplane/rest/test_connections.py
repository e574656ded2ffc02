"""A web process with few descriptors: it answers 503, closes stalled connections, and recovers."""

import asyncio
import json
import logging
import resource
import socket
from unittest.mock import Mock

import pytest
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from controlplane.config import connection_limits
from controlplane.requestlog.models import OutboxEvent
from controlplane.rest.outages import DESCRIPTORS

KEEP_ALIVE = 600
"""Seconds: it is not this timer of uvicorn that closes."""

LARGE = b"x" * (64 << 20)
"""More than the buffers of both sides hold."""


async def application(scope, receive, send):
    """Application that reads the body, and answers with much or little."""
    while (await receive()).get("more_body"):
        pass
    body = LARGE if scope["path"] == "/large" else b"done"
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def guarded():
    """Return uvicorn's guarded connections in a separate class, with their refusals."""
    found = type("Guarded", (H11Protocol,), {})
    log = logging.getLogger("asyncio")
    before = list(log.filters)
    config = Config(application, lifespan="off", log_config=None, timeout_keep_alive=KEEP_ALIVE)
    yield lambda: found(config, ServerState(), {}), connection_limits.guard(found)
    log.filters[:] = before


async def ask(port, text, rest=b""):
    """Return the answer to `text`, and to `rest` after the first answer, until the connection closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    try:
        async with asyncio.timeout(60):
            answer = await reader.readuntil(b"done") if rest else b""
            writer.write(rest)
            return answer + await reader.read()
    finally:
        writer.close()


def serve(protocol, *calls):
    """Return the answers of a server to `calls` of one or two texts."""

    async def run():
        server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        answers = [await ask(port, *([call] if isinstance(call, bytes) else call)) for call in calls]
        server.close()
        return answers

    return asyncio.run(run())


def test_lack_of_descriptors_gets_503(guarded, monkeypatch):
    protocol, refusals = guarded
    alarms = []
    monkeypatch.setattr(connection_limits, "_raise_alarm", alarms.append)
    monkeypatch.setattr(connection_limits, "is_scarce", lambda descriptor: True)
    monkeypatch.setattr(connection_limits, "REFUSAL_SECONDS", 60)
    call, page = serve(protocol, b"POST /api/v1/topics/ HTTP/1.1\r\n\r\n", b"GET /login/ HTTP/1.1\r\n\r\n")
    head, _, body = call.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n") and b"Retry-After: 5" in head
    assert json.loads(body)["type"] == "urn:tercast:problem:no_descriptors"
    head, _, body = page.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503") and b"text/html" in head
    assert DESCRIPTORS.cause in body.decode()
    refusals._report(lambda _, write, text: write(text))
    assert len(alarms) == 1 and "refused 2 connections" in alarms[0]
    assert refusals.count == 0


def test_a_refused_connection_that_asks_nothing_is_closed(guarded, monkeypatch):
    monkeypatch.setattr(connection_limits, "is_scarce", lambda descriptor: True)
    monkeypatch.setattr(connection_limits, "REFUSAL_SECONDS", 0)
    assert serve(guarded[0], b"") == [b""]


def test_the_answer_reaches_who_still_sends_a_body(guarded, monkeypatch):
    monkeypatch.setattr(connection_limits, "is_scarce", lambda descriptor: True)
    monkeypatch.setattr(connection_limits, "REFUSAL_SECONDS", 60)
    head = b"POST /api/v1/topics/ HTTP/1.1\r\nContent-Length: 4000000\r\n\r\n"
    for answer in serve(guarded[0], *[head + b"x" * 4_000_000] * 5):
        assert answer.startswith(b"HTTP/1.1 503")


CALL = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n"


@pytest.mark.parametrize(
    "texts, answers",
    [
        ((b"",), 0),
        ((b"GET / HT",), 0),
        ((CALL, b"G"), 1),
        ((CALL, b"GET / HTTP/1.1\r\nX: "), 1),
        ((POST + b"{",), 0),
        ((CALL, POST), 1),
    ],
)
def test_slow_request_head_closes_the_connection(guarded, monkeypatch, texts, answers):
    monkeypatch.setattr(connection_limits, "STALL_SECONDS", 0.1)
    (answer,) = serve(guarded[0], texts)
    assert answer.count(b"HTTP/1.1 200") == answers


def test_client_that_reads_nothing_is_disconnected(guarded, monkeypatch):
    monkeypatch.setattr(connection_limits, "STALL_SECONDS", 0.1)
    made = []

    async def run():
        server = await asyncio.get_running_loop().create_server(
            lambda: made.append(guarded[0]()) or made[-1], "127.0.0.1", 0
        )
        with socket.create_connection(server.sockets[0].getsockname()) as client:
            client.sendall(CALL.replace(b"/ ", b"/large ", 1))
            async with asyncio.timeout(60):
                while not (made and made[0].cycle and not made[0].connections):
                    await asyncio.sleep(0.01)
        server.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    "changes, closed",
    [
        ({}, False),
        ({"more_body": True}, True),
        ({"more_body": True, "received": connection_limits.LEAST_BODY_BYTES}, False),
        ({"more_body": True, "paused": True}, False),
        ({"more_body": True, "expects": True}, False),
        ({"unsent": 9}, True),
        ({"unsent": 9, "drained": 1}, False),
        ({"complete": True, "timer": object()}, False),
        ({"complete": True}, True),
        ({"complete": True, "closing": True}, False),
        ({"complete": True, "closing": True, "unsent": 9}, True),
        ({"more_body": True, "unsent": 9, "upgraded": True}, False),
    ],
)
def test_slow_body_closes_the_connection(monkeypatch, changes, closed):
    loop = Mock()
    monkeypatch.setattr(connection_limits.asyncio, "get_running_loop", lambda: loop)
    protocol, transport = Mock(), Mock()
    protocol.connections = set() if changes.get("upgraded") else {protocol}
    protocol.flow.read_paused = changes.get("paused", False)
    protocol.timeout_keep_alive_task = changes.get("timer")
    protocol.cycle.response_complete = changes.get("complete", False)
    protocol.cycle.more_body = changes.get("more_body", False)
    protocol.cycle.waiting_for_100_continue = changes.get("expects", False)
    transport.is_closing.return_value = changes.get("closing", False)
    transport.get_write_buffer_size.return_value = changes.get("unsent", 0)
    progress = connection_limits.BodyProgress(protocol, transport)
    progress.check()
    assert not transport.abort.called  # this is a new request
    progress.received += changes.get("received", 0)
    progress.drained += changes.get("drained", 0)
    progress.check()
    assert transport.abort.called == closed
    assert loop.call_later.call_count == (0 if changes.get("upgraded") else 1 if closed else 2)


@pytest.mark.parametrize(
    "soft, first", [(1024, 768), (400, 200), (65_536, 65_280), (resource.RLIM_INFINITY, None)]
)
def test_the_last_descriptors_are_scarce(monkeypatch, soft, first):
    monkeypatch.setattr(connection_limits.resource, "getrlimit", lambda _: (soft, soft))
    if first is None:
        assert not connection_limits.is_scarce(1 << 40)
    else:
        assert not connection_limits.is_scarce(first - 1) and connection_limits.is_scarce(first)


@pytest.mark.parametrize(
    "soft, hard, after",
    [(1024, 4096, 4096), (1024, 1 << 20, 65_536), (99_999, 1 << 20, None), (9, -1, 65_536)],
)
def test_the_limit_is_raised_as_far_as_it_may(monkeypatch, soft, hard, after):
    set_to = []
    monkeypatch.setattr(connection_limits.resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(connection_limits.resource, "setrlimit", lambda _, limits: set_to.append(limits))
    connection_limits.raise_limit()
    assert set_to == ([] if after is None else [(after, hard)])


def test_the_log_is_not_flooded():
    seldom = connection_limits.RareFilter()

    def passes(text):
        return seldom.filter(logging.LogRecord("asyncio", logging.ERROR, "", 0, text, (), None))

    assert [passes(f"{connection_limits.NO_RESOURCE}\nsocket: x") for _ in range(3)] == [True, False, False]
    assert passes("something else") and passes("something else")


def test_the_alarm_is_written(db, monkeypatch):
    monkeypatch.setattr(connection_limits.connections, "close_all", lambda: None)
    connection_limits._raise_alarm("a web process refused 7 connections")
    assert OutboxEvent.objects.get().payload["text"] == "a web process refused 7 connections"
