"""Loops over rows and steps: one that raises is skipped and is an alarm; all others are worked at."""

import json
import subprocess
import sys

import pytest
from django.db import OperationalError
from django.utils import timezone

from controlplane.aggregation import process_starter
from controlplane.analytics import inputs, runs
from controlplane.analytics import worker as analytics
from controlplane.analytics.dimensions import apply
from controlplane.analytics.models import Run, Series
from controlplane.common.child_process import ChildProcess
from controlplane.deployment import session
from controlplane.deployment.audits import audits, worker
from controlplane.deployment.watcher import link_load, newcomers, port_status, watch
from controlplane.network.models import Host
from controlplane.periodic import task_failures
from controlplane.registry.models import Topic
from controlplane.registry.transitions import stages
from controlplane.registry.transitions.models import Move
from controlplane.signalling import handler
from controlplane.signalling.models import Done, HostSignals
from controlplane.telemetry import storage, writer_watch
from controlplane.telemetry.models import TelemetryWriter
from controlplane.worker.telemetry_tasks import export_telemetry
from tests.support.controlplane import network_world as world
from tests.support.controlplane.topic_migrations import add_topic, announce, reindex


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(task_failures, "_logged", {})


def standing():
    return [one.subject for one in task_failures.read_problems()]


def breaking(real, broken):
    """`real`, which raises for what `broken` says."""

    def function(*args):
        if broken(*args):
            raise ValueError("a bad row")
        return real(*args)

    return function


def test_a_step_of_the_watcher(network, monkeypatch):
    seen = []
    monkeypatch.setattr(port_status, "record_port_status", lambda rows: 1 / 0)
    monkeypatch.setattr(newcomers, "add_newcomers", lambda switches, links: seen.append(len(switches)))
    monkeypatch.setattr(link_load, "due", lambda: False)
    for _ in range(task_failures.FAILURES):
        watch.run()
    assert len(seen) == task_failures.FAILURES
    assert standing() == ["task tercast.watch: ports"]
    monkeypatch.setattr(port_status, "record_port_status", lambda rows: None)
    watch.run()
    assert standing() == []


def test_a_database_that_aborts_a_step_is_reported_to_the_caller(network, monkeypatch):
    def abort(rows):
        raise OperationalError("deadlock detected")

    monkeypatch.setattr(port_status, "record_port_status", abort)
    with pytest.raises(OperationalError):
        watch.run()
    assert standing() == []


def test_a_move_of_a_topic(network, monkeypatch):
    for name, code in (("points", 8), ("others", 16)):
        add_topic(name, code)
        announce("advertise", "h1", "", topic=name)
        announce("subscribe", "h3", "", topic=name)
    session.run()
    for name in ("points", "others"):
        reindex("y", topic=name)
    real = stages._step
    monkeypatch.setattr(stages, "_step", breaking(real, lambda move, now: move.topic.name == "points"))
    session.run()
    found = dict(Move.objects.values_list("topic__name", "stage"))
    assert found["points"] == "making" and found["others"] != "making"
    assert standing() == ["the migration of topic points"]
    monkeypatch.setattr(stages, "_step", real)
    session.run()
    assert "making" not in Move.objects.values_list("stage", flat=True)
    assert standing() == []


def test_a_switch_of_an_audit(network, monkeypatch):
    monkeypatch.setattr(
        worker, "_check_switch", breaking(worker._check_switch, lambda *args: args[3].switch == "s2")
    )
    asked = audits.request_audit(None, True, None)
    assert not worker.run(seconds=60)
    states = dict(asked.checks.values_list("switch", "state"))
    assert states == {"s1": "equal", "s2": "unreachable", "s3": "equal"}
    assert "ValueError: a bad row" in asked.checks.get(switch="s2").detail
    asked.refresh_from_db()
    assert asked.state == "done"


def test_a_topic_that_chooses_what_it_indexes(network, monkeypatch):
    add_topic("points", 8)
    add_topic("others", 16)
    Topic.objects.update(automatic_indexing=True)
    looked = []
    monkeypatch.setattr(
        apply,
        "_apply_if_worthwhile",
        breaking(lambda topic: looked.append(topic.name), lambda topic: topic.name == "points"),
    )
    apply.apply_proposals()
    assert "others" in looked and standing() == ["topic points"]


def test_the_end_of_a_control_message(network):
    row = world.advertise("h1", [""])
    session.run()
    host = Host.objects.get(name="h1")
    HostSignals.objects.get_or_create(host=host)
    fields = {"host": host, "request": row.request, "waits": True, "digest": "", "name": "a", "code": 1}
    for name, reply in (("no number", {}), (f"{7:016x}", {"dpid": 1})):
        Done.objects.create(message_id=name[:16], reply=reply, **fields)
    ((done, answer),) = handler.ends()
    assert (done.message_id, answer["dpid"]) == (f"{7:016x}", 1)
    assert not Done.objects.get(reply={}).waits
    assert len(handler.ends()) == 1


@pytest.mark.parametrize("period", ["NaN", "Infinity", "1e300", "-5"])
def test_a_report_of_a_writer_of_telemetry(db, settings, tmp_path, monkeypatch, period):
    monkeypatch.setattr(storage, "root", lambda: tmp_path)
    monkeypatch.setattr(writer_watch, "_seen", {})
    monkeypatch.setattr("controlplane.telemetry.request_rows.export", lambda files: 0)
    cleaned = []
    monkeypatch.setattr(storage, "clean_daily", lambda: cleaned.append(1))
    folder = tmp_path / writer_watch.WRITERS
    folder.mkdir()
    old = "2026-01-01T00:00:00+00:00"
    report = dict.fromkeys(writer_watch.COUNTS, 0) | {"host": "", "error": "", "closed": False}
    report |= {"told_at": old, "started_at": old}
    for name, seconds in (("a", period), ("b", "5")):
        text = json.dumps({**report, "name": name, "period_s": 0}).replace(
            '"period_s": 0', f'"period_s": {seconds}'
        )
        (folder / f"{name}.json").write_text(text)
    (folder / "c.json").write_text("[" * 100_000)
    export_telemetry.apply()
    assert list(TelemetryWriter.objects.values_list("name", "silent")) == [("b", True)]
    fields = {"way": "api", "host": "", "error": "", "started_at": timezone.now(), "heard_at": old}
    counts = dict.fromkeys(writer_watch.COUNTS, 0)
    for name, seconds in (("d", 1e300), ("e", 5)):
        TelemetryWriter.objects.create(name=name, period_s=seconds, **fields, **counts)
    export_telemetry.apply()
    assert set(TelemetryWriter.objects.filter(silent=True).values_list("name", flat=True)) == {"b", "e"}
    assert standing() == ["telemetry writer d"] and len(cleaned) == 2


def test_a_run_of_analytics(db, monkeypatch):
    monkeypatch.setattr(analytics, "stopping", lambda: False)
    monkeypatch.setattr(
        inputs, "nothing_to_do", breaking(lambda *_: "idle", lambda *args: args[1].name == "delay")
    )
    for job in ("moon", "delay", "flow_table_size"):
        Run.objects.create(series=Series.objects.create(job=job, window=60_000_000), trigger="operator")
    assert analytics.execute_runs() == 3 and runs.begin() is None
    assert list(Run.objects.order_by("id").values_list("state", "reason")) == [
        ("failed", "this version has no job 'moon'"),
        ("failed", "an internal error of the platform: ValueError: a bad row"),
        ("skipped", "idle"),
    ]


def test_a_process_that_a_sweep_starts(db, monkeypatch):
    commands = process_starter._process
    monkeypatch.setattr(commands, "_command", "manage.py attribute")
    for status, problems in ((3, []), (3, []), (3, ["task manage.py attribute"]), (0, [])):
        child = subprocess.Popen([sys.executable, "-c", f"raise SystemExit({status})"])
        child.wait()
        monkeypatch.setattr(commands, "_child", ChildProcess(child))
        assert not commands.is_running() and commands.pid is None
        assert standing() == problems
