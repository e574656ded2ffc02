"""HTTP calls in threads that are reused, with their database connections.

Django's own ASGI handler starts a thread and opens a connection for each call, and changes threads several
times. Here one thread executes a call from its first query to its answer.
"""

import asyncio
import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.db import connection
from django.http import FileResponse
from django.urls import set_script_prefix

MOST_CALLS = 4096
"""Calls at the same time. Most of them wait for the end of a request; later ones start when one ends."""

KEPT = 8
"""Threads that keep their connection between calls."""

Message = dict[str, Any]


def keep_connections() -> None:
    """Let connections stay open between calls, and check them before their next use."""
    settings.DATABASES["default"] |= {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}


class CallHandler(ASGIHandler):
    """The ASGI application of Django, with synchronous middleware."""

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware()
        self._threads = ThreadPoolExecutor(
            MOST_CALLS, thread_name_prefix="call", initializer=_thread.begin, initargs=(itertools.count(),)
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a call."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        loop = asyncio.get_running_loop()

        def stream(message: Message) -> None:
            asyncio.run_coroutine_threadsafe(send(message), loop).result()

        run = copy_context().run
        for message in await loop.run_in_executor(self._threads, run, self._serve, scope, body, stream):
            await send(message)

    def _serve(self, scope: Message, body: IO[bytes], stream: Callable[[Message], None]) -> list[Message]:
        """Return the messages of an answer; those of a streaming answer are sent to `stream`."""
        _thread.follow_database()
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, refusal = self.create_request(scope, body)
        try:
            response: Any = refusal if request is None else self.get_response(request)
            response._handler_class = self.__class__
            if isinstance(response, FileResponse):
                response.block_size = self.chunk_size
            try:
                messages = _messages(response)
                if not response.streaming:
                    return list(messages)
                for message in messages:
                    stream(message)
                return []
            finally:
                response.close()
        finally:
            body.close()
            _thread.end()


def _messages(response: Any) -> Iterator[Message]:
    headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in response.items()]
    headers += [
        (b"Set-Cookie", cookie.output(header="").encode("ascii").strip())
        for cookie in response.cookies.values()
    ]
    yield {"type": "http.response.start", "status": response.status_code, "headers": headers}
    if response.streaming:
        for part in response:
            for chunk, _ in ASGIHandler.chunk_bytes(part):
                yield {"type": "http.response.body", "body": chunk, "more_body": True}
        yield {"type": "http.response.body"}
        return
    for chunk, last in ASGIHandler.chunk_bytes(response.content):
        yield {"type": "http.response.body", "body": chunk, "more_body": not last}


class _Thread(threading.local):
    """State of each thread."""

    number = 0
    file: tuple[int, int] | None = None

    def begin(self, numbers: Iterator[int]) -> None:
        """Number a new thread."""
        self.number = next(numbers)

    def follow_database(self) -> None:
        """Close a connection to an SQLite file that was replaced, for example by a restore."""
        if connection.vendor != "sqlite":
            return
        try:
            found = Path(str(connection.settings_dict["NAME"])).stat()
        except OSError:
            connection.close()
            return
        file = found.st_dev, found.st_ino
        if self.file not in (None, file):
            connection.close()
        self.file = file

    def end(self) -> None:
        """Close the connection of a thread that does not keep it."""
        if self.number >= KEPT:
            connection.close()


_thread = _Thread()
