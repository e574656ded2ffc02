"""Signs of life of workers and beat, kept in the database for whoever asks on another machine."""

import logging
import threading
import time
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import DatabaseError, connections
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from controlplane.control import watermarks
from controlplane.observe import disks

WORKER, WATCHER, ANALYTICS, BEAT = "worker", "watcher", "analytics", "beat"
"""Who serves the planner's queue, the one of watching and periodic work, that of analytics; and beat."""

NAMES = (WORKER, WATCHER, ANALYTICS, BEAT)
SECONDS = 10.0
"""Between two signs of life."""

logger = logging.getLogger(__name__)

_last: dict[str, float] = {}


def note(name: str) -> None:
    """A process of this kind lives; written at most once in `SECONDS`. A database that is away passes."""
    now = time.monotonic()
    if now - _last.get(name, -SECONDS) < SECONDS:
        return
    _last[name] = now
    try:
        watermarks.keep(_key(name), timezone.now().isoformat())
    except DatabaseError as error:
        logger.warning("no sign of life of %s written: %s", name, error)


def age(name: str) -> timedelta | None:
    """How long ago a process of this kind last gave a sign of life; None: never."""
    kept = watermarks.recall_or_default(_key(name), "")
    seen = _moment(kept)
    return None if seen is None else max(timezone.now() - seen, timedelta())


class Pulse(threading.Thread):
    """Gives a worker's signs of life beside its work, however long that takes, and watches its disks."""

    def __init__(self, names: Iterable[str]) -> None:
        self._of = tuple(names)
        super().__init__(name=f"pulse of {', '.join(self._of)}", daemon=True)
        self._over = threading.Event()

    def run(self) -> None:
        """Until `stop`."""
        while True:
            for name in self._of:
                note(name)
            disks.record()
            connections.close_all()
            if self._over.wait(SECONDS):
                return

    def stop(self) -> None:
        """No more of them."""
        self._over.set()


def _moment(text: str) -> datetime | None:
    """The time that `text` is; None for any other text, which only SQL can have put there."""
    try:
        seen = parse_datetime(text)
    except ValueError:
        return None
    return None if seen is None or seen.tzinfo is None else seen


def _key(name: str) -> str:
    return f"life of {name}"
