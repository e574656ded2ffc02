"""Scheduler for beat: django-celery-beat's, but no bad row stops it, and it fills no queue."""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from celery.beat import SchedulingError
from celery.schedules import schedstate
from django.db import Error as DatabaseProblem
from django.db import OperationalError, connection
from django.utils import timezone
from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry
from django_celery_beat.tzcrontab import TzAwareCrontab
from kombu.exceptions import KombuError

from controlplane.common import clock
from controlplane.common.queues import DEFAULT_QUEUE
from controlplane.common.wakeups import waiting
from controlplane.operations import heartbeats
from controlplane.periodic import row_faults, task_failures
from controlplane.periodic.schedule_rows import crontab_of

MOST_WAITING = 8
DATABASE_RETRY = 1.0  # s

_LOOP = "beat"
_INSTANT = timedelta(microseconds=1)
_NEVER = 86_400.0  # s

logger = logging.getLogger(__name__)


class Crontab(TzAwareCrontab):  # type: ignore[misc] # django-celery-beat has no types
    """A crontab with the times of `controlplane.periodic`, correct also at clock changes."""

    def __init__(self, task: PeriodicTask) -> None:
        row = task.crontab
        super().__init__(
            row.minute, row.hour, row.day_of_week, row.day_of_month, row.month_of_year, tz=row.timezone
        )
        self._fields, self._zone = crontab_of(row)
        self._start: datetime | None = task.start_time

    def is_due(self, last_run_at: datetime) -> schedstate:
        """Return whether a time has passed since the last run, and the seconds until the next one."""
        now = self.nowfunc()
        last = max(last_run_at, self._start - _INSTANT) if self._start else last_run_at
        due = self._fields.previous(now, self._zone, last) is not None
        following = self._fields.next(now, self._zone)
        seconds = _NEVER if following is None else (following - now).total_seconds()
        return schedstate(due, min(seconds, _NEVER))


class RowEntry(ModelEntry):  # type: ignore[misc]
    """A periodic task, read from its row."""

    last_run_at: datetime

    def __init__(self, model: PeriodicTask, app: Any = None) -> None:
        super().__init__(model, app=app)
        if model.crontab is not None:
            self.schedule = Crontab(model)
        if self.last_run_at > timezone.now() + clock.MARGIN:
            self._correct_last_run()

    def is_due(self) -> schedstate:
        """Return whether to send the task now, and the seconds until the next check."""
        start = self.model.start_time
        if start is not None and self.model.crontab is not None and self._default_now() < start:
            return schedstate(False, min((start - self._default_now()).total_seconds(), _NEVER))
        return super().is_due()

    def save(self) -> None:
        """Store only the last run and the count; a user may have changed the rest of the row."""
        values = {name: getattr(self.model, name) for name in ("last_run_at", "total_run_count")}
        PeriodicTask.objects.filter(pk=self.model.pk, enabled=True).update(**values)

    def _correct_last_run(self) -> None:
        """Set a last run in the future to now; otherwise the task would wait until then."""
        logger.warning(
            "%s last ran in the future, at %s; the last run is set to now", self.name, self.last_run_at
        )
        row = PeriodicTask.objects.filter(pk=self.model.pk, last_run_at=self.last_run_at)
        self.last_run_at = self.model.last_run_at = timezone.now()
        row.update(last_run_at=self.last_run_at)


class Scheduler(DatabaseScheduler):  # type: ignore[misc]
    """Schedules from the database; a row that cannot run is skipped and raises an alarm.

    A period is skipped while its queue holds unclaimed messages. So a worker that was stopped for a day finds
    a few wake-ups, not those of a whole day.
    """

    Entry = RowEntry
    wall, monotonic = staticmethod(time.time), staticmethod(time.monotonic)
    _offset: float | None = None
    _failed = True  # until a tick succeeds: an earlier process may have left failures

    def setup_schedule(self) -> None:
        """Read the schedule; retry while the database is unavailable, for example during a restart."""
        while True:
            try:
                return super().setup_schedule()  # type: ignore[no-any-return]
            except OperationalError as error:
                logger.warning("the database cannot be read yet: %s", error)
                connection.close()
                self._initial_read = True  # the first read failed, so the next one counts as the first
                time.sleep(DATABASE_RETRY)

    def all_as_schedule(self) -> dict[str, RowEntry]:
        """Return the entries of all enabled rows that can run, by name."""
        bad = row_faults.report_bad_rows()
        entries: dict[str, RowEntry] = {}
        with task_failures.skipping(_LOOP, "bad_schedule") as skips:
            for model in self.enabled_models():
                if model.name not in bad:
                    with skips.attempt(f"periodic task {model.name}"):
                        entries[model.name] = self.Entry(model, app=self.app)
        return entries

    def enabled_models_qs(self) -> Any:
        """Return all enabled rows: few, and the library's hourly filter fails on unknown zones."""
        return row_faults.with_schedules().filter(enabled=True)

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send what is due; an error ends this tick, but not beat."""
        self._follow_clock()
        try:
            pause: float = super().tick(*args, **kwargs)
        except Exception as error:
            self._recover(error)
            return float(self.max_interval)
        heartbeats.record_heartbeat(heartbeats.BEAT)
        if self._failed:
            self._attempt_write(lambda: task_failures.record_success(_LOOP))
            self._failed = False
        return pause

    def apply_entry(self, entry: ModelEntry, producer: Any = None) -> None:
        """Send `entry`; if this fails, log one line and send it at its next time."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except (SchedulingError, KombuError, OSError) as error:
            logger.warning("%s was not sent: %s", entry.name, error)
        except Exception:
            logger.exception("%s was not sent", entry.name)

    def apply_async(
        self, entry: ModelEntry, producer: Any = None, advance: bool = True, **options: Any
    ) -> Any:
        """Send the task of `entry`, unless its queue has too many unclaimed messages."""
        heartbeats.record_heartbeat(heartbeats.BEAT)
        queue = entry.options.get("queue") or DEFAULT_QUEUE
        if waiting(queue) >= MOST_WAITING:
            return self.reserve(entry) if advance else entry
        return super().apply_async(entry, producer=producer, advance=advance, **options)

    def _follow_clock(self) -> None:
        """Read all rows again if the clock was set: the heap has times of the former clock.

        A task that is due later by the new clock would delay all tasks after it.
        """
        before, self._offset = self._offset, self.wall() - self.monotonic()
        jump = 0.0 if before is None else self._offset - before
        if abs(jump) > clock.MARGIN.total_seconds():
            logger.warning("the clock was set by %+.0f s; all schedules are read again", jump)
            self._heap, self._initial_read = None, True

    def _recover(self, error: Exception) -> None:
        """Read all rows again at the next tick; after a database error, over a new connection."""
        self._heap, self._initial_read, self._failed = None, True, True
        if isinstance(error, DatabaseProblem):
            logger.warning("the database cannot be read: %s", error)
            connection.close()
            return
        logger.exception("beat continues after an error")
        self._attempt_write(lambda: task_failures.record_failure(_LOOP, error))

    @staticmethod
    def _attempt_write(write: Callable[[], None]) -> None:
        try:
            write()
        except DatabaseProblem as error:
            logger.warning("the state of beat cannot be written: %s", error)
