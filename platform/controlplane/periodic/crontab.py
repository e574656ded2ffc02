"""Times of a crontab: the next and the previous one, found by jumping from field to field.

A day has to be in all three of `days`, `months` and `weekdays`, as in Celery. Times are those of the clock in
one time zone. A time that a clock change skips is taken by the offset before the change. A time that occurs
twice is taken at its first occurrence, and at both where the crontab runs in every hour.
"""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from celery.schedules import ParseException, crontab_parser

_CYCLE_YEARS = 400
"""The Gregorian calendar repeats after so many years, weekdays included."""

_DAY = timedelta(days=1)
_SHIFT_DAYS = 2
"""Clock changes move a time by at most a day (Pacific/Apia skipped one), and offsets by less than another."""

_LONGEST_MONTHS = {**dict.fromkeys(range(1, 13), 31), 2: 29, 4: 30, 6: 30, 9: 30, 11: 30}


@dataclass(frozen=True, slots=True)
class Crontab:
    """The fields of a crontab as ascending numbers; Sunday is 0."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]

    @classmethod
    def parse(cls, minute: str, hour: str, day: str, month: str, weekday: str) -> "Crontab":
        """Read the five fields as Celery does.

        Raises:
            ValueError: A field cannot be read, or no date has these days and months (31 February).
        """
        found = cls(
            _field("minute", minute, 60, 0),
            _field("hour", hour, 24, 0),
            _field("day of the month", day, 31, 1),
            _field("month", month, 12, 1),
            _field("day of the week", weekday, 7, 0),
        )
        if not any(number <= _LONGEST_MONTHS[month] for month in found.months for number in found.days):
            raise ValueError(
                f"day {day!r} of month {month!r} is in no calendar year, so the crontab never runs; "
                "change the day or the month"
            )
        return found

    def next(self, after: datetime, zone: tzinfo) -> datetime | None:
        """The earliest time later than `after`, in UTC; None when the calendar ends before one."""
        best: datetime | None = None
        last: date | None = None
        for day in self._dates(after.astimezone(zone).date(), step=1):
            if last is not None and day > last:
                break
            later = (found for found in self._times(day, zone, after, None))
            found = min(later, default=None)
            if found is not None and (best is None or found < best):
                best = found
                last = last or _moved(day, _SHIFT_DAYS)
        return best

    def previous(self, until: datetime, zone: tzinfo, after: datetime) -> datetime | None:
        """The latest time not later than `until` and later than `after`, in UTC; None when there is none."""
        best: datetime | None = None
        last = _moved(after.astimezone(zone).date(), -_SHIFT_DAYS)
        for day in self._dates(until.astimezone(zone).date(), step=-1):
            if day < last:
                break
            found = max(self._times(day, zone, after, until), default=None)
            if found is not None and (best is None or found > best):
                best = found
                last = max(last, _moved(day, -_SHIFT_DAYS))
        return best

    def _dates(self, today: date, step: int) -> Iterator[date]:
        """The crontab's dates in order, from `_SHIFT_DAYS` before `today` on (in the direction of `step`)."""
        start = _moved(today, -step * _SHIFT_DAYS)
        for year in range(start.year, start.year + step * (_CYCLE_YEARS + 1), step):
            if not 2 <= year <= 9998:  # the first and the last year have times outside of the calendar in UTC
                return
            for month in self.months[::step]:
                for number in self.days[::step]:
                    if number > monthrange(year, month)[1]:
                        continue
                    day = date(year, month, number)
                    if (day - start).days * step >= 0 and day.isoweekday() % 7 in self.weekdays:
                        yield day

    def _times(self, day: date, zone: tzinfo, after: datetime, until: datetime | None) -> Iterator[datetime]:
        """The times of a local day in UTC that are later than `after` and not later than `until`."""
        for fold in (0, 1) if len(self.hours) == 24 else (0,):
            for hour in self.hours:
                times = _hour(day, hour, fold, self.minutes, zone)
                if times[-1] > after and (until is None or times[0] <= until):
                    yield from (at for at in times if at > after and (until is None or at <= until))


def _hour(day: date, hour: int, fold: int, minutes: Sequence[int], zone: tzinfo) -> list[datetime]:
    """The times of an hour in UTC, ascending; two conversions where its offset does not change."""

    def at(minute: int) -> datetime:
        return datetime.combine(day, time(hour, minute, fold=fold), zone).astimezone(UTC)

    first, last = at(minutes[0]), at(minutes[-1])
    if last - first == timedelta(minutes=minutes[-1] - minutes[0]):
        return [first + timedelta(minutes=minute - minutes[0]) for minute in minutes]
    return sorted({at(minute) for minute in minutes})


def _moved(day: date, days: int) -> date:
    """The date `days` later, within the calendar."""
    number = min(max(day.toordinal() + days, 1), date.max.toordinal())
    return date.fromordinal(number)


def _field(name: str, text: str, count: int, least: int) -> tuple[int, ...]:
    try:
        found = crontab_parser(count, least).parse(text.replace(" ", ""))
    except (ParseException, ValueError, IndexError, OverflowError) as error:
        raise ValueError(f"the {name} {text!r} cannot be read: {error}") from None
    if not found:
        raise ValueError(f"the {name} {text!r} is empty; write * for all")
    return tuple(sorted(found))
