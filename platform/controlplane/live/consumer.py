"""The WebSocket consumer: one live stream, from the handshake to its end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import Error as DatabaseError

from controlplane.live import protocol
from controlplane.live.feed import Cursor, OutboxFeed
from controlplane.live.openers import Opener, identify, may_see
from controlplane.live.protocol import Close, Ended, LiveError, Ping, ResumePoint, StreamBounds, StreamEvent
from controlplane.live.stream_limits import SECONDS, Openings, Pace, Rate, StreamPlaces, address_of

logger = logging.getLogger(__name__)

ReceiveFunction = Callable[[], Coroutine[Any, Any, dict[str, Any]]]


class ClientGone(LiveError):  # noqa: N818 - named by meaning
    """The client disconnected during a message."""


FEED = OutboxFeed()
"""The only feed of this process, idle until its first client."""

PLACES = StreamPlaces()
"""The streams of this process."""

OPENINGS = Openings()
"""The unauthenticated connections of this process."""

LOG_INS = ThreadPoolExecutor(4, thread_name_prefix="log-in")
"""Separate threads, so that log-ins that wait for the database delay no message of open streams."""

CALLERS = Rate()
"""Messages of each caller in this process."""


class LiveConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """Stream of one client.

    A single task (`_stream`) sends everything but pongs, so messages keep their order. The end of the
    stream completes `_ended`. The reason is sent even while that task waits for a client that does not read.
    """

    feed: ClassVar[OutboxFeed] = FEED
    grace: ClassVar[float] = 5.0
    """Seconds to wait for `from` after the hello; then the stream continues from the hello."""
    pulse: ClassVar[float] = 10.0
    """Seconds of silence after which the server sends `ping`."""
    recheck: ClassVar[float] = 30.0
    """Seconds between two checks of the log-in."""
    farewell: ClassVar[float] = 30.0
    """Seconds for a client that does not read to still receive the reason of the end."""
    batch: ClassVar[int] = 100

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args)
        for name, value in kwargs.items():
            setattr(self, name, value)
        self._wanted = ResumePoint(None)
        self._pace = Pace(CALLERS)
        self._said = asyncio.Event()
        self._ended: asyncio.Future[Ended] = asyncio.get_running_loop().create_future()
        self._given_up = asyncio.Event()
        self._streaming = False
        self._unasked: int | None = None
        self._service: asyncio.Task[None] | None = None

    async def __call__(self, scope: Any, receive: ReceiveFunction, send: Any) -> None:
        """Run the stream, unless too many are opened; a refusal here reads no database."""
        try:
            self._opening = OPENINGS.enter(address_of(scope))
        except Ended as refused:
            await _refuse_handshake(scope, receive, send, refused)
            return
        try:
            await self._run(scope, receive, send)
        finally:
            self._opening.leave()

    async def _run(self, scope: Any, receive: ReceiveFunction, send: Any) -> None:
        """Run the stream; disconnect a client that never reads its end, so that it notices."""

        async def receive_or_leave() -> dict[str, Any]:
            hearing = asyncio.ensure_future(receive())
            giving_up = asyncio.ensure_future(self._given_up.wait())
            try:
                await asyncio.wait({hearing, giving_up}, return_when=asyncio.FIRST_COMPLETED)
                return hearing.result() if hearing.done() else {"type": "websocket.disconnect", "code": 1006}
            finally:
                hearing.cancel()
                giving_up.cancel()

        await super().__call__(scope, receive_or_leave, send)

    async def connect(self) -> None:
        """Accept the client, or send the reason; browsers show a reason only for accepted sockets."""
        await self.accept()
        try:
            self.opener = await _identified(self.scope)
        except Ended as refused:
            await self.close(int(refused.close), refused.reason)
        except DatabaseError:
            logger.exception("a log-in cannot be checked")
            await self.close(int(Close.FAILED), "the log-in cannot be checked at the moment; connect again")
        else:
            self._opening.leave()
            self._service = asyncio.create_task(self._serve())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Process a message of the client; an invalid one ends the stream."""
        if self._service is None or self._ended.done():
            return
        try:
            self._pace.hear(self.opener.name)
            await self._heed(text_data)
        except Ended as refused:
            self._end(refused)

    async def disconnect(self, code: int) -> None:
        """Stop everything for a client that has disconnected."""
        if self._service is not None:
            self._service.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._service

    async def _heed(self, text: str | None) -> None:
        if text is None:
            raise Ended(Close.BAD_MESSAGE, "the message is binary; send text messages")
        match protocol.parse(text):
            case Ping():
                await self.send(protocol.pong())
            case ResumePoint() as wanted if not self._streaming and not self._said.is_set():
                self._wanted = wanted
                self._said.set()
            case ResumePoint(id_) if self._unasked is not None and id_ in (None, self._unasked):
                self._unasked = None  # late, but it requests what it receives
            case ResumePoint():
                raise Ended(
                    Close.BAD_MESSAGE,
                    "the client sent `from` again after the stream started; send it once, after the message "
                    "`hello`",
                )

    def _end(self, why: Ended) -> None:
        if not self._ended.done():
            self._ended.set_result(why)

    async def _serve(self) -> None:
        """Stream until something ends it, then send the reason to the client."""
        try:
            with PLACES.taken(self.opener.name):
                await self._serve_in_place()
        except Ended as refused:
            await self._send_end(refused)

    async def _serve_in_place(self) -> None:
        tasks = [asyncio.create_task(self._stream()), asyncio.create_task(self._watch_log_in())]
        try:
            ends: list[asyncio.Future[Any]] = [self._ended, *tasks]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if self._ended.done():
            await self._send_end(self._ended.result())

    async def _send_end(self, why: Ended) -> None:
        try:
            async with asyncio.timeout(self.farewell):
                await self.send(protocol.error(why))
                await self.close(int(why.close), why.reason)
        except TimeoutError:
            self._given_up.set()
        except OSError:
            return

    async def _stream(self) -> None:
        try:
            async with self.feed.joined() as bounds:
                await self._say(protocol.hello(bounds))
                position = await self._agree(bounds)
                position = await self._catch_up(position)
                with self.feed.cursor(position) as cursor:
                    cursor.ended.add_done_callback(lambda ended: self._end(ended.result()))
                    await self._follow(cursor)
        except Ended as why:
            self._end(why)
        except ClientGone:
            pass
        except Exception:
            logger.exception("a live stream failed")
            self._end(Ended(Close.FAILED, "the live stream failed at the server; connect again"))

    async def _agree(self, greeted: StreamBounds) -> int:
        """Return the id after which this stream starts, once the client has sent a possible one."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.grace):
                await self._said.wait()
        while True:
            self._streaming = True
            id_ = greeted.newest if self._wanted.id is None else self._wanted.id
            served, message = protocol.answer_resume(await self.feed.reader.bounds(), id_)
            if not served:
                self._streaming = False
                self._said.clear()
            await self._say(message)
            if served:
                self._unasked = None if self._said.is_set() else id_
                return id_
            await self._said.wait()

    async def _catch_up(self, position: int) -> int:
        """Send from the outbox, at the client's pace, until the feed's window has the next event."""
        while position < self.feed.window.floor:
            page = await self.feed.reader.page(position, self.feed.page, self.feed.characters)
            if not page.complete or not page.events:
                raise Ended(
                    Close.GAP,
                    "old messages were deleted before this client received them; connect again and reload "
                    "all data",
                )
            for event in page.events:
                await self._show(event)
            position = page.events[-1].id
        return position

    async def _follow(self, cursor: Cursor) -> None:
        while True:
            events = await cursor.take(self.batch, self.pulse)
            for event in events:
                await self._show(event)
                cursor.position = event.id
            if not events:
                cursor.position = self.feed.window.newest
                await self._say(protocol.ping(cursor.position))

    async def _show(self, event: StreamEvent) -> None:
        if may_see(self.opener.user, event):
            await self._say(event.text)

    async def _say(self, text: str) -> None:
        try:
            await self.send(text)
        except OSError:
            raise ClientGone from None

    async def _watch_log_in(self) -> None:
        """End the stream when the session, the token or the user is no longer valid."""
        task = asyncio.current_task()
        while task is not None and not task.cancelling():  # asgiref does not propagate a cancellation
            await asyncio.sleep(self.recheck)
            try:
                self.opener = await _identified(self.scope)
            except Ended as refused:
                self._end(refused)
            except DatabaseError:
                logger.warning("a log-in cannot be checked again; the stream continues", exc_info=True)


async def _identified(scope: Any) -> Opener:
    check = database_sync_to_async(identify, thread_sensitive=False, executor=LOG_INS)
    opener: Opener = await check(scope)
    return opener


async def _refuse_handshake(scope: Any, receive: ReceiveFunction, send: Any, why: Ended) -> None:
    """Answer the handshake with 429, or reject it if the server cannot send an answer."""
    await receive()
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": int(why.close), "reason": why.reason})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"retry-after", b"%d" % SECONDS)]
    start = {"type": "websocket.http.response.start", "status": 429, "headers": headers}
    await send(start)
    await send({"type": "websocket.http.response.body", "body": why.detail.encode(), "more_body": False})
