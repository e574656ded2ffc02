"""Heartbeats of workers and beat, stored in the database for readers on any machine."""

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
"""Process kinds: workers of the planner's, the monitoring and the analytics queue; and beat."""

NAMES = (WORKER, WATCHER, ANALYTICS, BEAT)
SECONDS = 10.0
"""Seconds between two heartbeats."""

LACKS = (DatabaseError, OSError, MemoryError)
"""Errors of a process without database, disk, descriptors or memory."""

logger = logging.getLogger(__name__)

_last: dict[str, float] = {}


def record_heartbeat(name: str) -> None:
    """Record that a process of this kind runs, at most once in `SECONDS`.

    A missing resource (database, descriptors, memory) is not an error here. The function logs it. When the
    resource is available again, an alarm reports the cause and the time.
    """
    now = time.monotonic()
    if now - _last.get(name, -SECONDS) < SECONDS:
        return
    _last[name] = now
    try:
        checkpoints.store(_key(name), timezone.now().isoformat())
        write_interruptions.record_end(name)
    except LACKS as error:
        logger.warning("the heartbeat of %s was not written: %s", name, error)
        write_interruptions.begin(name, str(error) or type(error).__name__)


def age(name: str) -> timedelta | None:
    """Return the time since the last heartbeat of this kind of process; None if there was none.

    A heartbeat in the future means that the clock was set back since. A running process corrects it within
    `SECONDS`.
    """
    kept = checkpoints.recall_or_default(_key(name), "")
    seen = checkpoints.read_time(kept)
    now = timezone.now()
    if seen is None:
        return None
    return seen - now if seen > now + clock.MARGIN else max(now - seen, timedelta())


class Pulse(threading.Thread):
    """Thread that writes a worker's heartbeats during its work, and watches its disks."""

    def __init__(self, names: Iterable[str]) -> None:
        self._of = tuple(names)
        super().__init__(name=f"pulse of {', '.join(self._of)}", daemon=True)
        self._over = threading.Event()

    def run(self) -> None:
        """Write heartbeats until `stop`; no error ends the loop."""
        while True:
            try:
                self._beat()
            except Exception:
                logger.exception("a heartbeat failed; the next one follows in %g s", SECONDS)
            if self._over.wait(SECONDS):
                return

    def _beat(self) -> None:
        try:
            for name in self._of:
                record_heartbeat(name)
            disk_space.record()
        finally:
            connections.close_all()

    def stop(self) -> None:
        """End the loop."""
        self._over.set()


def _key(name: str) -> str:
    return f"life of {name}"
