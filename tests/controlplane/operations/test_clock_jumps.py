"""Periods of rows end although the clock jumps: by an hour in both directions, and back to 1970."""

from datetime import UTC, datetime, timedelta

import pytest
from celery.beat import event_t
from django.utils import timezone
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from controlplane.analytics import runs
from controlplane.analytics.models import AnalyticsRunState, Run
from controlplane.common import clock
from controlplane.common.celery import app
from controlplane.network.models import Host
from controlplane.operations import heartbeats
from controlplane.operations.demo import demo
from controlplane.operations.demo.models import Launcher
from controlplane.registry import event_keys
from controlplane.registry.models import Topic
from controlplane.requestlog import checkpoints
from controlplane.signalling import refusals
from controlplane.signalling.models import HostSignals
from controlplane.worker.beat_scheduler import Scheduler

HOUR = timedelta(hours=1)
BACK = (HOUR, timedelta(days=20_000))
"""How far the clock is set back, from the future that rows were written in."""


@pytest.mark.parametrize(
    ("began", "over"),
    [
        (timedelta(), False),
        (-timedelta(seconds=29), False),
        (-timedelta(seconds=31), True),
        (timedelta(seconds=50), False),
        (timedelta(seconds=70), True),
        (HOUR, True),
        (-HOUR, True),
        (timedelta(days=20_000), True),
    ],
)
@pytest.mark.django_db
def test_a_period_is_over_in_python_and_in_the_database(began, over):
    now, period = datetime(2026, 11, 29, 12, tzinfo=UTC), timedelta(seconds=30)
    assert clock.is_over(now + began, period, now) is over
    row = PeriodicTask.objects.order_by("pk").first() or PeriodicTask.objects.create(
        name="x", interval=IntervalSchedule.objects.create(every=1, period="seconds")
    )
    PeriodicTask.objects.filter(pk=row.pk).update(last_run_at=now + began)
    found = PeriodicTask.objects.filter(clock.over("last_run_at", period, now), pk=row.pk)
    assert found.exists() is over


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("back", BACK)
def test_beat_goes_on_when_its_clock_is_set_back(back):
    """The heap of a running beat has times of the former clock; a task waited until it was there again."""
    PeriodicTask.objects.all().delete()
    interval = IntervalSchedule.objects.create(every=10, period="seconds")
    last = timezone.now() + back
    PeriodicTask.objects.create(name="ten", task="tercast.prune", interval=interval, last_run_at=last)
    scheduler = Scheduler(app=app, lazy=True)
    scheduler._finalize.cancel()  # else it writes at the end of the process, when the database is gone
    scheduler.tick()
    (event,) = scheduler._heap
    scheduler._heap[:] = [event_t(event.time + back.total_seconds(), event.priority, event.entry)]
    scheduler._offset += back.total_seconds()
    scheduler.tick()
    (event,) = scheduler._heap
    assert event.time <= timezone.now().timestamp() + 10
    assert event.entry.last_run_at <= timezone.now()


@pytest.mark.django_db
@pytest.mark.parametrize("back", BACK)
def test_signs_of_life_of_the_future_do_not_hide_a_dead_process(back):
    checkpoints.store(heartbeats._key(heartbeats.BEAT), (timezone.now() + back).isoformat())
    assert heartbeats.age(heartbeats.BEAT) > timedelta(seconds=45)
    checkpoints.store(heartbeats._key(heartbeats.BEAT), timezone.now().isoformat())
    assert heartbeats.age(heartbeats.BEAT) < timedelta(seconds=45)


@pytest.mark.parametrize("back", BACK)
def test_a_launcher_of_the_future_has_gone(back):
    assert not demo.stands_by(Launcher(heard_at=timezone.now() + back))
    assert demo.stands_by(Launcher(heard_at=timezone.now()))


@pytest.mark.django_db
@pytest.mark.parametrize("back", BACK)
def test_a_run_of_the_future_is_looked_after_one_period_later(back):
    now = timezone.now()
    run = Run.objects.create(
        series=runs.series_of("delay", "1 hour"),
        state=AnalyticsRunState.RUNNING,
        attempts=1,
        heartbeat_at=now + back,
    )
    runs.sweep_runs(now)
    run.refresh_from_db()
    assert run.state == AnalyticsRunState.RUNNING  # its worker may live
    runs.sweep_runs(now + runs.SILENT + timedelta(seconds=1))
    run.refresh_from_db()
    assert run.state == AnalyticsRunState.QUEUED


@pytest.mark.django_db
@pytest.mark.parametrize("back", BACK)
def test_an_alarm_of_the_future_silences_no_later_one(network, monkeypatch, back):
    alarms = []
    monkeypatch.setattr(refusals.outbox, "alarm", alarms.append)
    host = Host.objects.get(name="h1")
    HostSignals.objects.update_or_create(host=host, defaults={"alarmed_at": timezone.now() + back})
    for _ in range(2):
        refusals._report("h1", "x")
    assert alarms == ["x"]


@pytest.mark.django_db
@pytest.mark.parametrize("back", BACK)
def test_a_key_of_the_future_is_replaced_and_ends(settings, back):
    topic = Topic.objects.create(name="t", code=2, attributes=[], indexed=[], seal=True)
    future = event_keys.make(topic)
    topic.seal_keys.update(made_at=timezone.now() + back)
    newest = event_keys.current(topic)
    assert newest.number > future.number
    assert event_keys.current(topic).number == newest.number
    later = timezone.now() + event_keys.overlap() + timedelta(seconds=1)
    assert [key.number for key in event_keys.accepted(topic, later)] == [newest.number]
