"""Progress of control messages: the last completed turn, and the problem since then."""

import logging
import time
from datetime import timedelta

from django.db import DatabaseError
from django.utils import timezone

from controlplane.requestlog import checkpoints

KEPT = "signalling turns"
SECONDS = 5.0
"""Seconds between two records of successful turns."""

logger = logging.getLogger(__name__)


class LoopRecord:
    """Records the turns of one loop in the database; only logs if it is unavailable."""

    def __init__(self) -> None:
        self._noted = float("-inf")
        self._trouble = ""

    def went_well(self) -> None:
        """Record a turn that has processed all messages of its page, and sent the ends."""
        now = time.monotonic()
        if not self._trouble and now - self._noted < SECONDS:
            return
        self._noted, self._trouble = now, ""
        _keep({"at": timezone.now().isoformat(), "trouble": ""})

    def failed(self, trouble: str) -> bool:
        """Record a turn that failed; return whether the problem is a new one."""
        if trouble == self._trouble:
            return False
        self._trouble = trouble
        _keep({"trouble": trouble})
        return True


def last() -> tuple[timedelta | None, str]:
    """Return the time since the last turn (None: never), and the problem since then."""
    kept = checkpoints.recall_or_default(KEPT, {})
    at = checkpoints.read_time(kept.get("at"))
    return (None if at is None else max(timezone.now() - at, timedelta())), kept.get("trouble", "")


def _keep(news: dict[str, str]) -> None:
    try:
        checkpoints.store(KEPT, {**checkpoints.recall_or_default(KEPT, {}), **news})
    except DatabaseError as error:
        logger.warning("the progress of control messages cannot be recorded: %s", error)
