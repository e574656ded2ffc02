"""`/api/v1/health/`: a summary for all, reasons for users who are logged in, 503 after a failure."""

import re
from datetime import timedelta

import pytest
from django.db import DatabaseError, OperationalError, connection
from django.utils import timezone
from rest_framework.test import APIClient

from controlplane.accounts import authentication
from controlplane.accounts.tokens import issue_token
from controlplane.analytics.models import Run, Series
from controlplane.common.celery import app
from controlplane.deployment import session
from controlplane.deployment.audits.models import Audit, Check
from controlplane.network.models import Switch
from controlplane.operations import health_checks, heartbeats
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import Request
from controlplane.signalling import liveness
from controlplane.signalling.liveness import LoopRecord
from controlplane.signalling.poll_loop import PollLoop
from controlplane.telemetry import request_rows, table_snapshots
from controlplane.web.monitoring import health_views
from controlplane.worker import heartbeat
from controlplane.worker import signalling_thread as signalling
from controlplane.worker import telemetry_shutdown as telemetry
from tests.support.controlplane import network_world as world

NAMES = [
    *("database", "broker", "worker", "watcher", "analytics"),
    *("beat", "planner", "controller", "switches", "tables", "alarms", "signalling", "disk"),
]


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(health_views, "_answers", {})
    monkeypatch.setattr(heartbeats, "_last", {})
    monkeypatch.setattr(health_checks, "waiting", lambda queue: 0)


@pytest.fixture
def alive(network):
    """A platform on which all is well."""
    for name in (heartbeats.WORKER, heartbeats.WATCHER, heartbeats.BEAT):
        heartbeats.record_heartbeat(name)
    LoopRecord().went_well()
    Switch.objects.update(connected=True)
    return network


def asked(user_model=None, **query):
    caller = APIClient()
    if user_model is not None:
        user, _ = user_model.objects.get_or_create(username="vera")
        caller.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(user, 'test')}")
    answer = caller.get("/api/v1/health/", query)
    return answer.status_code, answer.json()


def statuses(body):
    return {row["name"]: row["status"] for row in body["checks"]}


def detail(body, name):
    return next(row["detail"] for row in body["checks"] if row["name"] == name)


def test_all_is_well(alive, django_user_model):
    code, body = asked()
    assert (code, body["status"]) == (200, "ok"), body
    assert [row["name"] for row in body["checks"]] == NAMES
    assert {row["detail"] for row in body["checks"]} == {None}
    code, body = asked(django_user_model)
    assert (code, body["status"]) == (200, "ok")
    found = {row["name"]: row["detail"] for row in body["checks"]}
    assert re.fullmatch(r"last heartbeat \d s ago", found["worker"])
    assert re.fullmatch(r"control messages were last processed \d\.\d s ago", found["signalling"])
    assert re.match(r"[\d,]+ MiB free for state", found["disk"])
    expected = {
        "broker": "no queued messages",
        "planner": "no requests wait for the planner",
        "controller": "the controller answers; 9 switches are connected to it",
        "switches": "all 3 switches are connected and have confirmed the plan",
        "tables": "all audited tables match the plan",
        "alarms": "no active alarms",
    }
    assert {name: found[name] for name in expected} == expected


def test_dead_processes_are_reported(alive, django_user_model):
    old = (timezone.now() - timedelta(seconds=100)).isoformat()
    checkpoints.store("life of beat", old)
    code, body = asked(django_user_model)
    assert (code, body["status"], statuses(body)["beat"]) == (200, "degraded", "degraded")
    assert "no heartbeat for 10" in detail(body, "beat")
    checkpoints.store("life of worker", old)
    code, body = asked(django_user_model)
    assert (code, body["status"], statuses(body)["worker"]) == (503, "failed", "failed")
    assert asked()[0] == 503
    assert asked(only="database")[0] == 200


def test_a_platform_that_never_had_a_worker(network, django_user_model):
    code, body = asked(django_user_model, only="worker,beat")
    assert (code, statuses(body)) == (503, {"worker": "failed", "beat": "degraded"})
    assert "no such process has ever run" in detail(body, "worker")


def test_waiting_requests_are_exported(alive, django_user_model):
    row = world.subscribe("h3", ["01"])
    assert statuses(asked(django_user_model)[1])["planner"] == "ok"
    Request.objects.filter(pk=row.request_id).update(received_at=timezone.now() - timedelta(seconds=200))
    body = asked(django_user_model)[1]
    assert statuses(body)["planner"] == "degraded"
    assert detail(body, "planner").startswith("1 request waits for the planner, the oldest for 20")
    session.run()
    assert statuses(asked(django_user_model)[1])["planner"] == "ok"


def test_a_controller_that_is_away_and_switches_that_are(alive, django_user_model, settings):
    Switch.objects.filter(name="s2").update(connected=False)
    body = asked(django_user_model)[1]
    assert (body["status"], statuses(body)["switches"]) == ("degraded", "degraded")
    assert detail(body, "switches") == "1 of 3 switches is not connected: s2"
    settings.NORTHBOUND_URL = "http://127.0.0.1:1"
    code, body = asked(django_user_model)
    assert (code, statuses(body)["controller"], statuses(body)["alarms"]) == (503, "failed", "degraded")


def test_control_messages_that_are_not_processed_are_reported(network, django_user_model, settings):
    def seen():
        return asked(django_user_model, only="signalling")[1]["checks"][0]

    assert (seen()["status"], "ever" in seen()["detail"]) == ("degraded", True)
    own = PollLoop()
    own._process_page()
    assert seen()["status"] == "ok"
    own._log_problem("the controller does not answer")
    assert seen()["status"] == "ok"  # for a moment
    old = timezone.now() - timedelta(seconds=40)
    checkpoints.store(liveness.KEPT, {**checkpoints.recall(liveness.KEPT, {}), "at": old.isoformat()})
    assert seen()["status"] == "degraded"
    assert re.search(r"for \d+ s: the controller does not answer", seen()["detail"])
    own._process_page()
    assert (seen()["status"], liveness.last()[1]) == ("ok", "")


def test_tables_that_audits_cannot_repair_are_reported_until_one_can(alive, django_user_model):
    def found(*states):
        audit = Audit.objects.create(trigger="periodic")
        for name, state in zip(("s1", "s2"), states, strict=True):
            Check.objects.create(audit=audit, switch=name, state=state, detail=f"{name} is {state}")
        body = asked(django_user_model, only="tables")[1]
        return body["status"], statuses(body)["tables"], detail(body, "tables")

    assert found("repaired", "equal")[:2] == ("ok", "ok")
    status, tables, text = found("equal", "unrepaired")
    assert (status, tables) == ("degraded", "degraded")
    assert "s2: s2 is unrepaired" in text and "s1" not in text
    for later in ("waiting", "unreachable", "unsettled"):
        assert found("equal", later)[2] == text
    assert found("equal", "unrepaired")[2] == text
    assert found("unrepaired", "repaired")[2].startswith(
        "1 table differs from the plan after the last audit: s1: "
    )
    Check.objects.filter(switch="s1").update(switch="a switch that went")
    assert found("equal", "equal")[:2] == ("ok", "ok")


def test_active_alarms_are_reported(alive, django_user_model):
    checkpoints.store("aggregation alarms", {"s1": {"measured": 3.0, "expected": 1.0, "since": "x"}})
    alive.alarms = [{"alarm": "duplicate_dpid", "dpid": "0000000000000001", "detail": "a second switch"}]
    body = asked(django_user_model)[1]
    assert statuses(body)["alarms"] == "degraded"
    text = detail(body, "alarms")
    assert text.startswith("2 active alarms: aggregation at switch s1: measured 3.00, predicted 1.00; ")
    assert "duplicate_dpid at switch s1: a second switch" in text


def test_a_broker_that_is_away(alive, django_user_model, monkeypatch):
    def refuse(queue):
        raise OSError("no such folder")

    monkeypatch.setattr(health_checks, "waiting", refuse)
    code, body = asked(django_user_model)
    assert (code, statuses(body)["broker"]) == (503, "failed")


def test_without_a_database_nothing_else_is_asked(alive, monkeypatch):
    def down():
        raise DatabaseError("gone")

    monkeypatch.setattr(health_checks, "CHECKS", {"database": down})
    monkeypatch.setattr(health_views, "CHECKS", {**health_checks.CHECKS, "worker": health_checks.worker})
    monkeypatch.setattr(health_checks, "database", down)
    monkeypatch.setattr(health_views, "caller_of", lambda request: down())
    code, body = asked()
    assert (code, body) == (
        503,
        {"status": "failed", "checks": [{"name": "database", "status": "failed", "detail": None}]},
    )


def test_whom_nobody_knows_makes_nobody_busy(alive, monkeypatch):
    calls = []
    look = health_checks.run_checks
    monkeypatch.setattr(health_checks, "run_checks", lambda names: calls.append(1) or look(names))
    for _ in range(5):
        asked()
    assert len(calls) == 1


def test_checks_that_there_are_not(alive):
    code, body = asked(only="database,moon")
    assert (code, body["errors"][0]["parameter"], body["errors"][0]["value"]) == (400, "only", "moon")


def test_signs_of_life_are_written_now_and_then(db, monkeypatch):
    kept = []
    monkeypatch.setattr(checkpoints, "store", lambda name, value: kept.append(name))
    heartbeats.record_heartbeat("worker")
    heartbeats.record_heartbeat("worker")
    heartbeats.record_heartbeat("beat")
    assert kept == ["life of worker", "life of beat"]


@pytest.mark.parametrize(
    ("served", "given"),
    [
        (["planner", "celery"], ["worker", "watcher"]),
        (["planner"], ["worker"]),
        (["celery"], ["watcher"]),
        (["analytics"], ["analytics"]),
    ],
)
def test_a_worker_gives_signs_for_the_queues_that_it_serves(served, given, monkeypatch):
    begun, loops = [], []
    monkeypatch.setattr(app.amqp.queues, "_consume_from", {queue: {} for queue in served})
    monkeypatch.setattr(heartbeats.Pulse, "start", lambda pulse: begun.append(pulse.name))
    monkeypatch.setattr(signalling.threading.Thread, "start", lambda thread: loops.append(thread.name))
    monkeypatch.setattr(heartbeat, "_pulses", [])
    monkeypatch.setattr(signalling, "_loops", [])
    heartbeat.begin()
    signalling.begin()
    assert begun == [f"pulse of {', '.join(given)}"]
    assert loops == ([] if served == ["analytics"] else ["signalling"])


def test_a_worker_of_analytics_writes_no_telemetry_when_it_ends(monkeypatch):
    closed = []
    monkeypatch.setattr(table_snapshots, "close", lambda: closed.append(True))
    monkeypatch.setattr(request_rows, "export", lambda files: None)
    for served, times in (("analytics", 0), ("planner", 1)):
        monkeypatch.setattr(app.amqp.queues, "_consume_from", {served: {}})
        telemetry.finish()
        assert len(closed) == times


def test_analytics_is_missed_where_it_was_or_where_a_run_waits(alive, django_user_model):
    body = asked(django_user_model, only="analytics")[1]
    assert (statuses(body), detail(body, "analytics")) == (
        {"analytics": "ok"},
        "no analytics worker has ever run, and no run is queued",
    )
    Run.objects.create(series=Series.objects.create(job="counts", window=60_000_000), trigger="operator")
    assert asked(django_user_model, only="analytics")[1]["status"] == "degraded"
    heartbeats.record_heartbeat(heartbeats.ANALYTICS)
    assert asked(django_user_model, only="analytics")[1]["status"] == "ok"
    checkpoints.store("life of analytics", (timezone.now() - timedelta(seconds=100)).isoformat())
    code, body = asked(django_user_model, only="analytics")
    assert (code, body["status"]) == (200, "degraded")
    assert "no heartbeat for 10" in detail(body, "analytics")


def test_health_answers_while_the_tokens_are_locked(alive, django_user_model, monkeypatch):
    """Without details: who asks is not known."""
    asked(django_user_model, only="database")
    waits = []

    def locked(text):
        waits.append(lock_wait())
        raise OperationalError("canceling statement due to lock timeout")

    monkeypatch.setattr(authentication, "find_token", locked)
    status, body = asked(django_user_model, only="database")
    assert (status, statuses(body), detail(body, "database")) == (200, {"database": "ok"}, None)
    assert waits == [health_checks.WRITE_WAIT_MS]


def lock_wait():
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout" if connection.vendor == "sqlite" else "SHOW lock_timeout")
        found = str(cursor.fetchone()[0])
    return int(found) if found.isdigit() else 1000 * int(found.removesuffix("s"))
