"""Waits of calls for requests and operations that another process of this machine ends."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from controlplane.common.notifications import local_notifications
from controlplane.common.notifications.local_notifications import ENDED, Subscribers

Pause = Callable[[float], object]
"""Waits at most this time, in seconds."""


def request_name(pk: int) -> str:
    """Return the name of a request in notifications."""
    return f"r{pk}"


def operation_name(pk: int) -> str:
    """Return the name of an operation in notifications."""
    return f"o{pk}"


def notify_ended(names: Iterable[str]) -> None:
    """Notify the calls that wait for these requests, or for a request of these operations."""
    local_notifications.notify(ENDED, names)


class _Waits:
    """The waiting calls of this process, by the names of what they wait for."""

    def __init__(self) -> None:
        self._events: dict[str, set[threading.Event]] = {}
        self._lock = threading.Lock()
        self._subscribers = Subscribers(ENDED)
        self._subscribed = False

    @contextmanager
    def watching(self, name: str) -> Iterator[Pause]:
        """Yield a pause that ends early at the next notification with this name."""
        event = threading.Event()
        with self._lock:
            self._events.setdefault(name, set()).add(event)
            first, self._subscribed = not self._subscribed, True
        if first:
            self._subscribers.add(self._notice)

        def pause(seconds: float) -> None:
            if event.wait(seconds):
                event.clear()

        try:
            yield pause
        finally:
            with self._lock:
                self._events[name].discard(event)
                if not self._events[name]:
                    del self._events[name]

    def _notice(self, names: frozenset[str]) -> None:
        with self._lock:
            found = [event for name in names & self._events.keys() for event in self._events[name]]
        for event in found:
            event.set()


watching = _Waits().watching
