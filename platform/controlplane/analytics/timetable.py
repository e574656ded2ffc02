"""Due times of periodic tasks from their rows alone, independent of what beat has sent.

The rows must be valid (`controlplane.periodic.row_faults`); for others the functions raise.
"""

from datetime import datetime, timedelta

from django_celery_beat.models import PeriodicTask

from controlplane.periodic.schedule_rows import crontab_of, interval_length

_INSTANT = timedelta(microseconds=1)


def period(task: PeriodicTask) -> timedelta | None:
    """Return the length of the task's interval; None if it has no valid one."""
    if task.interval is None:
        return None
    try:
        return interval_length(task.interval)
    except ValueError:
        return None


def latest_due(task: PeriodicTask, last: datetime, now: datetime) -> datetime | None:
    """Return the latest due time after `last`, up to `now`; None if there is none."""
    if (
        not task.enabled
        or (task.start_time and now < task.start_time)
        or (task.expires and now >= task.expires)
    ):
        return None
    if task.interval is not None:
        every = interval_length(task.interval)
        periods = (now - last) // every
        return last + periods * every if periods > 0 else None
    if task.crontab is not None:
        crontab, zone = crontab_of(task.crontab)
        begin = max(last, task.start_time - _INSTANT) if task.start_time else last
        return crontab.previous(now, zone, begin)
    if task.clocked is not None and last < task.clocked.clocked_time <= now:
        at: datetime = task.clocked.clocked_time
        return at
    return None


def next_due(task: PeriodicTask, last: datetime, now: datetime) -> datetime | None:
    """Return the next due time, `now` for a missed one; None if there is none."""
    if not task.enabled or (task.expires and now >= task.expires):
        return None
    begin = max(now, task.start_time) if task.start_time else now
    found = _next(task, last, now, begin)
    return None if found is None or (task.expires and found >= task.expires) else found


def _next(task: PeriodicTask, last: datetime, now: datetime, begin: datetime) -> datetime | None:
    if task.interval is not None:
        return max(last + interval_length(task.interval), begin)
    if latest_due(task, last, now) is not None:
        return now
    if task.crontab is not None:
        crontab, zone = crontab_of(task.crontab)
        return crontab.next(begin - _INSTANT if begin > now else begin, zone)
    at: datetime | None = task.clocked.clocked_time if task.clocked is not None else None
    return None if at is None or at <= last else max(begin, at)
