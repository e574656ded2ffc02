"""Times of crontabs: fixed dates, and a scan of every minute for small ones."""

import re
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.periodic.crontab import CrontabTimes

NEW_YORK, BERLIN, LOS_ANGELES = map(ZoneInfo, ("America/New_York", "Europe/Berlin", "America/Los_Angeles"))
LORD_HOWE, APIA, CAIRO = map(ZoneInfo, ("Australia/Lord_Howe", "Pacific/Apia", "Africa/Cairo"))
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def utc(*parts):
    return datetime(*parts, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "zone", "after", "expected"),
    [
        ("30 2 29 2 *", NEW_YORK, utc(2026, 11, 29), utc(2028, 2, 29, 7, 30)),
        ("30 2 29 2 *", NEW_YORK, utc(2096, 3, 1), utc(2104, 2, 29, 7, 30)),
        ("0 0 29 2 1", UTC, utc(2026, 1, 1), utc(2044, 2, 29)),
        ("59 23 31 12 *", UTC, utc(2026, 12, 31, 23, 59), utc(2027, 12, 31, 23, 59)),
        ("0 3 * * *", LOS_ANGELES, utc(2022, 3, 13, 8), utc(2022, 3, 13, 10)),
        ("30 2 * * *", LOS_ANGELES, utc(2022, 3, 13, 8), utc(2022, 3, 13, 10, 30)),
        ("18 1 * * *", LOS_ANGELES, utc(2022, 11, 6, 8, 18), utc(2022, 11, 7, 9, 18)),
        ("18 * * * *", LOS_ANGELES, utc(2022, 11, 6, 8, 18), utc(2022, 11, 6, 9, 18)),
        ("45 1 * * *", LORD_HOWE, utc(2026, 4, 4), utc(2026, 4, 4, 14, 45)),
        ("0 12 30 12 *", APIA, utc(2011, 12, 30), utc(2011, 12, 30, 22)),
        ("0 12 30 12 *", APIA, utc(2011, 12, 30, 11), utc(2011, 12, 30, 22)),
        ("0,45 2 * * *", LORD_HOWE, utc(2026, 10, 3, 15, 30), utc(2026, 10, 3, 15, 45)),
        ("0,45 * * * *", LORD_HOWE, utc(2026, 4, 4, 14, 45), utc(2026, 4, 4, 15, 15)),
        ("30 * * * *", CAIRO, utc(2026, 10, 29, 20, 30), utc(2026, 10, 29, 21, 30)),
        ("30 0 * * *", CAIRO, utc(2026, 4, 23, 12), utc(2026, 4, 23, 22, 30)),
        ("0 0 * * sun", UTC, utc(2026, 11, 29), utc(2026, 12, 6)),
        ("*/20 8-9 1,15 */6 *", UTC, utc(2026, 1, 15, 9, 40), utc(2026, 7, 1, 8)),
    ],
)
def test_the_next_time(text, zone, after, expected):
    crontab = CrontabTimes.parse(*text.split())
    assert crontab.next(after, zone) == expected
    assert crontab.previous(expected, zone, after) == expected
    assert crontab.previous(expected - MINUTE, zone, after) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 0 31 2 *", "day '31' of month '2' does not exist in any year"),
        ("0 0 30,31 2 *", "does not exist in any year"),
        ("0 0 31 2,4,6,9,11 *", "does not exist in any year"),
        ("60 0 * * *", "minute '60'"),
        ("x 0 * * *", "minute 'x'"),
        ("*/0 0 * * *", "minute '*/0'"),
        ("1,,2 0 * * *", "minute '1,,2'"),
        ("0 24 * * *", "hour '24'"),
        ("0 0 0 * *", "day of the month '0'"),
        ("0 0 * 13 *", "month '13'"),
        ("0 0 * * 9", "day of the week '9'"),
    ],
)
def test_what_never_runs_is_refused_with_the_field(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        CrontabTimes.parse(*text.split())


@pytest.mark.parametrize("zone", [UTC, NEW_YORK, APIA])
@pytest.mark.parametrize("at", [datetime.max, datetime.min])
def test_the_ends_of_the_calendar_are_no_error(zone, at):
    crontab = CrontabTimes.parse("0", "0", "29", "2", "*")
    at = at.replace(tzinfo=zone)
    assert crontab.next(at, zone) is None or at.year == 1
    assert crontab.previous(at, zone, utc(1000, 1, 1)) is None or at.year == 9999


def scanned(crontab, zone, start, end):
    """The times of a crontab by the rule, each date and minute one by one."""
    found = set()
    for ordinal in range(start.date().toordinal() - 2, end.date().toordinal() + 3):
        day = date.fromordinal(ordinal)
        if day.month not in crontab.months or day.day not in crontab.days:
            continue
        if day.isoweekday() % 7 not in crontab.weekdays:
            continue
        for hour in crontab.hours:
            for minute in crontab.minutes:
                for fold in (0, 1) if len(crontab.hours) == 24 else (0,):
                    clock = datetime.combine(day, time(hour, minute, fold=fold), zone)
                    found.add(clock.astimezone(UTC))
    return sorted(at for at in found if start < at <= end)


def numbers(least, most, size):
    return st.sets(st.integers(least, most), min_size=1, max_size=size).map(lambda s: tuple(sorted(s)))


CRONTABS = st.builds(
    CrontabTimes,
    numbers(0, 59, 3),
    st.one_of(numbers(0, 4, 3), st.just(tuple(range(24)))),
    st.one_of(st.just(tuple(range(1, 32))), numbers(1, 28, 6)),
    st.just(tuple(range(1, 13))),
    st.one_of(st.just(tuple(range(7))), numbers(0, 6, 3)),
)
CHANGES = st.sampled_from(
    [
        (LOS_ANGELES, utc(2022, 3, 13, 10)),
        (LOS_ANGELES, utc(2022, 11, 6, 9)),
        (BERLIN, utc(2026, 3, 29, 1)),
        (BERLIN, utc(2026, 10, 25, 1)),
        (LORD_HOWE, utc(2026, 4, 4, 15)),
        (LORD_HOWE, utc(2026, 10, 3, 15, 30)),
        (APIA, utc(2011, 12, 30, 10)),
        (CAIRO, utc(2026, 4, 23, 22)),
    ]
)


@settings(max_examples=60, deadline=None)
@given(CRONTABS, CHANGES, st.integers(-3 * 24 * 60, 24 * 60))
def test_near_clock_changes_it_finds_what_a_scan_finds(crontab, change, minutes):
    zone, at = change
    start = at + timedelta(minutes=minutes)
    end = start + 3 * DAY
    expected = scanned(crontab, zone, start, end)
    found, last = [], start
    while (following := crontab.next(last, zone)) is not None and following <= end and len(found) < 40:
        found.append(following)
        last = following
    assert found == expected[:40]
    assert crontab.previous(end, zone, start) == (expected[-1] if expected else None)
