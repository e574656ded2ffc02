"""From beat to REST: a due schedule, its own worker, Spark in a separate process, and a chart."""

from datetime import timedelta

import pytest
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from controlplane.accounts.tokens import issue_token
from controlplane.analytics.models import Result, Run, Schedule
from controlplane.operations import bootstrap
from tests.support.controlplane import telemetry_rows as rows
from tests.support.controlplane.worker_processes import CELERY, Process, environment, wait_until

pytestmark = [pytest.mark.spark, pytest.mark.full]
FLAGS = ["--without-heartbeat", "--without-gossip", "--without-mingle"]


@pytest.fixture
def client_of(client, django_user_model):
    user = django_user_model.objects.create_user("vera")
    return lambda path: client.get(path, headers={"Authorization": f"Bearer {issue_token(user, 'test')}"})


def test_a_scheduled_run_from_beat_to_rest(transactional_db, tmp_path, root, today, client_of, unheard):
    rows.write(root, "table_snapshots", [rows.snapshot(today, s, entries=s) for s in (0, 30, 60, 180)])
    bootstrap.make_schedules()
    PeriodicTask.objects.exclude(name="analytics: flow-table-size").update(enabled=False)
    every = IntervalSchedule.objects.create(every=2, period="seconds")
    PeriodicTask.objects.filter(enabled=True).update(interval=every, expire_seconds=30)
    own = {"TERCAST_TELEMETRY_ROOT": str(root), "TERCAST_SPARK_MASTER": "local[1]", "TERCAST_REDIS_URL": ""}
    env = environment(tmp_path / "state", "http://127.0.0.1:9", **own)
    processes = [
        [*CELERY, "worker", "-Q", "planner,celery", *FLAGS],
        [*CELERY, "worker", "-Q", "analytics", *FLAGS],
        [*CELERY, "beat", "--pidfile", ""],
    ]
    with (
        Process(processes[0], env, tmp_path / "worker") as worker,
        Process(processes[1], env, tmp_path / "analytics") as analytics,
        Process(processes[2], env, tmp_path / "beat") as beat,
    ):
        started = Run.objects.filter(state="running").exists
        wait_until(started, "the start of a run", analytics, within=180)
        done = Run.objects.filter(state="succeeded").exists
        wait_until(done, "the end of a run", analytics, within=240)
        idle = Run.objects.filter(state="skipped", reason__startswith="nothing new").exists
        wait_until(idle, "a run without anything new", analytics)
        assert beat.popen.poll() is None and worker.popen.poll() is None
        for process in (beat, analytics, worker):
            process.stop()
    run = Run.objects.get(state="succeeded")
    assert (run.trigger, run.rows, run.attempts) == ("schedule", 3, 1)
    assert run.figures["new"] == run.figures["read"]
    assert Run.objects.filter(due=run.due).count() == 1
    assert Schedule.objects.get(name="flow-table-size").last_due > run.due
    since, until = today.isoformat()[:-6] + "Z", (today + timedelta(minutes=4)).isoformat()[:-6] + "Z"
    answer = client_of(f"/api/v1/analytics/flow-table-size/?since={since}&until={until}").json()
    (series,) = answer["series"]
    assert series["switch"] == "s1" and answer["empty"] is None and answer["step_s"] == 60
    found = [(p["entries_min"], p["entries_avg"], p["entries_max"], p["budget"]) for p in series["points"]]
    assert found == [(0, 15, 30, 100), (60, 60, 60, 100), (None,) * 4, (180, 180, 180, 100)]
    assert Result.objects.count() == 3
