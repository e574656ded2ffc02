"""Numbered events in a bounded ring, for readers that poll and wait."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from time import monotonic, time

from controller_app.clock import utc_now
from controller_app.ryu_api import Queue, QueueEmpty

KEPT = 4096


@dataclass(frozen=True, slots=True)
class EventPage:
    """Events after an id. With `gap`, some events are lost, or the id is not of this ring."""

    events: tuple[dict[str, object], ...]
    oldest: int
    newest: int
    gap: bool

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form."""
        return {"events": list(self.events), "oldest": self.oldest, "newest": self.newest, "gap": self.gap}


class EventRing:
    """Ring of the latest events.

    The first id is the time in milliseconds, so the ids of a restarted controller are larger.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._ring: deque[tuple[int, dict[str, object]]] = deque(maxlen=kept)
        self._newest = int(time() * 1000)
        self._waiting: set[Queue] = set()

    @property
    def newest(self) -> int:
        """The id of the latest event; before the first event, its id minus one."""
        return self._newest

    def emit(self, kind: str, **fields: object) -> None:
        """Add an event and wake all waiting readers."""
        self._newest += 1
        self._ring.append((self._newest, {"id": self._newest, "at": utc_now(), "kind": kind, **fields}))
        for queue in self._waiting:
            queue.put(None)
        self._waiting.clear()

    def after(self, last: int, wait: float) -> EventPage:
        """Return the events after the id `last`; wait up to `wait` seconds if there is none."""
        deadline = monotonic() + wait
        page = self._page(last)
        while not page.events and not page.gap and (left := deadline - monotonic()) > 0:
            self._sleep(left)
            page = self._page(last)
        return page

    def _page(self, last: int) -> EventPage:
        oldest = self._ring[0][0] if self._ring else self._newest + 1
        gap = not oldest - 1 <= last <= self._newest
        found = tuple(event for number, event in self._ring if gap or number > last)
        return EventPage(found, oldest, self._newest, gap)

    def _sleep(self, seconds: float) -> None:
        queue = Queue()
        self._waiting.add(queue)
        try:
            queue.get(timeout=seconds)
        except QueueEmpty:
            pass
        finally:
            self._waiting.discard(queue)
