"""When periodic tasks are due, by their rows alone: right whatever beat has seen or sent.

A crontab's times are those of its own zone. A time that a clock change leaves out is taken by the clock as it
was before; one that comes twice is taken once, unless the task runs every hour.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django_celery_beat.models import IntervalSchedule, PeriodicTask

MINUTE = timedelta(minutes=1)
_DAY = timedelta(days=1)
_LOOK = 400
"""Days that are searched for a time of a crontab."""

_UNITS = {
    IntervalSchedule.DAYS: 86400,
    IntervalSchedule.HOURS: 3600,
    IntervalSchedule.MINUTES: 60,
    IntervalSchedule.SECONDS: 1,
}


def period(task: PeriodicTask) -> timedelta | None:
    """The length of its interval; None for other kinds of tasks."""
    if task.interval is None:
        return None
    seconds = task.interval.every * _UNITS.get(task.interval.period, 0)
    return timedelta(seconds=max(seconds, 1))


def latest_due(task: PeriodicTask, last: datetime, now: datetime) -> datetime | None:
    """The latest time after `last` and not after `now` at which it is due; None when there is none."""
    if (
        not task.enabled
        or (task.start_time and now < task.start_time)
        or (task.expires and now >= task.expires)
    ):
        return None
    every = period(task)
    if every is not None:
        periods = (now - last) // every
        return last + periods * every if periods > 0 else None
    found = next(_backwards(task, now), None)
    return found if found is not None and found > last else None


def next_due(task: PeriodicTask, last: datetime, now: datetime) -> datetime | None:
    """The next time at which it is due, `now` where one has passed that nobody took; None without one."""
    if not task.enabled or _is_over(task, now):
        return None
    begin = max(now, task.start_time) if task.start_time else now
    every = period(task)
    if every is not None:
        return max(last + every, begin)
    if latest_due(task, last, now) is not None:
        return now
    return next(_forwards(task, begin), None)


def _is_over(task: PeriodicTask, now: datetime) -> bool:
    return bool(task.expires and now >= task.expires)


def _forwards(task: PeriodicTask, now: datetime) -> Iterator[datetime]:
    """The times after `now`, earliest first."""
    for at in _days(task, now, _DAY):
        yield from (found for found in _times(task, at) if found > now)


def _backwards(task: PeriodicTask, now: datetime) -> Iterator[datetime]:
    """The times up to `now`, latest first."""
    for at in _days(task, now, -_DAY):
        yield from (found for found in reversed(_times(task, at)) if found <= now)


def _days(task: PeriodicTask, now: datetime, step: timedelta) -> Iterator[date]:
    """The local days that are searched, from the one before (or after) today, since zones differ."""
    if task.crontab is None and task.clocked is None:
        return
    zone = task.crontab.timezone if task.crontab else UTC
    start = now.astimezone(zone).date() - step
    for number in range(_LOOK):
        yield start + number * step


def _times(task: PeriodicTask, day: date) -> list[datetime]:
    """The times of a local day, in UTC and in order."""
    if task.clocked is not None:
        at = task.clocked.clocked_time.astimezone(UTC)
        return [at] if at.date() == day else []
    found: Any = task.crontab.schedule
    if day.month not in found.month_of_year or day.day not in found.day_of_month:
        return []
    if day.isoweekday() % 7 not in found.day_of_week:
        return []
    folds = (0, 1) if len(found.hour) == 24 else (0,)
    return sorted(
        {
            datetime.combine(day, time(hour, minute, fold=fold), task.crontab.timezone).astimezone(UTC)
            for hour in found.hour
            for minute in found.minute
            for fold in folds
        }
    )
