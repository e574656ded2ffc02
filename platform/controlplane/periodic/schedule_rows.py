"""Schedules of django-celery-beat: lengths of intervals, fields of crontabs, and texts."""

from datetime import timedelta
from zoneinfo import ZoneInfo

from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from controlplane.periodic.crontab import CrontabTimes
from controlplane.periodic.time_zones import UnknownZone

SHORTEST, LONGEST = timedelta(seconds=1), timedelta(days=36_500)
"""Shorter intervals would fill a queue, and longer ones end after the calendar."""

UNITS = {
    IntervalSchedule.DAYS: timedelta(days=1),
    IntervalSchedule.HOURS: timedelta(hours=1),
    IntervalSchedule.MINUTES: timedelta(minutes=1),
    IntervalSchedule.SECONDS: timedelta(seconds=1),
    IntervalSchedule.MICROSECONDS: timedelta(microseconds=1),
}
_TEXT_UNITS = {name.removesuffix("s"): unit for name, unit in UNITS.items()}


def interval_length(row: IntervalSchedule) -> timedelta:
    """Return the length of an interval.

    Raises:
        ValueError: The unit is unknown, or the length is outside `SHORTEST` and `LONGEST`.
    """
    unit = UNITS.get(row.period)
    if unit is None:
        raise ValueError(f"the interval's unit {row.period!r} is unknown; use one of {', '.join(UNITS)}")
    if not max(SHORTEST // unit, 1) <= row.every <= LONGEST // unit:
        raise ValueError(
            f"an interval of {row.every} {row.period} is not from 1 second to {LONGEST.days} days; change it"
        )
    length: timedelta = row.every * unit
    return length


def crontab_of(row: CrontabSchedule) -> tuple[CrontabTimes, ZoneInfo]:
    """Return the fields and the time zone of a crontab.

    Raises:
        ValueError: A field is invalid, the crontab never runs, or its time zone is unknown.
    """
    if not row.timezone or isinstance(row.timezone, UnknownZone):
        raise ValueError(f"the time zone {str(row.timezone or '')!r} is unknown; choose one from the list")
    zone = row.timezone if isinstance(row.timezone, ZoneInfo) else ZoneInfo(str(row.timezone))
    fields = (row.minute, row.hour, row.day_of_month, row.month_of_year, row.day_of_week)
    return CrontabTimes.parse(*map(str, fields)), zone


def interval_text(length: timedelta) -> str:
    """Return a length in words with the largest unit, such as "every hour", "every 90 minutes"."""
    name, unit = next((name, unit) for name, unit in _TEXT_UNITS.items() if length % unit == timedelta())
    number = length // unit
    return f"every {name}" if number == 1 else f"every {number} {name}s"


def timetable_text(task: PeriodicTask) -> str:
    """Return the times of a task in words, also for rows that cannot run."""
    if task.interval is not None:
        try:
            return interval_text(interval_length(task.interval))
        except ValueError:
            return f"every {task.interval.every} {task.interval.period}"
    return str(task.crontab or task.clocked or task.solar or "never")
