"""The periodic scheduler while its database comes and goes."""

import pytest
from django.db import OperationalError

from controlplane.common.celery import app
from controlplane.operations import bootstrap
from controlplane.worker import beat_scheduler


@pytest.mark.django_db
@pytest.mark.parametrize("failures", [0, 1, 3])
def test_it_waits_for_a_database_that_is_away_while_it_starts(monkeypatch, failures):
    bootstrap.make_schedules()
    monkeypatch.setattr(beat_scheduler, "DATABASE_RETRY", 0.0)
    left = [OperationalError("the database system is starting up")] * failures
    read = beat_scheduler.Scheduler.all_as_schedule

    def all_as_schedule(self):
        if left:
            raise left.pop()
        return read(self)

    monkeypatch.setattr(beat_scheduler.Scheduler, "all_as_schedule", all_as_schedule)
    # What the library says when it cannot read.
    monkeypatch.setattr(beat_scheduler.Scheduler, "schedule_changed", lambda self: False)
    monkeypatch.setattr(beat_scheduler.connection, "close", lambda: None)  # the test's transaction is on it
    scheduler = beat_scheduler.Scheduler(app=app, lazy=False)
    assert not left
    assert {name for name, *_ in bootstrap.SCHEDULES} <= set(scheduler.schedule)
