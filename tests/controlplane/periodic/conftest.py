"""The schedules of an installation, with a process that has reported nothing."""

import pytest

from controlplane.common.celery import app
from controlplane.operations import bootstrap, heartbeats
from controlplane.periodic import task_failures
from controlplane.worker import beat_scheduler


@pytest.fixture(autouse=True)
def own_process_state(monkeypatch):
    monkeypatch.setattr(task_failures, "_logged", {})
    monkeypatch.setattr(heartbeats, "_last", {})
    monkeypatch.setattr("controlplane.common.wakeups.wake_analytics", lambda: None)


@pytest.fixture
def installed(db):
    """All periodic tasks as `prepare` makes them."""
    bootstrap.make_schedules()


@pytest.fixture
def make_beat(installed, monkeypatch):
    """Makes a scheduler whose connection to the database is the test's, which stays open."""
    monkeypatch.setattr(beat_scheduler.connection, "close", lambda: None)
    monkeypatch.setattr(beat_scheduler.Scheduler, "schedule_changed", lambda self: False)
    return lambda: beat_scheduler.Scheduler(app=app, lazy=False)
