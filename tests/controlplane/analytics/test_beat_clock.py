"""Beat's own scheduler and the claims in the database on the days when clocks change."""

import datetime
from types import SimpleNamespace

import pytest
from django_celery_beat import schedulers, tzcrontab
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from controlplane.analytics import runs
from controlplane.analytics.models import Run, Schedule
from controlplane.common.celery import app
from controlplane.worker.beat_scheduler import Scheduler

UTC, MINUTE = datetime.UTC, datetime.timedelta(minutes=1)


class Clock(datetime.datetime):
    """A clock whose time the test sets."""

    at: datetime.datetime

    @classmethod
    def now(cls, tz=None):
        return cls.at.astimezone(tz)


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(tzcrontab, "datetime", Clock)
    monkeypatch.setattr(
        schedulers,
        "datetime",
        SimpleNamespace(datetime=Clock, timedelta=datetime.timedelta, timezone=datetime.timezone),
    )
    return Clock


def run_through(clock, task, start, end):
    """Beat looks every minute and sends nothing; the sweep claims. The due times that were claimed."""
    scheduler = Scheduler(app=app, lazy=True)
    entry = scheduler.Entry(task, app=app)
    entry.last_run_at = start
    at = start
    while at <= end:
        clock.at = at
        due, pause = entry.is_due()
        assert pause is None or pause == pause
        if due:
            entry = next(entry)
        for run in runs.claim_due(at):
            runs.end(runs.begin(), "succeeded", "")
            assert run.due <= at
        at += MINUTE
    return list(Run.objects.order_by("due").values_list("due", flat=True))


def schedule(minute, hour, last):
    crontab = CrontabSchedule.objects.create(minute=minute, hour=hour, timezone="America/Los_Angeles")
    row = Schedule.objects.select_related("task").get(name="delay")
    Schedule.objects.exclude(pk=row.pk).delete()
    row.task.interval, row.task.crontab = None, crontab
    row.task.save()
    Schedule.objects.update(last_due=last)
    return PeriodicTask.objects.get(pk=row.task_id)


def utc(*parts):
    return datetime.datetime(*parts, tzinfo=UTC)


def test_the_hour_that_comes_twice_does_not_stop_beat(clock, defaults):
    start = utc(2022, 11, 6, 7, 30)
    task = schedule("18", "*", start)
    found = run_through(clock, task, start, utc(2022, 11, 6, 10, 30))
    assert found == [utc(2022, 11, 6, hour, 18) for hour in (8, 9, 10)]


def test_a_job_of_the_morning_keeps_its_hour_in_spring(clock, defaults):
    start = utc(2022, 3, 13, 8)
    task = schedule("0", "3", start)
    assert run_through(clock, task, start, utc(2022, 3, 13, 13)) == [utc(2022, 3, 13, 10)]
