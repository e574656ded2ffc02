"""Reading of the outbox by id, in a separate thread with its own database connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from django.db import Error as DatabaseError
from django.db import connection

from controlplane.live.protocol import StreamBounds, StreamEvent, event_text
from controlplane.requestlog.models import OutboxEvent

T = TypeVar("T")

_NEWER = f"SELECT 1 FROM {OutboxEvent._meta.db_table} WHERE id > %s LIMIT 1"  # noqa: S608 - of our own model


@dataclass(frozen=True, slots=True)
class OutboxPage:
    """Events in id order; `complete` is false if some events between them were pruned."""

    events: tuple[StreamEvent, ...]
    complete: bool


class OutboxReader:
    """The outbox for one event loop.

    The connection stays open between reads, because opening SQLite several times per second costs more than
    the reads. It is closed after an error and by `close`.
    """

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None

    async def bounds(self) -> StreamBounds:
        """Return the ids of the oldest and the newest event."""
        return await self._in_thread(_bounds)

    async def page(self, after: int, limit: int, characters: int) -> OutboxPage:
        """Return the first events after `after`, up to `limit` and `characters`, but at least one."""
        return await self._in_thread(lambda: _page(after, limit, characters))

    def close(self) -> None:
        """Close thread and connection; the next read opens new ones."""
        if self._thread is not None:
            self._thread.submit(_forget_connection)
            self._thread.shutdown(wait=False)
            self._thread = None

    async def _in_thread(self, read: Callable[[], T]) -> T:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="outbox")
        return await asyncio.get_running_loop().run_in_executor(self._thread, _guarded, read)


def _guarded(read: Callable[[], T]) -> T:
    try:
        return read()
    except DatabaseError:
        connection.close()
        raise


def _forget_connection() -> None:
    connection.close()  # here, because every thread has its own connection


def _bounds() -> StreamBounds:
    # Two reads from the ends of the index: SQLite scans the whole table for MIN and MAX together.
    newest = OutboxEvent.objects.order_by("-id").values_list("id", flat=True).first() or 0
    return StreamBounds(oldest=_oldest() or newest, newest=newest)


def _oldest() -> int:
    return OutboxEvent.objects.order_by("id").values_list("id", flat=True).first() or 0


def _page(after: int, limit: int, characters: int) -> OutboxPage:
    if not _has_newer(after):
        return OutboxPage((), complete=True)
    rows = OutboxEvent.objects.filter(id__gt=after).order_by("id")[:limit]
    events: list[StreamEvent] = []
    for row in rows.iterator(chunk_size=50):
        text = event_text(row.id, row.kind, row.payload, row.created_at.isoformat())
        characters -= len(text)
        if events and characters < 0:
            break
        events.append(StreamEvent(row.id, row.kind, text))
    return OutboxPage(tuple(events), complete=not events or _joins(after, events[0].id))


def _has_newer(after: int) -> bool:
    """Whether there is an event after `after`.

    Each process with an open page asks this ten times per second, and the answer is usually no. The SQL
    statement costs a fifth of a query that Django builds.
    """
    with connection.cursor() as cursor:
        cursor.execute(_NEWER, (after,))
        return cursor.fetchone() is not None


def _joins(after: int, first: int) -> bool:
    """Whether nothing between `after` and `first` was pruned; an unused number is not a gap.

    This is called after the rows were read, so pruning between the two reads cannot hide a gap.
    """
    return after == 0 or first == after + 1 or _oldest() <= after
