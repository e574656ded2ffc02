"""When schedules are due, at changes of the clocks too."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from controlplane.analytics.timetable import latest_due, next_due

LOS_ANGELES, BERLIN = ZoneInfo("America/Los_Angeles"), ZoneInfo("Europe/Berlin")


def every(seconds, **fields):
    return PeriodicTask(interval=IntervalSchedule(every=seconds, period="seconds"), **fields)


def crontab(zone, minute="0", hour="3", **fields):
    return PeriodicTask(crontab=CrontabSchedule(minute=minute, hour=hour, timezone=zone, **fields))


def utc(*parts):
    return datetime(*parts, tzinfo=UTC)


def dues(task, start, end, step=timedelta(minutes=1)):
    """What a scheduler that looks every `step` finds."""
    out, last, now = [], start, start
    while now <= end:
        due = latest_due(task, last, now)
        if due is not None:
            out.append(due)
            last = due
        now += step
    return out


def test_missed_periods_are_one():
    last = utc(2026, 1, 1)
    assert latest_due(every(60), last, last + timedelta(seconds=59)) is None
    assert latest_due(every(60), last, last + timedelta(seconds=60 * 30 + 5)) == last + timedelta(minutes=30)
    assert next_due(every(60), last, last + timedelta(minutes=9)) == last + timedelta(minutes=9)
    assert next_due(every(60), last, last + timedelta(seconds=1)) == last + timedelta(minutes=1)


def test_a_schedule_that_is_off_or_over_is_never_due():
    last, now = utc(2026, 1, 1), utc(2026, 1, 2)
    assert latest_due(every(60, enabled=False), last, now) is None
    assert next_due(every(60, enabled=False), last, now) is None
    assert latest_due(every(60, expires=now), last, now) is None
    assert latest_due(every(60, start_time=now + timedelta(hours=1)), last, now) is None


def test_the_hour_that_comes_twice_is_run_in_both_when_every_hour_is():
    """On 2022-11-06 clocks in Los Angeles go from 02:00 back to 01:00."""
    hourly = crontab(LOS_ANGELES, "18", "*")
    found = dues(hourly, utc(2022, 11, 6, 7, 30), utc(2022, 11, 6, 11))
    assert found == [utc(2022, 11, 6, h, 18) for h in (8, 9, 10)]
    assert [at.astimezone(LOS_ANGELES).strftime("%H:%M") for at in found] == ["01:18", "01:18", "02:18"]
    nightly = crontab(LOS_ANGELES, "18", "1")
    assert dues(nightly, utc(2022, 11, 6), utc(2022, 11, 7)) == [utc(2022, 11, 6, 8, 18)]


def test_a_time_that_the_clocks_leave_out_is_run_once():
    """On 2022-03-13 there is no 02:30 in Los Angeles, and 03:00 is at 10:00 UTC, not 11:00."""
    assert dues(crontab(LOS_ANGELES, "30", "2"), utc(2022, 3, 13), utc(2022, 3, 14)) == [
        utc(2022, 3, 13, 10, 30)
    ]
    assert dues(crontab(LOS_ANGELES), utc(2022, 3, 12), utc(2022, 3, 15)) == [
        utc(2022, 3, 12, 11),
        utc(2022, 3, 13, 10),
        utc(2022, 3, 14, 10),
    ]


@pytest.mark.parametrize("zone", [BERLIN, LOS_ANGELES, UTC])
def test_every_day_of_a_year_has_one_run_at_three(zone):
    found = dues(crontab(zone), utc(2026, 1, 1, 12), utc(2027, 1, 1, 12), timedelta(hours=1))
    assert len(found) == 365
    assert {at.astimezone(zone).hour for at in found} == {3}


def test_the_next_time_of_a_crontab_is_found_by_month_and_day():
    task = crontab(BERLIN, "15", "6", month_of_year="2", day_of_month="29")
    now = utc(2027, 3, 1)
    assert next_due(task, now, now) == utc(2028, 2, 29, 5, 15)
    sundays = crontab(BERLIN, day_of_week="0")
    assert next_due(sundays, now, now).astimezone(BERLIN).isoweekday() == 7
