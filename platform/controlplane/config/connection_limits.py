"""Limits of web connections: 503 before descriptors run out, and closing of stalled ones.

uvicorn has no hook for connections, so `guard` extends the protocol class, which has one object for each.
"""

import asyncio
import json
import logging
import resource
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, NamedTuple

from django.db import Error as DatabaseError
from django.db import connections
from django.template import loader

from controlplane.requestlog import outbox
from controlplane.rest.outages import DESCRIPTORS

RESERVED = 256
"""Descriptors reserved for calls in progress, each of which opens a few files."""

MOST_DESCRIPTORS = 65_536
"""Limit of descriptors that a web process sets for itself, if allowed."""

STALL_SECONDS = 30.0
"""Time limit for the head of a new connection, and then the time between two checks of its progress."""

LEAST_BODY_BYTES = 16_384
"""Bytes that an incomplete request body must receive between two checks."""

REFUSAL_SECONDS = 1.0
"""Time for a refused connection to send its request before the answer."""

REPORT_SECONDS = 10.0
"""Time whose refusals are one alarm."""

NO_RESOURCE = "socket.accept() out of system resource"

logger = logging.getLogger(__name__)


def raise_limit() -> None:
    """Raise this process's limit of descriptors up to MOST_DESCRIPTORS, if the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(MOST_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def guard(protocol: Any) -> "RefusalCounts":
    """Make connections of this uvicorn protocol class refusable while descriptors are scarce."""
    refusals = RefusalCounts(
        loader.get_template("outage.html").render({"outage": DESCRIPTORS, "request_id": "-"})
    )
    accept, receive, resume = protocol.connection_made, protocol.data_received, protocol.resume_writing
    logging.getLogger("asyncio").addFilter(RareFilter())

    def connection_made(self: Any, transport: asyncio.Transport) -> None:
        if is_scarce(transport.get_extra_info("socket").fileno()):
            refusals.refuse(transport)
            return
        accept(self, transport)
        self.progress = BodyProgress(self, transport)
        asyncio.get_running_loop().call_later(STALL_SECONDS, self.progress.check)

    def data_received(self: Any, data: bytes) -> None:
        self.progress.received += len(data)
        receive(self, data)

    def resume_writing(self: Any) -> None:
        self.progress.drained += 1
        resume(self)

    protocol.connection_made = connection_made
    protocol.data_received = data_received
    protocol.resume_writing = resume_writing
    return refusals


class RareFilter(logging.Filter):
    """Filter that passes one record per REPORT_SECONDS about `accept` without a descriptor.

    The event loop of Python 3.11 logs thousands of them per second, which fills a disk.
    """

    _next = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log the record."""
        if not record.getMessage().startswith(NO_RESOURCE):
            return True
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + REPORT_SECONDS
        return True


def is_scarce(descriptor: int) -> bool:
    """Whether a new descriptor is among the last ones; systems assign the lowest free number."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft != resource.RLIM_INFINITY and descriptor >= soft - min(RESERVED, soft // 2)


class _Look(NamedTuple):
    """State of a connection at a check: its call, bytes received, buffer drains, unsent bytes."""

    cycle: Any
    received: int
    drained: int
    unread: int


class BodyProgress:
    """Progress of a connection between two checks; a stalled connection is closed.

    A connection stalls if its client does not complete the head of a request, sends a body too slowly, or
    reads no answer.
    """

    def __init__(self, protocol: Any, transport: asyncio.Transport) -> None:
        self.received = 0
        self.drained = 0
        self._protocol, self._transport = protocol, transport
        self._before = _Look(None, 0, 0, 0)

    def check(self) -> None:
        """Close a stalled connection; otherwise check again later, unless it is a live stream."""
        if self._protocol not in self._protocol.connections:
            return
        now = _Look(
            self._protocol.cycle, self.received, self.drained, self._transport.get_write_buffer_size()
        )
        before, self._before = self._before, now
        reads_nothing = now.unread > 0 and (now.drained, now.unread) == (before.drained, before.unread)
        if now.cycle is before.cycle and (self._owes_input(now.received - before.received) or reads_nothing):
            self._transport.abort()
            return
        asyncio.get_running_loop().call_later(STALL_SECONDS, self.check)

    def _owes_input(self, received: int) -> bool:
        """Whether the client has an incomplete head, or has sent too little of a body."""
        if self._transport.is_closing() or self._protocol.flow.read_paused:
            return False
        cycle = self._protocol.cycle
        if cycle is None:
            return True
        if cycle.response_complete:  # without that timer, a part of the next head has arrived
            return self._protocol.timeout_keep_alive_task is None
        awaited = bool(cycle.more_body) and not cycle.waiting_for_100_continue
        return awaited and received < LEAST_BODY_BYTES


@dataclass(slots=True)
class RefusalCounts:
    """Answers refused connections, and reports their number."""

    page: str
    count: int = 0

    def refuse(self, transport: asyncio.Transport) -> None:
        """Answer the first request of a connection with 503, and close it."""
        loop = asyncio.get_running_loop()
        transport.set_protocol(_RefusedConnection(transport, self.page))
        loop.call_later(REFUSAL_SECONDS, transport.close)
        self.count += 1
        if self.count == 1:
            loop.call_later(REPORT_SECONDS, self._report, loop.run_in_executor)

    def _report(self, run: Callable[..., Any]) -> None:
        count, self.count = self.count, 0
        text = (
            f"a web process refused {count} connections within {REPORT_SECONDS:g} s: it has few file "
            "descriptors left. Raise its limit of open files (LimitNOFILE, `ulimit -n`)"
        )
        logger.warning("%s", text)
        run(None, _raise_alarm, text)


def _raise_alarm(text: str) -> None:
    try:
        outbox.alarm(text)
    except (DatabaseError, OSError) as error:
        logger.warning("the alarm was not written: %s", error)
    finally:
        with suppress(DatabaseError):
            connections.close_all()


class _RefusedConnection(asyncio.Protocol):
    """A connection that gets a 503 for any request."""

    def __init__(self, transport: asyncio.Transport, page: str) -> None:
        self._transport = transport
        self._page = page
        self._answered = False

    def data_received(self, data: bytes) -> None:
        """Answer once, and read the rest of the request; otherwise the system drops the answer."""
        if self._answered:
            return
        self._answered = True
        target = data[:200].partition(b" ")[2]
        self._transport.write(_refusal(self._page, is_api=target.startswith(b"/api/")))
        if self._transport.can_write_eof():
            self._transport.write_eof()
        else:
            self._transport.close()


def _refusal(page: str, *, is_api: bool) -> bytes:
    """Return an HTTP answer: a problem for the API, otherwise a page."""
    name = secrets.token_hex(16)
    if is_api:
        kind, body = "application/problem+json", json.dumps(DESCRIPTORS.problem().to_json(name))
    else:
        kind, body = "text/html; charset=utf-8", page
    content = body.encode()
    status = HTTPStatus(DESCRIPTORS.status)
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(content)}",
        f"Retry-After: {DESCRIPTORS.retry_seconds}",
        f"X-Request-ID: {name}",
        "Cache-Control: no-store",
        "Connection: close",
    ]
    return "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + content
