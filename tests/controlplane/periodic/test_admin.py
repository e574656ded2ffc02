"""The admin pages of periodic tasks: what cannot run is refused with the reason, and can be repaired."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from controlplane.analytics.models import Schedule

ROOT = "/admin/django_celery_beat/"
UNKNOWN_ZONE = "UPDATE django_celery_beat_crontabschedule SET timezone = 'Mars/Olympus' WHERE id = %s"
NAME = "analytics: request-latency"
CRONTAB = {
    **{"minute": "0", "hour": "0", "day_of_month": "31", "month_of_year": "2", "day_of_week": "*"},
    "timezone": "UTC",
    **{f"periodictask_set-{name}_FORMS": 0 for name in ("TOTAL", "INITIAL", "MIN_NUM", "MAX_NUM")},
}
FORMS = {key: value for key, value in CRONTAB.items() if key.startswith("periodictask")}


@pytest.fixture
def admin(installed, client):
    client.force_login(User.objects.create_superuser("root"))
    return client


def fields(row, /, **changed):
    """The form of a task as the page shows it, with changes."""
    return {
        "name": row.name,
        "task": row.task,
        "enabled": "on",
        "queue": row.queue,
        "args": "[]",
        "kwargs": "{}",
        "headers": "{}",
        "interval": row.interval_id or "",
        "expire_seconds": row.expire_seconds,
        **changed,
    }


def errors(answer):
    """All errors of the form that was refused."""
    assert answer.status_code == 200, answer
    form = answer.context["adminform"].form
    return {name: " ".join(found) for name, found in form.errors.items()}


def test_schedules_that_never_run_are_refused(admin):
    crontab = errors(admin.post(f"{ROOT}crontabschedule/add/", CRONTAB))
    assert "31" in crontab["__all__"] and "never runs" in crontab["__all__"]
    solar = {"event": "sunset", "latitude": "70", "longitude": "20", **FORMS}
    assert "not supported" in errors(admin.post(f"{ROOT}solarschedule/add/", solar))["__all__"]
    short = {"every": "1", "period": "microseconds", **FORMS}
    assert "1 second" in errors(admin.post(f"{ROOT}intervalschedule/add/", short))["__all__"]
    assert not CrontabSchedule.objects.exists() and not SolarSchedule.objects.exists()
    assert admin.post(f"{ROOT}crontabschedule/add/", {**CRONTAB, "day_of_month": "29"}).status_code == 302
    assert admin.post(f"{ROOT}intervalschedule/add/", {**short, "period": "hours"}).status_code == 302


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"task": "tercast.moon"}, "task"),
        ({"args": "{}"}, "args"),
        ({"kwargs": "[1"}, "kwargs"),
        ({"headers": "7"}, "headers"),
        ({"queue": "moon"}, "queue"),
        ({"interval": ""}, "__all__"),
    ],
)
def test_tasks_that_cannot_run_are_refused_at_the_field(admin, changed, field):
    task = PeriodicTask.objects.get(name=NAME)
    found = errors(admin.post(f"{ROOT}periodictask/{task.pk}/change/", fields(task, **changed)))
    assert set(found) == {field}
    assert PeriodicTask.objects.get(name=NAME).args == "[]"


def test_a_bad_row_is_listed_refused_and_can_be_repaired(admin):
    bad = CrontabSchedule.objects.create(day_of_month="31", month_of_year="2", minute="0", hour="0")
    other = CrontabSchedule.objects.create(minute="5")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE django_celery_beat_crontabschedule SET timezone = 'Mars/Olympus' WHERE id = %s",
            [other.pk],
        )
    task = PeriodicTask.objects.get(name=NAME)
    url = f"{ROOT}periodictask/{task.pk}/change/"
    for crontab, said in ((bad, "never runs"), (other, "Mars/Olympus")):
        found = errors(admin.post(url, fields(task, interval="", crontab=crontab.pk)))
        assert said in found["crontab"]
        PeriodicTask.objects.filter(pk=task.pk).update(interval=None, crontab=crontab)
        for page in ("periodictask/", "crontabschedule/", f"periodictask/{task.pk}/change/"):
            answer = admin.get(f"{ROOT}{page}")
            assert answer.status_code == 200
            assert said in answer.content.decode() or page != "periodictask/"
        assert admin.get("/admin/analytics/schedule/").status_code == 200
        assert admin.get(f"{ROOT}crontabschedule/{crontab.pk}/change/").status_code == 200
    every = IntervalSchedule.objects.first().pk
    assert admin.post(url, fields(task, interval=every, crontab="")).status_code == 302
    assert admin.get(f"{ROOT}periodictask/add/").status_code == 200


def test_actions_enable_and_send_only_what_can_run(admin):
    bad = CrontabSchedule.objects.create(day_of_month="31", month_of_year="2")
    task = PeriodicTask.objects.get(name=NAME)
    PeriodicTask.objects.update(enabled=False)
    PeriodicTask.objects.filter(pk=task.pk).update(interval=None, crontab=bad)
    good = PeriodicTask.objects.exclude(pk=task.pk).first()
    both = [task.pk, good.pk]

    def act(name):
        answer = admin.post(f"{ROOT}periodictask/", {"action": name, "_selected_action": both}, follow=True)
        assert answer.status_code == 200
        return " ".join(map(str, answer.context["messages"]))

    assert f"{task.name} cannot run" in act("enable_tasks").replace("Analytics", "analytics")
    assert list(PeriodicTask.objects.filter(enabled=True)) == [good]
    act("toggle_tasks")
    assert not PeriodicTask.objects.filter(enabled=True).exists()
    PeriodicTask.objects.filter(pk__in=both).update(enabled=True)
    act("disable_tasks")
    assert not PeriodicTask.objects.filter(enabled=True).exists()


def test_a_bad_task_is_disabled_by_its_own_form_and_given_to_no_schedule(admin):
    bad = CrontabSchedule.objects.create(day_of_month="31", month_of_year="2")
    task = PeriodicTask.objects.get(name=NAME)
    PeriodicTask.objects.filter(pk=task.pk).update(interval=None, crontab=bad, headers="{}")
    schedule = Schedule.objects.get(task=task)
    changed = {"name": "x", "job": "delay", "window": "1 minute", "task": task.pk}
    found = errors(admin.post(f"/admin/analytics/schedule/{schedule.pk}/change/", changed))
    assert "never runs" in found["task"]
    form = fields(task, interval="", crontab=bad.pk)
    del form["enabled"]
    answer = admin.post(f"{ROOT}periodictask/{task.pk}/change/", form)
    assert answer.status_code == 302, errors(answer)
    assert not PeriodicTask.objects.get(pk=task.pk).enabled
