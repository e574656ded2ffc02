"""Signs of life of workers and beat, kept in the database for whoever asks on another machine."""

import logging
import threading
import time
from collections.abc import Iterable
from datetime import timedelta

from django.db import Error as DatabaseError
from django.db import connections
from django.utils import timezone

from controlplane.common import clock
from controlplane.operations import disk_space, write_interruptions
from controlplane.requestlog import checkpoints

WORKER, WATCHER, ANALYTICS, BEAT = "worker", "watcher", "analytics", "beat"
"""Who serves the planner's queue, the one of watching and periodic work, that of analytics; and beat."""

NAMES = (WORKER, WATCHER, ANALYTICS, BEAT)
SECONDS = 10.0
"""Between two signs of life."""

LACKS = (DatabaseError, OSError, MemoryError)
"""Errors of a process that lacks its database, disk, descriptors or memory."""

logger = logging.getLogger(__name__)

_last: dict[str, float] = {}


def note(name: str) -> None:
    """Record that a process of this kind lives, at most once in `SECONDS`.

    Nothing that the process lacks (its database, descriptors, memory) is an error here: it is logged, and
    when it has passed, an alarm has its cause and time.
    """
    now = time.monotonic()
    if now - _last.get(name, -SECONDS) < SECONDS:
        return
    _last[name] = now
    try:
        checkpoints.keep(_key(name), timezone.now().isoformat())
        write_interruptions.record_end(name)
    except LACKS as error:
        logger.warning("no sign of life of %s written: %s", name, error)
        write_interruptions.begin(name, str(error) or type(error).__name__)


def age(name: str) -> timedelta | None:
    """Return how long ago a process of this kind last gave a sign of life; None: never.

    One in the future is of a clock that was set back since: a process that lives corrects it in `SECONDS`.
    """
    kept = checkpoints.recall_or_default(_key(name), "")
    seen = checkpoints.moment(kept)
    now = timezone.now()
    if seen is None:
        return None
    return seen - now if seen > now + clock.MARGIN else max(now - seen, timedelta())


class Pulse(threading.Thread):
    """Gives a worker's signs of life beside its work, however long that takes, and watches its disks."""

    def __init__(self, names: Iterable[str]) -> None:
        self._of = tuple(names)
        super().__init__(name=f"pulse of {', '.join(self._of)}", daemon=True)
        self._over = threading.Event()

    def run(self) -> None:
        """Until `stop`; no error ends it."""
        while True:
            try:
                self._beat()
            except Exception:
                logger.exception("a sign of life failed; the next one comes in %g s", SECONDS)
            if self._over.wait(SECONDS):
                return

    def _beat(self) -> None:
        try:
            for name in self._of:
                note(name)
            disk_space.record()
        finally:
            connections.close_all()

    def stop(self) -> None:
        """No more of them."""
        self._over.set()


def _key(name: str) -> str:
    return f"life of {name}"
