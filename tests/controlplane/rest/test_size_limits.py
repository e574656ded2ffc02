"""Calls beyond a limit are refused before Django stores any of their content."""

import asyncio
import json

import pytest

from controlplane.rest.size_limits import (
    FORM_OVERHEAD,
    MAX_BODY,
    MAX_HEADERS,
    MAX_PAGE_BODY,
    MAX_TARGET,
    Intake,
)

API, PAGE = "/api/v1/topics/", "/login/"


class Inner:
    """Application that reads a whole body; `pieces` are the received parts."""

    def __init__(self):
        self.pieces = []
        self.called = False

    async def __call__(self, scope, receive, send):
        self.called = True
        while (message := await receive())["type"] == "http.request":
            self.pieces.append(len(message["body"]))
            if not message["more_body"]:
                await send({"type": "http.response.start", "status": 204, "headers": []})
                await send({"type": "http.response.body", "body": b""})
                return


def call(path=API, query=b"", headers=(), pieces=()):
    """Return the inner application after a call, the status, and the problem if there is one."""
    inner, sent, waiting = Inner(), [], [*pieces, 0]

    async def receive():
        size = waiting.pop(0)
        return {"type": "http.request", "body": b" " * size, "more_body": bool(waiting)}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "path": path, "query_string": query, "headers": list(headers)}
    asyncio.run(Intake(inner)(scope, receive, send))
    start, body = sent
    document = json.loads(body["body"]) if body["body"] else None
    if document:
        found = dict(start["headers"])
        assert found[b"content-type"] == b"application/problem+json"
        assert found[b"x-request-id"].decode() == document["request_id"]
        assert int(found[b"content-length"]) == len(body["body"])
    return inner, start["status"], document


def length(number):
    return [(b"content-length", str(number).encode())]


@pytest.mark.parametrize(
    "path, headers, limit, code",
    [
        (API, length(MAX_BODY + 1), MAX_BODY, 413),
        (API, length("9" * 5000), MAX_BODY, 413),
        (PAGE, length(MAX_PAGE_BODY + 1), MAX_PAGE_BODY, 413),
        (API, [(b"cookie", b"x" * MAX_HEADERS)], MAX_HEADERS, 431),
        (API + "x" * MAX_TARGET, [], MAX_TARGET, 414),
    ],
)
def test_body_with_a_large_length_is_not_read(path, headers, limit, code):
    inner, status, document = call(path, headers=[*headers, (b"x-request-id", b"mine-12345")])
    assert not inner.called
    assert status == document["status"] == code and str(limit) in document["detail"]
    assert document["request_id"] == "mine-12345"


def test_query_counts_as_part_of_the_address():
    assert call(query=b"q=" + b"x" * MAX_TARGET)[2]["type"].endswith("uri_too_long")
    assert call(query=b"q=" + b"x" * (MAX_TARGET - len(API) - 2))[1] == 204


def test_body_without_length_is_limited():
    mebibyte = 1 << 20
    inner, status, document = call(pieces=[mebibyte] * 1000)
    assert status == 413 and str(MAX_BODY) in document["detail"]
    assert sum(inner.pieces) <= MAX_BODY
    inner, status, _ = call(pieces=[mebibyte] * 32 + [FORM_OVERHEAD])
    assert status == 204 and sum(inner.pieces) == MAX_BODY
