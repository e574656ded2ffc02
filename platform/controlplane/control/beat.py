"""The periodic scheduler: that of django-celery-beat, which adds nothing to a queue that nobody empties."""

import logging
import time
from typing import Any

from django.db import OperationalError, connection
from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry

from controlplane.config.celery_settings import DEFAULT_QUEUE
from controlplane.control.tasks import waiting
from controlplane.observe import heartbeats

MOST_WAITING = 8
DATABASE_RETRY = 1.0  # s

logger = logging.getLogger(__name__)


class Scheduler(DatabaseScheduler):  # type: ignore[misc] # django-celery-beat has no types
    """Schedules from the database; a period is skipped while its queue holds unclaimed messages.

    So a worker that was away for a day finds a handful of wake-ups, not a day's worth.
    """

    def setup_schedule(self) -> None:
        """Read the schedule, once the database is there: it may be restarting while beat starts."""
        while True:
            try:
                return super().setup_schedule()  # type: ignore[no-any-return]
            except OperationalError as error:
                logger.warning("the database cannot be read yet: %s", error)
                connection.close()
                self._initial_read = True  # the first read failed: what is read next is the first
                time.sleep(DATABASE_RETRY)

    def apply_async(
        self, entry: ModelEntry, producer: Any = None, advance: bool = True, **options: Any
    ) -> Any:
        """Send `entry`'s task, unless its queue is not being emptied."""
        heartbeats.note(heartbeats.BEAT)
        queue = entry.options.get("queue") or DEFAULT_QUEUE
        if waiting(queue) >= MOST_WAITING:
            return self.reserve(entry) if advance else entry
        return super().apply_async(entry, producer=producer, advance=advance, **options)
