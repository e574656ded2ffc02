"""A web process with few descriptors left: it answers 503, closes unused connections, and goes on."""

import asyncio
import json
import logging
import resource
from unittest.mock import Mock

import pytest

from controlplane.api import connections
from controlplane.api.outages import DESCRIPTORS
from controlplane.control.models import OutboxEvent


class Served(asyncio.Protocol):
    """Stands for uvicorn's protocol: `cycle` is None until a request came."""

    def __init__(self):
        self.cycle = None

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.cycle = object()
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


@pytest.fixture
def guarded():
    """A class of connections of its own, guarded, and its refusals."""
    found = type("Guarded", (Served,), {})
    log = logging.getLogger("asyncio")
    before = list(log.filters)
    yield found, connections.guard(found)
    log.filters[:] = before


async def ask(port, text):
    """What a connection answers to `text`, until it is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    try:
        return await asyncio.wait_for(reader.read(), 60)
    finally:
        writer.close()


def serve(protocol, *calls):
    """The answers of a server to `calls`."""

    async def run():
        server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        answers = [await ask(port, call) for call in calls]
        server.close()
        return answers

    return asyncio.run(run())


def test_scarce_connections_are_answered_with_503(guarded, monkeypatch):
    protocol, refusals = guarded
    alarms = []
    monkeypatch.setattr(connections, "_raise_alarm", alarms.append)
    monkeypatch.setattr(connections, "is_scarce", lambda descriptor: True)
    monkeypatch.setattr(connections, "REFUSAL_SECONDS", 60)
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
    monkeypatch.setattr(connections, "is_scarce", lambda descriptor: True)
    monkeypatch.setattr(connections, "REFUSAL_SECONDS", 0)
    assert serve(guarded[0], b"") == [b""]


def test_an_unused_connection_is_closed(guarded, monkeypatch):
    monkeypatch.setattr(connections, "FIRST_REQUEST_SECONDS", 0)
    assert serve(guarded[0], b"") == [b""]


@pytest.mark.parametrize("asked, changed, closed", [(False, False, 1), (True, False, 0), (False, True, 0)])
def test_a_connection_in_use_stays(asked, changed, closed):
    protocol, transport = Served(), Mock()
    protocol.cycle = object() if asked else None
    transport.get_protocol.return_value = "a live stream" if changed else protocol
    connections._close_unused(protocol, transport)
    assert transport.close.call_count == closed


@pytest.mark.parametrize(
    "soft, first", [(1024, 768), (400, 200), (65_536, 65_280), (resource.RLIM_INFINITY, None)]
)
def test_the_last_descriptors_are_scarce(monkeypatch, soft, first):
    monkeypatch.setattr(connections.resource, "getrlimit", lambda _: (soft, soft))
    if first is None:
        assert not connections.is_scarce(1 << 40)
    else:
        assert not connections.is_scarce(first - 1) and connections.is_scarce(first)


@pytest.mark.parametrize(
    "soft, hard, after",
    [(1024, 4096, 4096), (1024, 1 << 20, 65_536), (99_999, 1 << 20, None), (9, -1, 65_536)],
)
def test_the_limit_is_raised_as_far_as_it_may(monkeypatch, soft, hard, after):
    set_to = []
    monkeypatch.setattr(connections.resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(connections.resource, "setrlimit", lambda _, limits: set_to.append(limits))
    connections.raise_limit()
    assert set_to == ([] if after is None else [(after, hard)])


def test_the_log_is_not_flooded():
    seldom = connections.RareFilter()

    def passes(text):
        return seldom.filter(logging.LogRecord("asyncio", logging.ERROR, "", 0, text, (), None))

    assert [passes(f"{connections.NO_RESOURCE}\nsocket: x") for _ in range(3)] == [True, False, False]
    assert passes("something else") and passes("something else")


def test_the_alarm_is_written(db, monkeypatch):
    monkeypatch.setattr(connections.connections, "close_all", lambda: None)
    connections._raise_alarm("a web process refused 7 connections")
    assert OutboxEvent.objects.get().payload["text"] == "a web process refused 7 connections"
