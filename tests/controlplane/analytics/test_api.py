"""Runs and schedules over REST."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone
from django_celery_beat.models import CrontabSchedule, PeriodicTask
from rest_framework.test import APIClient

from controlplane.accounts.tokens import issue_token
from controlplane.analytics import runs
from controlplane.analytics.jobs import JOBS
from controlplane.analytics.models import Run, Schedule

ROOT = "/api/v1/analytics/"


@pytest.fixture
def operator(defaults):
    user = User.objects.create_user("olga")
    user.groups.add(Group.objects.create(name="operator"))
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(user, 'test')}")
    return client


def test_a_run_is_asked_for_and_read_back(operator):
    answer = operator.post(f"{ROOT}runs/", {"job": "delay"}, format="json")
    assert answer.status_code == 202
    run = answer.json()
    assert answer.headers["Location"] == run["url"] == f"{ROOT}runs/{run['id']}/"
    assert (run["job"], run["window"], run["state"], run["trigger"]) == (
        "delay",
        "1 minute",
        "queued",
        "operator",
    )
    assert operator.get(run["url"]).json() == run
    again = operator.post(f"{ROOT}runs/", {"job": "delay", "window": "60 seconds"}, format="json")
    assert again.status_code == 409 and f"Run {run['id']}" in again.json()["detail"]
    other = operator.post(f"{ROOT}runs/", {"job": "delay", "window": "1 hour"}, format="json").json()
    assert other["window"] == "1 hour"


def test_a_range_is_checked_when_it_is_created(operator):
    times = {"since": "2026-01-02T00:00:00+01:00", "until": "2026-01-01T00:00:00Z"}
    answer = operator.post(f"{ROOT}runs/", {"job": "delay", **times}, format="json")
    assert [error["pointer"] for error in answer.json()["errors"]] == ["/until"]
    times["until"] = "2026-01-03T00:00:00Z"
    run = operator.post(f"{ROOT}runs/", {"job": "delay", **times}, format="json").json()
    assert (run["since"], run["until"], run["rebuild"]) == ("2026-01-01T23:00:00Z", times["until"], True)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"job": "sizes"}, "/job"),
        ({}, "/job"),
        ({"job": "delay", "window": "1 month"}, "/window"),
        ({"job": "delay", "window": "9 weeks"}, "/window"),
        ({"job": "delay", "since": "2026-01-01"}, "/since"),
        ({"job": "delay", "until": 5}, "/until"),
        ({"job": "delay", "rebuild": "yes"}, "/rebuild"),
        ({"job": "delay", "depth": 3}, "/depth"),
    ],
)
def test_bad_runs_are_refused_by_field(operator, body, pointer):
    answer = operator.post(f"{ROOT}runs/", body, format="json")
    assert answer.status_code == 400
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert not Run.objects.exists()


def test_runs_are_listed_by_state_and_job_cancelled_and_their_log_read(operator):
    Schedule.objects.update(last_due=timezone.now() - timedelta(days=1))
    assert len(runs.claim_due()) == len(JOBS)
    first = operator.get(f"{ROOT}runs/?limit=2&ordering=-id&count=true").json()
    assert first["count"] == len(JOBS) and len(first["results"]) == 2 and first["next"]
    (sizes,) = operator.get(f"{ROOT}runs/?job=flow_table_size&state__in=queued,running").json()["results"]
    schedule = Schedule.objects.get(name="flow-table-size")
    assert sizes["schedule"] == f"{ROOT}schedules/{schedule.pk}/" and sizes["next_run"] > sizes["due"]
    assert operator.get(f"{ROOT}runs/?state=done").status_code == 400
    cancelled = operator.post(f"{sizes['url']}cancel/")
    assert cancelled.status_code == 202 and cancelled.json()["state"] == "cancelled"
    assert operator.post(f"{sizes['url']}cancel/").status_code == 409
    Run.objects.filter(pk=sizes["id"]).update(log="the end of it\n")
    assert operator.get(f"{sizes['url']}log/").json() == {"log": "the end of it\n", "truncated": False}


def test_a_schedule_is_changed(operator):
    rows = {row["name"]: row for row in operator.get(f"{ROOT}schedules/").json()["results"]}
    assert len(rows) == len(JOBS) and rows["delay"]["period"] == 600 and rows["delay"]["enabled"]
    url = rows["delay"]["url"]
    changed = operator.patch(url, {"period": 3600, "window": "60 minutes"}, format="json").json()
    assert (changed["period"], changed["window"], changed["timetable"]) == (
        3600,
        "1 hour",
        "every hour",
    )
    off = operator.patch(url, {"enabled": False}, format="json").json()
    assert (off["enabled"], off["next_run"]) == (False, None)
    assert not PeriodicTask.objects.get(name="analytics: delay").enabled
    refused = operator.patch(url, {"period": 1, "window": "soon"}, format="json").json()
    assert [error["pointer"] for error in refused["errors"]] == ["/period", "/window"]


def test_a_crontab_of_the_admin_pages_is_shown_and_replaced_by_a_period(operator):
    crontab = CrontabSchedule.objects.create(minute="30", hour="4", timezone="Europe/Berlin")
    PeriodicTask.objects.filter(name="analytics: delay").update(crontab=crontab, interval=None)
    (row,) = operator.get(f"{ROOT}schedules/?name=delay").json()["results"]
    assert row["period"] is None and "30 4" in row["timetable"] and row["next_run"]
    assert operator.patch(row["url"], {"period": 60}, format="json").json()["period"] == 60
