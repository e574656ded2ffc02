"""A periodic task that cannot run: all others continue; it is shown with its reason and as an alarm."""

import dataclasses
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.utils import timezone
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)
from rest_framework.test import APIClient

from controlplane.accounts.tokens import issue_token
from controlplane.aggregation import policy
from controlplane.analytics import runs
from controlplane.analytics.jobs import JOBS
from controlplane.analytics.models import Run, Schedule
from controlplane.common.celery import app
from controlplane.deployment.audits import schedule as audits
from controlplane.operations import bootstrap, health_checks
from controlplane.operations.backup import row_codec
from controlplane.periodic import row_faults, task_failures
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import OutboxEvent
from controlplane.worker import beat_scheduler

NAME = "analytics: request-latency"
FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")


def schedule(kind, row, **more):
    kinds = dict.fromkeys(row_faults.KINDS)
    return {**kinds, kind: row, **more}


def crontab(text, zone="UTC"):
    fields = dict(zip(FIELDS, text.split(), strict=True))
    return schedule("crontab", CrontabSchedule.objects.create(**fields, timezone=zone))


def interval(every, period="seconds"):
    return schedule("interval", IntervalSchedule.objects.create(every=every, period=period))


def unknown_zone():
    changed = crontab("0 3 * * *")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_celery_beat_crontabschedule SET timezone = 'Mars/Olympus'")
    return {**changed, "crontab": CrontabSchedule.objects.get()}


def clocked(at, one_off):
    return schedule("clocked", ClockedSchedule.objects.create(clocked_time=at), one_off=one_off)


def solar():
    row = SolarSchedule.objects.create(event="sunset", latitude=Decimal(70), longitude=Decimal(20))
    return schedule("solar", row)


BAD = {
    "31 February": (lambda: crontab("0 0 31 2 *"), "never runs"),
    "minute 99": (lambda: crontab("99 0 * * *"), "minute '99'"),
    "empty field": (lambda: crontab("0 0 * * 1,,2"), "day of the week"),
    "unknown zone": (unknown_zone, "time zone 'Mars/Olympus' is unknown"),
    "solar": (solar, "solar schedules are not supported"),
    "interval 0": (lambda: interval(0), "interval of 0 seconds"),
    "interval below 0": (lambda: interval(-5), "interval of -5 seconds"),
    "interval of 1 us": (lambda: interval(1, "microseconds"), "interval of 1 microseconds"),
    "interval beyond the calendar": (lambda: interval(2**31 - 1, "days"), "interval of 2147483647 days"),
    "unknown unit": (lambda: interval(1, "fortnights"), "'fortnights' is unknown"),
    "clocked again and again": (lambda: clocked(timezone.now(), False), "one-off"),
    "clocked beyond the calendar": (lambda: clocked(datetime(9999, 12, 31, 23, tzinfo=UTC), True), "9999"),
    "no schedule": (lambda: dict.fromkeys(row_faults.KINDS), "has none"),
    "unknown task": (lambda: {"task": "tercast.moon"}, "'tercast.moon'"),
    "unknown queue": (lambda: {"queue": "moon"}, "queue 'moon'"),
    "args that are not JSON": (lambda: {"args": "[1,"}, "args is not JSON"),
    "args that are not a list": (lambda: {"args": "{}"}, "args is '{}'"),
    "kwargs that are not JSON": (lambda: {"kwargs": "x"}, "kwargs is not JSON"),
    "kwargs that are not an object": (lambda: {"kwargs": "[1]"}, "kwargs is '[1]'"),
    "args nested too deeply": (lambda: {"args": "[" * 100_000}, "args is not JSON"),
    "args of a strange type": (lambda: {"args": '[{"__type__": "uuid", "__value__": 5}]'}, "arg"),
    "headers that are not JSON": (lambda: {"headers": "x"}, "headers is not JSON"),
    "headers that are null": (lambda: {"headers": "null"}, "headers is 'null'"),
    "headers that end a worker": (
        lambda: {"headers": '{"task": [], "timelimit": 5}'},
        "headers has task, timel",
    ),
    "an exchange without a queue": (lambda: {"exchange": "moon", "routing_key": "celery"}, "exchange 'moon'"),
    "args that the task does not take": (lambda: {"args": "[1]"}, "the arguments do not fit"),
    "kwargs that the task does not take": (
        lambda: {"kwargs": '{"a": 1}'},
        "the arguments do not fit",
    ),
    "start beyond the calendar": (
        lambda: {"start_time": datetime(9999, 12, 31, 23, 59, tzinfo=UTC)},
        "the time 9999",
    ),
}


@pytest.fixture(params=sorted(BAD))
def bad(request, installed):
    """A row that is bad, however it came there; what its reason says."""
    make, said = BAD[request.param]
    PeriodicTask.objects.filter(name=NAME).update(**make())
    return said


@pytest.fixture
def operator(installed):
    user = User.objects.create_user("olga")
    user.groups.add(Group.objects.create(name="operator"))
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(user, 'test')}")
    return client


def texts():
    return [event.payload["text"] for event in OutboxEvent.objects.filter(kind="alarm")]


def standing():
    return [(one.alarm, one.subject) for one in task_failures.read_problems()]


def test_beat_the_sweep_the_lists_and_health_go_on_without_it(bad, operator, make_beat):
    Schedule.objects.update(last_due=timezone.now() - timedelta(days=1))
    assert len(runs.claim_due()) == len(JOBS) - 1
    assert {run.job for run in Run.objects.all()} == set(JOBS) - {"request_latency"}
    others = set(PeriodicTask.objects.filter(enabled=True).values_list("name", flat=True)) - {NAME}
    scheduler = make_beat()
    assert set(scheduler.schedule) - {"celery.backend_cleanup"} == others - {"celery.backend_cleanup"}
    listed = operator.get("/api/v1/analytics/schedules/").json()["results"]
    assert len(listed) == len(JOBS)
    (row,) = (row for row in listed if row["problem"])
    assert (row["name"], row["next_run"]) == ("request-latency", None) and bad in row["problem"]
    assert operator.get("/api/v1/analytics/runs/").status_code == 200
    assert operator.get("/api/v1/aggregation/").status_code == 200
    assert standing() == [("bad_schedule", f"periodic task {NAME}")]
    assert len(texts()) == 1 and bad in texts()[0]
    alarms = operator.get("/api/v1/alarms/standing/").json()["alarms"]
    (shown,) = (alarm for alarm in alarms if alarm["source"] == "periodic")
    assert (shown["alarm"], shown["subject"]) == ("bad_schedule", f"periodic task {NAME}")
    found = health_checks.alarms()
    assert found.status == "degraded" and NAME in found.detail
    list(row_codec.read(PeriodicTask, "default"))
    list(row_codec.read(CrontabSchedule, "default"))


def test_it_can_be_disabled_and_not_enabled_over_rest_and_a_period_repairs_its_schedule(bad, operator):
    url = next(
        row["url"]
        for row in operator.get("/api/v1/analytics/schedules/").json()["results"]
        if row["name"] == "request-latency"
    )
    assert operator.patch(url, {"enabled": False}).status_code == 200
    row_faults.report_bad_rows()
    assert standing() == []
    refused = operator.patch(url, {"enabled": True})
    assert refused.status_code == 400, refused.json()
    (error,) = refused.json()["errors"]
    assert (error["pointer"], error["code"]) == ("/enabled", "bad_schedule") and bad in error["detail"]
    changed = operator.patch(url, {"enabled": True, "period": 3600})
    if changed.status_code == 200:
        assert changed.json()["problem"] is None and changed.json()["timetable"] == "every hour"
        assert changed.json()["next_run"]
    else:  # not the schedule is bad
        assert {f.field for f in row_faults.faults(PeriodicTask.objects.get(name=NAME))}.isdisjoint(
            row_faults.KINDS
        )


def test_headers_of_its_own_are_no_fault(installed):
    PeriodicTask.objects.filter(name=NAME).update(headers='{"team": "network"}', queue="celery")
    assert row_faults.bad_rows() == {}


def test_an_alarm_ends_with_the_row(installed):
    PeriodicTask.objects.filter(name=NAME).update(**crontab("0 0 31 2 *"))
    row_faults.report_bad_rows()
    row_faults.report_bad_rows()
    PeriodicTask.objects.filter(name=NAME).update(**crontab("30 2 29 2 *", "America/New_York"))
    row_faults.report_bad_rows()
    assert standing() == []
    assert [text.split(": ")[0] for text in texts()[:1]] == ["periodic task analytics"]
    assert texts()[1:] == [f"periodic task {NAME} is no longer skipped"]


def test_the_next_29_february_is_found(operator):
    PeriodicTask.objects.filter(name=NAME).update(**crontab("30 2 29 2 *", "America/New_York"))
    (row,) = operator.get("/api/v1/analytics/schedules/?name=request-latency").json()["results"]
    assert (row["next_run"], row["problem"]) == ("2028-02-29T07:30:00Z", None)


@pytest.mark.parametrize("values", [{"job": "moon"}, {"window": "a while"}])
def test_a_schedule_that_is_bad_itself_is_skipped(operator, values):
    Schedule.objects.update(last_due=timezone.now() - timedelta(days=1))
    Schedule.objects.filter(name="delay").update(**values)
    assert len(runs.claim_due()) == len(JOBS) - 1
    listed = operator.get("/api/v1/analytics/schedules/")
    assert listed.status_code == 200
    assert [row["name"] for row in listed.json()["results"] if row["problem"]] == ["delay"]
    assert standing() == [("bad_schedule", "schedule delay")]


def test_a_claim_in_the_future_counts_from_now(installed):
    now = timezone.now()
    Schedule.objects.filter(name="delay").update(last_due=now + timedelta(days=30_000))
    assert all(run.job != "delay" for run in runs.claim_due(now))
    later = runs.claim_due(now + timedelta(seconds=601))
    assert [run.job for run in later if run.job == "delay"] == ["delay"]


def test_a_last_run_in_the_future_does_not_hold_a_task_back(make_beat):
    PeriodicTask.objects.update(last_run_at=timezone.now() + timedelta(days=30_000))
    make_beat()
    row = PeriodicTask.objects.get(name="watch the controller")
    assert row.last_run_at <= timezone.now()
    row.last_run_at -= timedelta(seconds=2)
    assert beat_scheduler.RowEntry(row, app=app).is_due().is_due


def test_the_policy_of_aggregation_is_read_whatever_its_schedule_is(installed):
    assert policy.read_policy_status().period == policy.PERIOD
    for changed, period in ((interval(2, "hours"), 7200), (interval(1, "fortnights"), None), (solar(), None)):
        PeriodicTask.objects.filter(name=policy.TASK_NAME).update(**changed)
        assert policy.read_policy_status().period == period


def test_what_an_operator_did_to_schedules_does_not_stop_the_set_up(installed, settings):
    for row in list(IntervalSchedule.objects.all()):
        IntervalSchedule.objects.create(every=row.every, period=row.period)
    PeriodicTask.objects.filter(name=audits.NAME).update(**crontab("0 3 * * *"))
    PeriodicTask.objects.filter(name="watch the controller").delete()
    for changed in (
        crontab("0 3 * * *"),
        solar(),
        clocked(timezone.now(), False),
        dict.fromkeys(row_faults.KINDS),
    ):
        PeriodicTask.objects.filter(name__in=(policy.TASK_NAME, audits.NAME)).update(**changed)
        for seconds in (60, 0):
            settings.ENV = dataclasses.replace(settings.ENV, audit_seconds=seconds)
            bootstrap.make_schedules()
        policy.change({"period": None}, None)
        policy.change({"period": 600}, None)
        assert policy.read_policy_status().period == 600
    assert row_faults.bad_rows() == {}


class Sent(list):
    """What beat sends, instead of a broker."""

    def __call__(self, entry, **_):
        self.append(entry.name)


def test_beat_goes_on_after_any_error_of_a_tick(make_beat, monkeypatch):
    scheduler = make_beat()
    monkeypatch.setattr(scheduler, "apply_async", sent := Sent())
    advance = beat_scheduler.RowEntry.__next__
    monkeypatch.setattr(beat_scheduler.RowEntry, "__next__", lambda entry: 1 / 0)
    for _ in range(task_failures.FAILURES):
        scheduler._heap = None
        PeriodicTask.objects.update(last_run_at=timezone.now() - timedelta(days=1))
        scheduler._initial_read = True
        assert scheduler.tick() == scheduler.max_interval
    assert standing() == [("task_fails", "task beat")] and not sent
    monkeypatch.setattr(beat_scheduler.RowEntry, "__next__", advance)
    scheduler.tick()
    assert standing() == [] and len(sent) == 1


def test_beat_keeps_the_last_run_of_a_row_that_has_become_bad(make_beat):
    scheduler = make_beat()
    entry = scheduler.reserve(scheduler.schedule[NAME])
    scheduler.schedule[NAME] = entry
    PeriodicTask.objects.filter(name=NAME).update(**dict.fromkeys(row_faults.KINDS))
    scheduler.sync()
    row = PeriodicTask.objects.get(name=NAME)
    assert (row.last_run_at, row.interval) == (entry.last_run_at, None)


def test_watermarks_of_troubles_fit_their_table(installed):
    name = "tercast." + "x" * 200
    for _ in range(task_failures.FAILURES):
        task_failures.record_failure(name, ValueError("\0 \ud800 " + "y" * 5000))
    assert len(standing()) == 1
    task_failures.record_success(name)
    assert standing() == []
    task_failures.report("a loop", "skipped", {f"row {n}" + "z" * 500: "\0" for n in range(300)})
    assert len(checkpoints.recall("troubles of a loop", {})) == 100
