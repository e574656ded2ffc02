"""When beat sends a task with a crontab: once for each time, at clock changes and on 29 February too."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django_celery_beat.models import CrontabSchedule, PeriodicTask, SolarSchedule

from controlplane.common.celery import app
from controlplane.operations import bootstrap, heartbeats
from controlplane.worker import beat_scheduler
from tests.support.controlplane.worker_processes import CELERY, Process, environment, wait_until

MINUTE = timedelta(minutes=1)


def utc(*parts):
    return datetime(*parts, tzinfo=UTC)


def entry_of(text, zone, last, **fields):
    names = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
    crontab = CrontabSchedule(**dict(zip(names, text.split(), strict=True)), timezone=ZoneInfo(zone))
    task = PeriodicTask(name="t", task="tercast.prune", crontab=crontab, last_run_at=last, **fields)
    return beat_scheduler.RowEntry(task, app=app)


@pytest.mark.parametrize(
    ("text", "zone", "start", "sent"),
    [
        ("0 3 * * *", "America/Los_Angeles", utc(2022, 3, 13, 8), [utc(2022, 3, 13, 10)]),
        ("30 2 * * *", "America/Los_Angeles", utc(2022, 3, 13, 8), [utc(2022, 3, 13, 10, 30)]),
        ("18 1 * * *", "America/Los_Angeles", utc(2022, 11, 6, 7, 30), [utc(2022, 11, 6, 8, 18)]),
        (
            "18 * * * *",
            "America/Los_Angeles",
            utc(2022, 11, 6, 7, 30),
            [utc(2022, 11, 6, hour, 18) for hour in (8, 9, 10, 11)],
        ),
        ("30 2 29 2 *", "America/New_York", utc(2024, 2, 29, 5), [utc(2024, 2, 29, 7, 30)]),
    ],
)
def test_beat_sends_each_time_once(monkeypatch, text, zone, start, sent):
    at = start
    monkeypatch.setattr(beat_scheduler.Crontab, "nowfunc", lambda self: at)
    found, entry = [], entry_of(text, zone, start)
    while at < start + timedelta(hours=4):
        state = entry.is_due()
        assert 0 < state.next <= 86_400
        if state.is_due:
            found.append(at)
            entry = entry_of(text, zone, at)
        at += MINUTE
    assert found == sent


def test_times_that_passed_while_beat_was_away_are_sent_once(monkeypatch):
    at = utc(2026, 5, 1, 12, 0, 30)
    monkeypatch.setattr(beat_scheduler.Crontab, "nowfunc", lambda self: at)
    assert entry_of("* * * * *", "UTC", at - timedelta(days=3)).is_due() == (True, 30.0)
    assert entry_of("* * * * *", "UTC", at).is_due() == (False, 30.0)


def test_no_time_before_the_start_is_sent(monkeypatch):
    at = utc(2026, 5, 1, 12)
    monkeypatch.setattr(beat_scheduler.Crontab, "nowfunc", lambda self: at)
    entry = entry_of("0 3 * * *", "UTC", utc(1996, 1, 1), start_time=utc(2026, 5, 1, 11))
    assert entry.is_due() == (False, 15 * 3600.0)
    at = utc(2026, 5, 2, 3)
    assert entry.is_due().is_due


@pytest.mark.full
def test_a_real_beat_starts_and_sends_with_a_row_that_it_cannot_load(transactional_db, tmp_path):
    bootstrap.make_schedules()
    sunset = SolarSchedule.objects.create(event="sunset", latitude=70, longitude=20)
    PeriodicTask.objects.filter(name="prune the outbox").update(interval=None, solar=sunset)
    env = environment(tmp_path / "state", "http://127.0.0.1:9", TERCAST_REDIS_URL="")
    with Process([*CELERY, "beat", "--pidfile", ""], env, tmp_path / "beat") as process:
        wait_until(lambda: heartbeats.age(heartbeats.BEAT) is not None, "beat", process)
        messages = tmp_path / "state" / "broker" / "data"
        wait_until(lambda: messages.is_dir() and any(messages.iterdir()), "a message", process)
        assert process.stop() == 0
