"""The poller of a process, which reads the outbox for all live streams into a shared window."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterator

from controlplane.common.notifications.local_notifications import OUTBOX, Subscribers
from controlplane.live.outbox_reader import OutboxPage, OutboxReader
from controlplane.live.protocol import Close, Ended, StreamBounds, StreamEvent

logger = logging.getLogger(__name__)

_subscribers = Subscribers(OUTBOX)


class EventWindow:
    """The latest events, limited in number and characters; `floor` is the id before the first."""

    def __init__(self, floor: int, events: int, characters: int) -> None:
        self.floor = floor
        self.newest = floor
        self._events: list[StreamEvent] = []
        self._characters = 0
        self._limits = events, characters

    def extend(self, events: tuple[StreamEvent, ...]) -> None:
        """Add newer events; remove the oldest if the buffer is full."""
        self._events += events
        self._characters += sum(len(event.text) for event in events)
        self.newest = events[-1].id
        self._trim()

    def after(self, id_: int, limit: int) -> list[StreamEvent]:
        """Return the first `limit` events after `id_`, which must not be below the floor."""
        start = bisect_right(self._events, id_, key=lambda event: event.id)
        return self._events[start : start + limit]

    def _trim(self) -> None:
        most, characters = self._limits
        drop = max(0, len(self._events) - most)
        gone = sum(len(event.text) for event in self._events[:drop])
        while self._characters - gone > characters and drop < len(self._events) - 1:
            gone += len(self._events[drop].text)
            drop += 1
        if drop:
            self.floor = self._events[drop - 1].id
            self._characters -= gone
            del self._events[:drop]


class Cursor:
    """Position of one client in the feed: the id of the last event that was sent to it.

    `ended` is completed with a reason when the feed can no longer serve the client.
    """

    def __init__(self, feed: OutboxFeed, position: int) -> None:
        self.position = position
        self.ended: asyncio.Future[Ended] = asyncio.get_running_loop().create_future()
        self._feed = feed
        self._news = asyncio.Event()

    async def take(self, limit: int, timeout: float) -> list[StreamEvent]:
        """Return the next events in id order, at most `limit`; none after `timeout` seconds.

        Raises:
            Ended: The feed can no longer serve this client.
        """
        events = self._ready(limit)
        if not events:
            self._news.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    await self._news.wait()
            events = self._ready(limit)
        return events

    def notice(self) -> None:
        """Signal new events; end the client if the next event for it is no longer in the window."""
        if self.position < self._feed.window.floor:
            self.end(
                Ended(
                    Close.TOO_SLOW,
                    "the client reads too slowly: too many messages wait for it; connect again and continue",
                )
            )
        self._news.set()

    def _ready(self, limit: int) -> list[StreamEvent]:
        if self.ended.done():
            raise self.ended.result()
        return self._feed.window.after(self.position, limit)

    def end(self, why: Ended) -> None:
        """End the client's events with a reason."""
        if not self.ended.done():
            self.ended.set_result(why)


class OutboxFeed:
    """The poller, which runs from the first client to the last, and its window.

    A client that is behind the window is disconnected. When it reconnects, it finds the missed events in the
    outbox. Full pages are paced, so that a burst in the outbox does not outrun clients that read immediately.

    Args:
        reader: Reads the outbox.
        interval: Time between two reads without a notification, and after a full page, in seconds.
        rest: Least time between two reads, in seconds.
        page: Most events of one read.
        events: Most events in the window.
        characters: Most characters in the window.
        patience: Number of failed reads after which all clients are disconnected.
    """

    def __init__(
        self,
        reader: OutboxReader | None = None,
        *,
        interval: float = 0.1,
        rest: float = 0.02,
        page: int = 250,
        events: int = 5000,
        characters: int = 8_000_000,
        patience: int = 5,
    ) -> None:
        self.reader = OutboxReader() if reader is None else reader
        self.interval = interval
        self.rest = rest
        # A page fills at most half of the window; otherwise it would outrun all clients.
        self.page = min(page, max(1, events // 2))
        self.events = events
        self.characters = characters
        self.patience = patience
        self.window = EventWindow(0, events, characters)
        self._cursors: set[Cursor] = set()
        self._clients = 0
        self._start: asyncio.Task[asyncio.Task[None]] | None = None

    @property
    def running(self) -> bool:
        """Whether there is a poller."""
        return self._start is not None

    @contextlib.asynccontextmanager
    async def joined(self) -> AsyncIterator[StreamBounds]:
        """Register a client for which the poller runs; yield the outbox's bounds."""
        self._clients += 1
        try:
            if self._start is None:
                self._start = asyncio.create_task(self._begin())
            await asyncio.shield(self._start)
            yield await self.reader.bounds()
        finally:
            self._clients -= 1
            if not self._clients:
                self._end()

    @contextlib.contextmanager
    def cursor(self, position: int) -> Iterator[Cursor]:
        """Yield a cursor at `position`, which must be in the window."""
        cursor = Cursor(self, position)
        self._cursors.add(cursor)
        try:
            yield cursor
        finally:
            self._cursors.discard(cursor)

    async def _begin(self) -> asyncio.Task[None]:
        bounds = await self.reader.bounds()
        self.window = EventWindow(bounds.newest, self.events, self.characters)
        return asyncio.create_task(self._poll())

    def _end(self) -> None:
        start, self._start = self._start, None
        if start is not None and not start.cancel() and not start.cancelled() and start.exception() is None:
            start.result().cancel()
        self.reader.close()

    async def _poll(self) -> None:
        failures = 0
        loop, news = asyncio.get_running_loop(), asyncio.Event()

        def notice(_: frozenset[str]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                loop.call_soon_threadsafe(news.set)

        _subscribers.add(notice)
        try:
            while True:
                news.clear()
                full = False
                try:
                    page = await self.reader.page(self.window.newest, self.page, self.characters // 2)
                except Exception:
                    failures += 1
                    self._failed(failures)
                else:
                    failures = 0
                    full = len(page.events) == self.page
                    self._publish(page)
                if failures or full:
                    await asyncio.sleep(self.interval * (1 + min(failures, 20)))
                    continue
                await asyncio.sleep(self.rest)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(max(0.0, self.interval - self.rest)):
                        await news.wait()
        finally:
            _subscribers.remove(notice)

    def _failed(self, failures: int) -> None:
        logger.warning(
            "cannot read the outbox (messages of the live stream), %d times in a row",
            failures,
            exc_info=failures == 1,
        )
        if failures == self.patience:
            self._end_all(
                Ended(
                    Close.FAILED, "the server cannot read new messages from the database; connect again later"
                )
            )

    def _publish(self, page: OutboxPage) -> None:
        if not page.events:
            return
        if not page.complete:
            self._end_all(
                Ended(
                    Close.GAP,
                    "old messages were deleted before this client received them; connect again and reload "
                    "all data",
                )
            )
        self.window.extend(page.events)
        for cursor in tuple(self._cursors):
            cursor.notice()

    def _end_all(self, why: Ended) -> None:
        for cursor in tuple(self._cursors):
            cursor.end(why)
