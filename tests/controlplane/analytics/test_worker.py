"""Working at runs: their process, its heartbeat and end, and what is there after a kill at any step."""

import json
import os
import signal
import subprocess
import sys
import threading
from datetime import timedelta

import psutil
import pytest
from django.db import connections
from django.utils import timezone

from controlplane.analytics import runs, spark_process
from controlplane.analytics import worker as work
from controlplane.analytics.models import Result, Run, TakenFile
from controlplane.network.models import Host, Switch
from controlplane.registry.models import Advertisement, Publisher, Topic
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import Request
from controlplane.telemetry.models import EventSample
from tests.support.controlplane.worker_processes import ROOT, Process, environment
from tests.waiting import wait_until

FAKE = (sys.executable, str(ROOT / "tests/support/controlplane/fake_analytics.py"))
WORKER = f"""
import django
django.setup()
from controlplane.analytics import spark_process, worker
spark_process.COMMAND = {FAKE!r}
worker.execute_runs()
"""


@pytest.fixture
def fake(monkeypatch, own_state):
    monkeypatch.setattr(spark_process, "COMMAND", FAKE)


def put(root, name, *entries):
    """A file of telemetry for the fake: a row for each switch."""
    at = timezone.now().replace(second=0, microsecond=0, tzinfo=None).isoformat() + "Z"
    rows = [
        {"switch": f"s{n}", "window_start": at, "entries_max": number} for n, number in enumerate(entries)
    ]
    write(root, "table_snapshots", name, rows)


def write(root, dataset, name, rows):
    folder = root / dataset / f"date={timezone.now().date().isoformat()}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.parquet").write_text(json.dumps(rows))


def publish(root, name, ad, *numbers):
    """A file of telemetry for the fake: events that it draws all."""
    now = timezone.now() - timedelta(hours=1)
    at = [(now + timedelta(seconds=n)).isoformat() for n in numbers]
    rows = [
        {"topic": "quotes", "publisher": ad, "seq": n, "published_at": time, "values": json.dumps({"low": n})}
        for n, time in zip(numbers, at, strict=True)
    ]
    write(root, "published", name, rows)


def ask(**more):
    return runs.request_run("flow_table_size", "1 minute", None, **more)


def draw():
    return runs.request_run("event_samples", "1 minute", None)


@pytest.fixture
def ad(transactional_db):
    """What publishes quotes."""
    attributes = [{"name": "low", "type": "int", "min": 0, "max": 9}]
    topic = Topic.objects.create(name="quotes", code=2, attributes=attributes, indexed=["low"])
    switch = Switch.objects.create(name="s1", dpid="00000000000000a1")
    host = Host.objects.create(name="h1", switch=switch, port=1, ip="fd00::2", mac="02:00:00:00:00:02")
    exchange = Publisher.objects.create(name="exchange", host=host)
    request = Request.objects.create(kind="advertise", payload={}, state="active")
    return Advertisement.objects.create(publisher=exchange, topic=topic, dz=[""], request=request)


def ended(run):
    run.refresh_from_db()
    return run.state, run.reason


@pytest.fixture
def database(transactional_db, fake):
    """Tables that other processes and threads see."""


def test_results_files_and_the_end_come_together(db, fake, root):
    put(root, "a", 5, 7)
    run = ask()
    assert work.execute_runs() == 1
    assert ended(run) == ("succeeded", "") and run.rows == 2 and "a line of the log" in run.log
    assert {(r.subject, r.values["entries_max"]) for r in Result.objects.all()} == {("s0", 5), ("s1", 7)}
    assert TakenFile.objects.count() == 1
    assert not list((root.parent / "state" / "analytics").iterdir()), "nothing stays behind"
    again = ask()
    work.execute_runs()
    assert ended(again) == ("skipped", "nothing new: the results contain all telemetry")
    put(root, "b", 9)
    more = ask()
    work.execute_runs()
    assert ended(more)[0] == "succeeded" and Result.objects.get().values["entries_max"] == 9


def test_without_telemetry_a_run_is_skipped_and_says_so(db, fake, root):
    run = ask()
    work.execute_runs()
    assert ended(run) == ("skipped", f"there is no telemetry yet: {root} has no table_snapshots")


def test_what_the_job_refuses_is_reported(db, fake, root):
    put(root, "a", 1)
    (root / "refuse").write_text("x.parquet: column entries is missing; found switch, taken_at")
    run = ask()
    work.execute_runs()
    assert ended(run) == ("failed", "x.parquet: column entries is missing; found switch, taken_at")
    assert not Result.objects.exists() and not TakenFile.objects.exists()


@pytest.mark.parametrize(
    ("number", "rest"), [(9, "(SIGKILL): out of memory? Reduce TERCAST_"), (15, "(SIGTERM);")]
)
def test_a_process_that_was_killed_is_reported_by_its_signal(db, fake, root, number, rest):
    put(root, "a", 1)
    (root / "killed").write_text(str(number))
    run = ask()
    work.execute_runs()
    state, reason = ended(run)
    assert state == "failed" and reason.startswith(f"the job's process was killed by signal {number} {rest}")
    assert "a line of the log" in run.log


def test_a_cancelled_run_ends_with_all_that_its_process_started(database, root):
    put(root, "a", 1)
    (root / "wait").touch()
    run = ask()
    worker = threading.Thread(target=in_thread, args=(work.execute_runs,))
    worker.start()
    wait_until("the processes of the run", (root / "pids").exists)
    wait_until("the stage", lambda: Run.objects.filter(pk=run.pk, stage="computing", progress=0.25).exists())
    pids = [int(text) for text in (root / "pids").read_text().split()]
    assert all(psutil.pid_exists(pid) for pid in pids)
    runs.cancel(run.pk)
    worker.join(60)
    assert ended(run)[0] == "cancelled" and run.heartbeat_at > run.started_at
    wait_until("the end of both", lambda: not any(alive(pid) for pid in pids))


def in_thread(do):
    try:
        do()
    finally:
        connections.close_all()


def alive(pid):
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def worker_process(tmp_path, root, **more):
    env = environment(tmp_path / "state", "http://127.0.0.1:9", TERCAST_TELEMETRY_ROOT=str(root), **more)
    return Process([sys.executable, "-c", WORKER], env, tmp_path / "log")


@pytest.mark.parametrize("step", ["analytics:begin", "analytics:found", "analytics:publish"])
def test_a_worker_killed_at_a_step_leaves_nothing_half_done(database, tmp_path, root, step):
    put(root, "a", 5, 7)
    run = ask()
    with worker_process(tmp_path, root, TERCAST_FAULT=step) as killed:
        assert killed.died() == -signal.SIGKILL, killed.log.read_text()
    assert ended(run)[0] == "running"
    assert not Result.objects.exists() and not TakenFile.objects.exists()
    Run.objects.update(heartbeat_at=timezone.now() - 2 * runs.SILENT)
    assert runs.sweep_runs() == 1
    assert work.execute_runs() == 1
    assert ended(run) == ("succeeded", "") and run.attempts == 2
    assert Result.objects.count() == 2 and TakenFile.objects.count() == 1


def test_drawn_events_become_samples_with_the_end_of_their_run(db, fake, root, ad):
    publish(root, "a", ad.planner_id, 1, 2, 3)
    publish(root, "b", "a999", 4)
    run = draw()
    work.execute_runs()
    assert ended(run) == ("succeeded", "") and run.rows == 0 and not Result.objects.exists()
    counts = {"taken": 3, "earlier": 0, "reported": 0, "unfit": {"unknown_publisher": 1}}
    assert run.figures["samples"] == counts
    assert [row.values for row in EventSample.objects.all()] == [{"low": n} for n in (1, 2, 3)]
    again = draw()
    work.execute_runs()
    assert ended(again) == ("skipped", "nothing new: the results contain all telemetry")
    publish(root, "c", ad.planner_id, 9)
    more = draw()
    work.execute_runs()
    assert ended(more)[0] == "succeeded" and more.figures["samples"]["taken"] == 1
    assert EventSample.objects.count() == 4


@pytest.mark.parametrize("step", ["analytics:begin", "analytics:found", "analytics:publish"])
def test_a_worker_killed_at_a_step_takes_samples_once(database, tmp_path, root, ad, step):
    publish(root, "a", ad.planner_id, 1, 2, 3)
    run = draw()
    with worker_process(tmp_path, root, TERCAST_FAULT=step) as killed:
        assert killed.died() == -signal.SIGKILL, killed.log.read_text()
    assert ended(run)[0] == "running"
    assert not EventSample.objects.exists() and not TakenFile.objects.exists()
    assert checkpoints.recall("telemetry-samples", None) is None
    Run.objects.update(heartbeat_at=timezone.now() - 2 * runs.SILENT)
    assert runs.sweep_runs() == 1
    assert work.execute_runs() == 1
    assert ended(run) == ("succeeded", "") and run.attempts == 2
    assert EventSample.objects.count() == 3 and TakenFile.objects.count() == 1


def test_the_process_of_a_killed_worker_goes_with_it(database, tmp_path, root):
    put(root, "a", 1)
    (root / "wait").touch()
    ask()
    with worker_process(tmp_path, root) as worker:
        wait_until(
            "two processes", lambda: (root / "pids").exists() and (root / "pids").read_text().count(" ") == 1
        )
        spark = int((root / "pids").read_text().split()[0])
        worker.popen.kill()
        worker.died()
    wait_until("the end of Spark", lambda: not alive(spark))
    rest = int((root / "pids").read_text().split()[1])
    if alive(rest):
        os.kill(rest, signal.SIGKILL)  # a real one holds the standard input of what it starts


def test_a_worker_that_is_late_publishes_nothing(db, fake, root, monkeypatch):
    """Another one has taken the run up meanwhile."""
    put(root, "a", 5)
    run = ask()
    real = work.publish.publish

    def late(*arguments):
        Run.objects.update(attempts=2)
        return real(*arguments)

    monkeypatch.setattr(work.publish, "publish", late)
    work.execute_runs()
    assert ended(run)[0] == "running" and not Result.objects.exists()


def test_a_worker_that_is_to_stop_puts_its_run_back(db, fake, root, monkeypatch):
    put(root, "a", 5)
    (root / "wait").touch()
    run = ask()
    monkeypatch.setattr(work, "stopping", (root / "pids").exists)
    work.execute_runs()
    assert ended(run)[0] == "queued" and run.attempts == 0
    pid = int((root / "pids").read_text().split()[0])
    assert not alive(pid)


def test_results_and_runs_are_kept_within_bounds(db, fake, root, own_state):
    put(root, "a", 5)
    run = ask()
    work.execute_runs()
    old = timezone.now() - timedelta(days=own_state.analytics_days + 3)
    other = runs.series_of("flow_table_size", "1 hour")  # of a schedule whose windows were changed since
    for series in (run.series, other):
        Result.objects.create(series=series, window_start=old, subject="s9", values={})
    TakenFile.objects.create(series=run.series, dataset="x", path="date=2020-01-01/a.parquet", facts={})
    put(root, "b", 6)
    ask()
    work.execute_runs()
    assert [r.subject for r in Result.objects.all()] == ["s0"]
    assert not TakenFile.objects.filter(dataset="x").exists()


def test_without_java_a_run_is_skipped_with_the_remedy(db, own_state, root, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(root / "nowhere"))
    put(root, "a", 5)
    run = ask()
    work.execute_runs()
    state, reason = ended(run)
    assert state == "skipped" and reason.endswith("(Debian: apt-get install openjdk-17-jre-headless)")
    assert "\n" not in reason and not TakenFile.objects.exists()


def test_the_fake_is_asked_as_the_command_is():
    """Every option that a run gives is one of the real command."""
    output = subprocess.run(
        [sys.executable, "-m", "analytics", "--help"], capture_output=True, text=True, check=True
    ).stdout
    for name in (
        "known",
        "progress",
        "window",
        "since",
        "until",
        "subscriptions",
        "depth",
        "last-events",
        "most",
    ):
        assert f"--{name} " in output
