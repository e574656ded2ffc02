"""Times of a crontab: the next and the previous one, found by jumping from field to field.

As in Celery, a day must be in all three of `days`, `months` and `weekdays`. Times are local times of one time
zone. A time that a clock change skips uses the offset before the change. A time that occurs twice counts at
its first occurrence, and at both if the crontab runs in every hour.
"""

from bisect import bisect_left, bisect_right
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from celery.schedules import ParseException, crontab_parser

_CYCLE_YEARS = 400
"""Period in years after which the Gregorian calendar repeats, including weekdays."""

_MINUTE = timedelta(minutes=1)
_SHIFT_DAYS = 2
"""Limit in days: clock changes move a time by at most one (Pacific/Apia), offsets by less than another."""

_LONGEST_MONTHS = {**dict.fromkeys(range(1, 13), 31), 2: 29, 4: 30, 6: 30, 9: 30, 11: 30}


@dataclass(frozen=True, slots=True)
class CrontabTimes:
    """The fields of a crontab as ascending numbers; Sunday is 0."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]

    @classmethod
    def parse(cls, minute: str, hour: str, day: str, month: str, weekday: str) -> "CrontabTimes":
        """Read the five fields as Celery does.

        Raises:
            ValueError: A field is invalid, or no date has these days and months (31 February).
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
                f"day {day!r} of month {month!r} does not exist in any year, so the crontab never runs; "
                "change the day or the month"
            )
        return found

    def next(self, after: datetime, zone: tzinfo) -> datetime | None:
        """Return the earliest time after `after`, in UTC; None if the calendar ends first."""
        best: datetime | None = None
        last: date | None = None
        for day in self._dates(after.astimezone(zone).date(), zone, step=1):
            if last is not None and day > last:
                break
            found = self._first(day, zone, after)
            if found is not None and (best is None or found < best):
                best, last = found, last or _moved(day, _shift(day, zone))
        return best

    def previous(self, until: datetime, zone: tzinfo, after: datetime) -> datetime | None:
        """Return the latest time up to `until` and after `after`, in UTC; None without one."""
        best: datetime | None = None
        last = _moved(after.astimezone(zone).date(), -_SHIFT_DAYS)
        for day in self._dates(until.astimezone(zone).date(), zone, step=-1):
            if day < last:
                break
            found = self._last(day, zone, until)
            if found is not None and (best is None or found > best):
                best, last = found, max(last, _moved(day, -_shift(day, zone)))
        return best if best is not None and best > after else None

    def _dates(self, today: date, zone: tzinfo, step: int) -> Iterator[date]:
        """Yield dates in the direction of `step`, from those that a clock change may move."""
        start = _moved(today, -step * _shift(today, zone))
        for year in range(start.year, start.year + step * (_CYCLE_YEARS + 1), step):
            if not 2 <= year <= 9998:  # the first and the last year have times outside the calendar in UTC
                return
            for month in self.months[::step]:
                if year == start.year and month * step < start.month * step:
                    continue
                for number in self.days[::step]:
                    if number > monthrange(year, month)[1]:
                        continue
                    day = date(year, month, number)
                    if (day - start).days * step >= 0 and day.isoweekday() % 7 in self.weekdays:
                        yield day

    def _first(self, day: date, zone: tzinfo, after: datetime) -> datetime | None:
        """Return the earliest time of a local day after `after`, or None."""
        midnight = self._fixed_midnight(day, zone)
        if midnight is None:
            return min((at for at in self._times(day, zone) if at > after), default=None)
        number = (after - midnight) // _MINUTE
        hour, minute = divmod(number, 60)
        if number < 0:
            return midnight + timedelta(hours=self.hours[0], minutes=self.minutes[0])
        if hour in self.hours and minute < self.minutes[-1]:
            return midnight + timedelta(hours=hour, minutes=self.minutes[bisect_right(self.minutes, minute)])
        place = bisect_right(self.hours, hour)
        if place == len(self.hours):
            return None
        return midnight + timedelta(hours=self.hours[place], minutes=self.minutes[0])

    def _last(self, day: date, zone: tzinfo, until: datetime) -> datetime | None:
        """Return the latest time of a local day up to `until`, or None."""
        midnight = self._fixed_midnight(day, zone)
        if midnight is None:
            return max((at for at in self._times(day, zone) if at <= until), default=None)
        hour, minute = divmod((until - midnight) // _MINUTE, 60)
        if hour in self.hours and minute >= self.minutes[0]:
            return midnight + timedelta(
                hours=hour, minutes=self.minutes[bisect_right(self.minutes, minute) - 1]
            )
        place = bisect_left(self.hours, hour)
        if place == 0:
            return None
        return midnight + timedelta(hours=self.hours[place - 1], minutes=self.minutes[-1])

    def _fixed_midnight(self, day: date, zone: tzinfo) -> datetime | None:
        """Return midnight in UTC of a day whose times have one offset; None with a clock change."""
        start = datetime.combine(day, time(self.hours[0], self.minutes[0]), zone)
        end = datetime.combine(day, time(self.hours[-1], self.minutes[-1], fold=1), zone)
        offset = start.utcoffset()
        if offset is None or offset != end.utcoffset():
            return None
        return datetime.combine(day, time(), UTC) - offset

    def _times(self, day: date, zone: tzinfo) -> Iterator[datetime]:
        """Yield all times of a local day in UTC, in any order."""
        for fold in (0, 1) if len(self.hours) == 24 else (0,):
            for hour in self.hours:
                for minute in self.minutes:
                    clock = datetime.combine(day, time(hour, minute, fold=fold), zone)
                    yield clock.astimezone(UTC)


def _shift(day: date, zone: tzinfo) -> int:
    """Return by how many days times near `day` may be out of order: 0 without a clock change."""
    near = range(-_SHIFT_DAYS - 1, _SHIFT_DAYS + 2)
    offsets = {datetime.combine(_moved(day, days), time(), zone).utcoffset() for days in near}
    return 0 if len(offsets) == 1 else _SHIFT_DAYS


def _moved(day: date, days: int) -> date:
    """Return the date `days` later, limited to the calendar."""
    number = min(max(day.toordinal() + days, 1), date.max.toordinal())
    return date.fromordinal(number)


def _field(name: str, text: str, count: int, least: int) -> tuple[int, ...]:
    try:
        found = crontab_parser(count, least).parse(text.replace(" ", ""))
    except (ParseException, ValueError, IndexError, OverflowError) as error:
        raise ValueError(f"the {name} {text!r} is invalid: {error}") from None
    if not found:
        raise ValueError(f"the {name} {text!r} is empty; use * for all")
    return tuple(sorted(found))
