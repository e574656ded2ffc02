"""Whether control messages get ahead: when the loop last did a turn, and what stands in its way since."""

import logging
import time
from datetime import timedelta

from django.db import DatabaseError
from django.utils import timezone

from controlplane.requestlog import checkpoints

KEPT = "signalling turns"
SECONDS = 5.0
"""Between two notes of turns that went well."""

logger = logging.getLogger(__name__)


class Turns:
    """Notes of one loop's turns, in the database for whoever asks. A database that is away passes."""

    def __init__(self) -> None:
        self._noted = float("-inf")
        self._trouble = ""

    def went_well(self) -> None:
        """A turn was done: all messages of its page were handled, and ends told."""
        now = time.monotonic()
        if not self._trouble and now - self._noted < SECONDS:
            return
        self._noted, self._trouble = now, ""
        _keep({"at": timezone.now().isoformat(), "trouble": ""})

    def failed(self, trouble: str) -> bool:
        """A turn was not done; whether that is another trouble than before."""
        if trouble == self._trouble:
            return False
        self._trouble = trouble
        _keep({"trouble": trouble})
        return True


def last() -> tuple[timedelta | None, str]:
    """How long ago the last turn was done (None: never), and the trouble since."""
    kept = checkpoints.recall_or_default(KEPT, {})
    at = checkpoints.moment(kept.get("at"))
    return (None if at is None else max(timezone.now() - at, timedelta())), kept.get("trouble", "")


def _keep(news: dict[str, str]) -> None:
    try:
        checkpoints.keep(KEPT, {**checkpoints.recall_or_default(KEPT, {}), **news})
    except DatabaseError as error:
        logger.warning("how control messages get ahead could not be noted: %s", error)
