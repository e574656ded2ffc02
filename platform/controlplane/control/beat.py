"""The periodic scheduler: that of django-celery-beat, which adds nothing to a queue that nobody empties."""

from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry

from controlplane.config.celery_settings import DEFAULT_QUEUE
from controlplane.control.tasks import waiting
from controlplane.observe import heartbeats

MOST_WAITING = 8


class Scheduler(DatabaseScheduler):  # type: ignore[misc] # django-celery-beat has no types
    """Schedules from the database; a period is skipped while its queue holds unclaimed messages.

    So a worker that was away for a day finds a handful of wake-ups, not a day's worth.
    """

    def apply_async(
        self, entry: ModelEntry, producer: Any = None, advance: bool = True, **options: Any
    ) -> Any:
        """Send `entry`'s task, unless its queue is not being emptied."""
        heartbeats.note(heartbeats.BEAT)
        queue = entry.options.get("queue") or DEFAULT_QUEUE
        if waiting(queue) >= MOST_WAITING:
            return self.reserve(entry) if advance else entry
        return super().apply_async(entry, producer=producer, advance=advance, **options)
