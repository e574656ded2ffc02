"""A sweep that keeps raising is an alarm, and health is not ok; until it works again."""

import pytest
from celery import signals
from rest_framework.test import APIClient

from controlplane.aggregation import redundant_copies
from controlplane.operations import health_checks
from controlplane.periodic import task_failures
from controlplane.requestlog.models import OutboxEvent
from controlplane.worker import analytics_tasks as analytics
from controlplane.worker import failing_tasks
from controlplane.worker.planner_tasks import prune

NAME = "tercast.prune"


def texts():
    return [event.payload["text"] for event in OutboxEvent.objects.filter(kind="alarm")]


@pytest.fixture(autouse=True)
def connected():
    """The signals are a worker's; importing its module has connected them."""
    assert failing_tasks.fail in [receiver for _, receiver in signals.task_failure.receivers]


def test_an_alarm_is_raised_at_the_third_failure_in_a_row_and_at_the_end(installed, monkeypatch):
    broken = [True]

    def broken_prune():
        if broken[0]:
            raise ValueError("no way")

    monkeypatch.setattr("controlplane.requestlog.outbox.prune", broken_prune)
    for number in range(1, 6):
        prune.apply()
        assert [one.subject for one in task_failures.read_problems()] == (
            [f"task {NAME}"] if number >= task_failures.FAILURES else []
        )
        found = health_checks.alarms()
        assert ("ValueError: no way" in found.detail) == (number >= task_failures.FAILURES), found
    (one,) = task_failures.read_problems()
    assert (one.alarm, one.count) == ("task_fails", 5)
    broken[0] = False
    prune.apply()
    assert task_failures.read_problems() == []
    assert texts() == [
        f"task {NAME} has failed 3 times in a row: ValueError: no way",
        f"task {NAME} works again",
    ]


def test_single_failures_are_no_alarm(installed):
    for _ in range(5):
        task_failures.record_failure(NAME, ValueError("once"))
        task_failures.record_failure(NAME, ValueError("twice"))
        task_failures.record_success(NAME)
    assert texts() == [] and task_failures.read_problems() == []


def test_what_lasts_is_shown_to_viewers(installed, django_user_model):
    for _ in range(3):
        task_failures.record_failure(NAME, ValueError("no way"))
    caller = APIClient()
    caller.force_authenticate(django_user_model.objects.create_superuser("root"))
    (shown,) = (
        alarm
        for alarm in caller.get("/api/v1/alarms/standing/").json()["alarms"]
        if alarm["source"] == "periodic"
    )
    assert (shown["alarm"], shown["subject"], shown["count"]) == ("task_fails", f"task {NAME}", 3)
    assert shown["since"] <= shown["last"] and "no way" in shown["detail"]


def test_a_step_of_a_sweep_that_fails_does_not_stop_the_next(installed, monkeypatch):
    claimed = []
    monkeypatch.setattr(redundant_copies, "store_measurement", lambda: 1 / 0)
    monkeypatch.setattr("controlplane.analytics.runs.claim_due", lambda: claimed.append(1) or [])
    for _ in range(4):
        analytics.sweep.apply()
    assert len(claimed) == 4
    assert [(one.alarm, one.subject) for one in task_failures.read_problems()] == [
        ("task_fails", "task tercast.analytics.sweep: keep copies")
    ]
    assert len(texts()) == 1
    monkeypatch.setattr(redundant_copies, "store_measurement", lambda: 0)
    analytics.sweep.apply()
    assert task_failures.read_problems() == []
