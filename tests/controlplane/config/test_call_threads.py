"""Calls in reused threads: connections stay, and no call sees anything of an earlier call in its thread."""

import asyncio
import io
import itertools
from contextlib import suppress
from pathlib import Path

import pytest
from django.db import connection, connections
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.test import override_settings
from django.urls import path

from controlplane.common import request_id
from controlplane.config import call_threads

opened: list[object] = []


def plain(request):
    connection.ensure_connection()
    opened.append(connection.connection)
    answer = HttpResponse(f"{request.method} {request.body.decode()} {request_id.current()}")
    answer.set_cookie("one", "1")
    answer.set_cookie("two", "2")
    return answer


def streamed(request):
    def parts():
        for n in range(3):
            connection.ensure_connection()
            opened.append(connection.connection)
            yield f"{n};"

    return StreamingHttpResponse(parts())


def stored(request):
    return FileResponse(io.BytesIO(bytes(200_000)))


def failing(request):
    raise ValueError("a fault of a view")


urlpatterns = [
    path("plain", plain),
    path("streamed", streamed),
    path("stored", stored),
    path("failing", failing),
]


@pytest.fixture
def handler(db, monkeypatch, settings):
    """A handler with one thread, whose connection ends with the test."""
    opened.clear()
    settings.MIDDLEWARE = ["controlplane.common.request_id.RequestIdMiddleware"]
    monkeypatch.setattr(call_threads, "MOST_CALLS", 1)
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", None)
    with override_settings(ROOT_URLCONF=__name__):
        found = call_threads.CallHandler()
        yield found
        found._threads.submit(connections.close_all).result()
        found._threads.shutdown()


def call(handler, target, *parts, **headers):
    """Return the messages of an answer to a call whose body arrives in `parts`."""
    incoming = [
        {"type": "http.request", "body": part, "more_body": n < len(parts)} for n, part in enumerate(parts, 1)
    ] or [{"type": "http.request"}]
    sent = []

    async def receive():
        return incoming.pop(0) if incoming else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST" if parts else "GET",
        "path": target,
        "raw_path": target.encode(),
        "query_string": b"",
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
        "scheme": "http",
    }
    asyncio.run(handler(scope, receive, send))
    return sent


def body_of(messages):
    assert messages[0]["type"] == "http.response.start"
    assert [message.get("more_body", False) for message in messages[1:]][-1] is False
    return b"".join(message.get("body", b"") for message in messages[1:]).decode()


def test_an_answer_has_status_cookies_and_body(handler):
    messages = call(handler, "/plain", b"a", b"b", host="localhost", x_request_id="12345678")
    assert messages[0]["status"] == 200
    assert [value for name, value in messages[0]["headers"] if name == b"Set-Cookie"] == [
        b"one=1; Path=/",
        b"two=2; Path=/",
    ]
    assert body_of(messages) == "POST ab 12345678"


def test_a_connection_stays_open_between_calls(handler):
    for _ in range(3):
        call(handler, "/plain", host="localhost")
    assert len(opened) == 3 and len({id(one) for one in opened}) == 1


def test_a_thread_beyond_the_kept_ones_closes_its_connection(handler, monkeypatch):
    monkeypatch.setattr(call_threads, "KEPT", 0)
    for _ in range(2):
        call(handler, "/plain", host="localhost")
    assert opened[0] is not opened[1]


def test_the_parts_of_a_streamed_answer_are_sent_one_at_a_time(handler):
    messages = call(handler, "/streamed", host="localhost")
    assert [message.get("body", b"") for message in messages[1:]] == [b"0;", b"1;", b"2;", b""]
    assert body_of(messages) == "0;1;2;"
    assert len({id(one) for one in opened}) == 1  # in the thread of the call


def test_a_file_is_sent_in_large_parts(handler):
    """Each part changes the thread twice; Django's blocks of 4 KiB would be 49 parts."""
    sizes = [len(message.get("body", b"")) for message in call(handler, "/stored", host="localhost")[1:]]
    assert sizes == [65_536, 65_536, 65_536, 3_392, 0]


def test_a_fault_of_a_view_is_an_answer_and_the_thread_serves_on(handler):
    assert call(handler, "/failing", host="localhost")[0]["status"] == 500
    assert call(handler, "/plain", host="localhost")[0]["status"] == 200


def test_a_caller_who_leaves_while_sending_has_no_answer(handler):
    sent = []

    async def leave():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    asyncio.run(handler({"type": "http", "path": "/plain", "headers": []}, leave, send))
    assert not sent and not opened


def test_a_thread_opens_the_database_again_when_its_file_was_replaced(handler, tmp_path, monkeypatch):
    if connection.vendor != "sqlite":
        pytest.skip("a file in place of a server")
    files = [tmp_path / "a", tmp_path / "b"]
    for file in files:
        file.touch()
    monkeypatch.setitem(connection.settings_dict, "NAME", str(files[0]))
    handler._threads.submit(connections.close_all).result()
    call(handler, "/plain", host="localhost")
    files[1].replace(files[0])
    call(handler, "/plain", host="localhost")
    call(handler, "/plain", host="localhost")
    assert opened[0] is not opened[1] and opened[1] is opened[2]
    with suppress(FileNotFoundError):
        Path(files[0]).unlink()
    call(handler, "/plain", host="localhost")  # a new, empty file
    assert opened[3] is not opened[2]


def test_threads_are_numbered(handler):
    numbers = itertools.count()
    state = call_threads._Thread()
    state.begin(numbers)
    assert (state.number, next(numbers)) == (0, 1)
