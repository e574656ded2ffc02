"""The schedules of an installation, with a process that has reported nothing."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "control"))

from controlplane.config.celery import app
from controlplane.control import beat, setup
from controlplane.observe import heartbeats
from controlplane.periodic import troubles


@pytest.fixture(autouse=True)
def own_process_state(monkeypatch):
    monkeypatch.setattr(troubles, "_logged", {})
    monkeypatch.setattr(heartbeats, "_last", {})
    monkeypatch.setattr("controlplane.analytics.tasks.wake", lambda: None)


@pytest.fixture
def installed(db):
    """All periodic tasks as `prepare` makes them."""
    setup.make_schedules()


@pytest.fixture
def make_beat(installed, monkeypatch):
    """Makes a scheduler whose connection to the database is the test's, which stays open."""
    monkeypatch.setattr(beat.connection, "close", lambda: None)
    monkeypatch.setattr(beat.Scheduler, "schedule_changed", lambda self: False)
    return lambda: beat.Scheduler(app=app, lazy=False)
