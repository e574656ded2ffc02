"""Limits for bodies, addresses and headers, checked before the server stores any of them."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from controlplane.common.problems import Problem, too_large
from controlplane.common.request_id import HEADER, named
from controlplane.rest.strict_json import MAX_BULK_BYTES

AsgiMessage = MutableMapping[str, Any]
AsgiScope = MutableMapping[str, Any]
AsgiReceive = Callable[[], Awaitable[AsgiMessage]]
AsgiSend = Callable[[AsgiMessage], Awaitable[None]]

FORM_OVERHEAD = 64 * 1024
"""Bytes that a form may add to the file in it."""

MAX_BODY = MAX_BULK_BYTES + FORM_OVERHEAD
"""Bytes of the largest body that any API call accepts. Most calls accept less."""

MAX_PAGE_BODY = 1024 * 1024
"""Bytes of the largest body outside of the API: forms of pages."""

MAX_TARGET = 16 * 1024
"""Bytes of a path with its query."""

MAX_HEADERS = 64 * 1024
"""Bytes of all headers of a call, names and values."""


class Intake:
    """ASGI middleware that limits calls. Django alone would store every body in a file first.

    A body above the limit is refused (413): by its `Content-Length`, or as soon as too many bytes arrive.
    Addresses (414) and headers (431) above their limits are refused before any of the body is read.
    """

    def __init__(self, inner: Callable[..., Awaitable[None]]) -> None:
        self.inner = inner

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Pass the call to the application, or refuse it."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        limit = MAX_BODY if scope["path"].startswith("/api/") else MAX_PAGE_BODY
        problem = _refused(scope, limit)
        if problem is None:
            body = _LimitedBody(receive, send, limit)
            await self.inner(scope, body.receive, body.send)
            problem = _beyond(limit) if body.left < 0 and not body.answered else None
        if problem is not None:
            await _send_problem(scope, send, problem)


class _LimitedBody:
    """Body of a call. It ends for the application when it exceeds the limit."""

    def __init__(self, receive: AsgiReceive, send: AsgiSend, limit: int) -> None:
        self._receive = receive
        self._send = send
        self.left = limit
        self.answered = False

    async def receive(self) -> AsgiMessage:
        """Return the next part; after too many bytes, report that the client has disconnected."""
        message = await self._receive()
        self.left -= len(message.get("body", b""))
        return message if self.left >= 0 else {"type": "http.disconnect"}

    async def send(self, message: AsgiMessage) -> None:
        """Send a part of the answer."""
        self.answered = True
        await self._send(message)


def _refused(scope: AsgiScope, limit: int) -> Problem | None:
    """Return the problem if address, headers or announced body are too large, else None."""
    target = len(scope.get("raw_path") or scope["path"].encode()) + len(scope.get("query_string", b""))
    if target > MAX_TARGET:
        detail = f"Path and query have {target} bytes; at most {MAX_TARGET} are allowed. Split the call."
        return Problem(414, "uri_too_long", detail)
    headers = sum(len(name) + len(value) for name, value in scope["headers"])
    if headers > MAX_HEADERS:
        detail = f"The headers have {headers} bytes; at most {MAX_HEADERS} are allowed. Shorten them."
        return Problem(431, "headers_too_large", detail)
    announced = _header(scope, b"content-length")
    if announced.isdigit() and (len(announced) > 19 or int(announced) > limit):
        return _beyond(limit)
    return None


def _beyond(limit: int) -> Problem:
    return too_large(f"The body is larger than {limit} bytes. Split it into several calls.")


def _header(scope: AsgiScope, wanted: bytes) -> str:
    found: list[bytes] = [value for name, value in scope["headers"] if name.lower() == wanted]
    return found[0].decode("latin-1") if found else ""


async def _send_problem(scope: AsgiScope, send: AsgiSend, problem: Problem) -> None:
    name = named(_header(scope, HEADER.lower().encode()))
    body = json.dumps(problem.to_json(name)).encode()
    headers = (
        ("Content-Type", "application/problem+json"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        (HEADER, name),
        ("Connection", "close"),
    )
    raw = [(key.lower().encode(), value.encode()) for key, value in headers]
    await send({"type": "http.response.start", "status": problem.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
