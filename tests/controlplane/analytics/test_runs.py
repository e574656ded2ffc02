"""Runs as rows: claimed once, never duplicated, recovered after a kill, cancelled by permitted users."""

import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from controlplane.analytics import runs, schedules
from controlplane.analytics.jobs import JOBS
from controlplane.analytics.models import AnalyticsRunState, Run, Schedule
from controlplane.common.problems import Problem
from controlplane.requestlog.models import OutboxEvent


@pytest.fixture
def only(defaults):
    """One schedule is on: table sizes, every five minutes, last due five minutes ago."""
    Schedule.objects.exclude(job="flow_table_size").delete()
    row = Schedule.objects.get()
    row.last_due = timezone.now() - timedelta(seconds=301)
    row.save()
    return row


def test_a_due_time_is_claimed_once(only):
    (run,) = runs.claim_due()
    assert (run.state, run.due, run.schedule) == ("queued", only.last_due + timedelta(seconds=300), only)
    assert runs.claim_due() == []
    only.refresh_from_db()
    assert only.last_due == run.due


def test_a_schedule_claimed_with_an_old_row_is_not_claimed_again(only):
    (run,) = runs.claim_due()
    assert runs._claim(only, timezone.now()) is None  # as a second worker would that read the row before
    assert Run.objects.get() == run


@pytest.mark.django_db(transaction=True)
def test_workers_that_look_at_once_make_one_run(only):
    def look():
        try:
            runs.claim_due()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Run.objects.count() == 1


def test_periods_missed_while_nobody_worked_run_once(only):
    Schedule.objects.update(last_due=timezone.now() - timedelta(seconds=30 * 300 + 7))
    assert len(runs.claim_due()) == 1
    for periods in range(1, 31):  # and more pass while it waits for a worker
        assert runs.claim_due(timezone.now() + timedelta(seconds=300 * periods)) == []
    assert Run.objects.count() == 1


def test_a_run_that_outlasts_its_period_is_not_doubled(only):
    runs.claim_due()
    working = runs.begin()
    (skipped,) = runs.claim_due(timezone.now() + timedelta(seconds=300))
    assert skipped.state == "skipped" and skipped.reason.startswith(f"run {working.pk} of the same job")
    assert Run.objects.filter(under_way=True).get() == working
    runs.end(working, AnalyticsRunState.SUCCEEDED, "")
    (later,) = runs.claim_due(timezone.now() + timedelta(seconds=600))
    assert later.state == "queued"


def test_one_worker_begins_with_a_run(only):
    runs.claim_due()
    first = runs.begin()
    assert (first.state, first.attempts, first.stage) == ("running", 1, "starting")
    assert runs.begin() is None


def silence(run):
    Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - 2 * runs.SILENT)


def test_a_run_of_a_killed_worker_starts_again_once_and_then_fails(only):
    runs.claim_due()
    first = runs.begin()
    assert runs.sweep_runs() == 0  # it is alive
    silence(first)
    assert runs.sweep_runs() == 1
    second = runs.begin()
    assert second.pk == first.pk and second.attempts == 2
    assert not runs.end(first, AnalyticsRunState.SUCCEEDED, ""), "the first worker is too late"
    silence(second)
    assert runs.sweep_runs() == 0
    second.refresh_from_db()
    assert (
        second.state == "failed" and second.reason == "2 worker processes ended before the run was complete"
    )


def test_a_waiting_run_is_cancelled_at_once_and_a_working_one_by_its_worker(only):
    (waiting,) = runs.claim_due()
    assert runs.cancel(waiting.pk).state == "cancelled"
    with pytest.raises(Problem) as refused:
        runs.cancel(waiting.pk)
    assert refused.value.status == 409
    runs.request_run("flow_table_size", "1 minute", None)
    working = runs.begin()
    assert (runs.cancel(working.pk).state, runs.cancel(working.pk).cancelling) == ("running", True)
    silence(working)
    runs.sweep_runs()
    working.refresh_from_db()
    assert working.state == "cancelled"


def test_an_operator_asks_once_at_a_time(only):
    run = runs.request_run("flow_table_size", "1 minute", None)
    with pytest.raises(Problem) as refused:
        runs.request_run("flow_table_size", "60 seconds", None)
    assert refused.value.status == 409 and f"Run {run.pk}" in refused.value.detail
    assert runs.request_run("flow_table_size", "5 minutes", None).series != run.series
    assert runs.claim_due() == []  # the one that waits will do


def test_what_no_worker_takes_says_so(only):
    (run,) = runs.claim_due()
    Run.objects.update(created_at=timezone.now() - 2 * runs.UNCLAIMED)
    assert runs.sweep_runs() == 1
    run.refresh_from_db()
    assert "worker -Q analytics" in run.reason
    assert runs.begin().reason == ""


def test_every_change_of_state_is_sent_to_live_pages(only):
    runs.claim_due()
    runs.end(runs.begin(), AnalyticsRunState.FAILED, "why")
    states = [row.payload["state"] for row in OutboxEvent.objects.filter(kind="analytics").order_by("id")]
    assert states == ["running", "failed"]


def test_old_runs_go(only, monkeypatch):
    monkeypatch.setattr(runs, "KEPT", 3)
    for _ in range(6):
        runs.request_run("flow_table_size", "1 minute", None)
        runs.end(runs.begin(), AnalyticsRunState.SKIPPED, "")
    waiting = runs.request_run("flow_table_size", "1 minute", None)
    runs.prune()
    assert Run.objects.filter(under_way=None).count() == 3
    assert Run.objects.filter(pk=waiting.pk).exists()


def test_defaults_are_made_once_and_edits_stay(defaults):
    assert Schedule.objects.count() == len(JOBS)
    row = Schedule.objects.select_related("task").get(name="delay")
    schedules.change(row, {"period": 1234, "window": "5 minutes", "enabled": False})
    schedules.make_defaults()
    row = Schedule.objects.select_related("task__interval").get(name="delay")
    assert (row.window, row.task.enabled, row.task.interval.every) == ("5 minutes", False, 1234)
    assert schedules.next_run(row) is None


def test_a_schedule_that_was_off_makes_up_for_nothing(only):
    off = schedules.change(only, {"enabled": False})
    assert runs.claim_due() == []
    schedules.change(off, {"enabled": True})
    assert runs.claim_due() == []
    assert len(runs.claim_due(timezone.now() + timedelta(seconds=301))) == 1
