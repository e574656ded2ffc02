"""Watermark rows that are malformed after a change by SQL: observers continue and name them."""

import json

import pytest
from django.db import connection
from rest_framework.test import APIClient

from controlplane.accounts.tokens import issue_token
from controlplane.aggregation.policy import ALARMS
from controlplane.operations import health_checks, heartbeats, stage_histograms
from controlplane.periodic import task_failures
from controlplane.planning import planner_state
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import Watermark
from controlplane.signalling import liveness
from controlplane.web.monitoring import health_views

SHAPES = ['"a text"', "[1, 2]", "7", '{"a": 1}', '{"a": {"b": {}}}', "true", "null"]
NAMES = (
    f"{task_failures.PREFIX}tercast.watch",
    f"{task_failures.FAILING}tercast.watch",
    *(f"life of {name}" for name in heartbeats.NAMES),
    ALARMS,
    liveness.KEPT,
    "request metrics",
    "disks of elsewhere",
    health_checks.PROBE,
)


@pytest.fixture
def viewer(network, django_user_model, monkeypatch):
    monkeypatch.setattr(health_views, "_answers", {})
    caller = APIClient()
    user = django_user_model.objects.create(username="vera")
    caller.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(user, 'test')}")
    return caller


def store(name, text):
    """Write `text` with SQL, as an administrator can."""
    checkpoints.store(name, {})
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = 1")
        cursor.execute("UPDATE control_watermark SET value = %s WHERE name = %s", [text, name])
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = 0")


def damaged():
    return ["{not json", *SHAPES] if connection.vendor == "sqlite" else SHAPES


def test_health_and_alarms_answer_whatever_the_rows_hold(viewer):
    for text in damaged():
        for name in NAMES:
            store(name, text)
        for path in ("/api/v1/health/", "/api/v1/alarms/standing/", "/api/v1/aggregation/", "/metrics"):
            answer = viewer.get(path)
            assert answer.status_code in (200, 503), (path, text, answer.content)


def test_a_malformed_row_is_an_alarm_with_its_name(viewer):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL takes no malformed JSON")
    store(NAMES[0], "{not json")
    found = viewer.get("/api/v1/alarms/standing/").json()["alarms"]
    assert [(row["alarm"], row["subject"]) for row in found] == [("malformed", NAMES[0])]
    assert "Correct the row with SQL" in found[0]["detail"]


def test_writers_replace_what_is_malformed(db):
    for text in damaged():
        for name in NAMES[:2]:
            store(name, text)
        task_failures.report("tercast.watch", "skipped", {"row 1": "bad"})
        task_failures.record_failure("tercast.watch", ValueError("x"))
        assert [each.subject for each in task_failures.read_problems()] == ["row 1"], text
        task_failures.report("tercast.watch", "skipped", {})
        task_failures.record_success("tercast.watch")
        assert not Watermark.objects.filter(name=NAMES[1]).exists()
        store("life of beat", text)
        heartbeats._last.clear()
        heartbeats.record_heartbeat(heartbeats.BEAT)
        assert heartbeats.age(heartbeats.BEAT) is not None
        store("request metrics", text)
        stage_histograms.totals()


def test_what_the_planner_goes_on_from_is_never_guessed(db):
    store("compacted", '"a text"')
    name = planner_state._COMPACTED
    store(name, json.dumps(["no", "position"]))
    with pytest.raises(checkpoints.MalformedCheckpoint, match=name):
        planner_state.base()


def test_a_check_that_fails_stops_no_other_one(network, monkeypatch):
    def fails():
        raise KeyError("x")

    found = health_checks.run_checks({"beat": fails, "disk": health_checks.disk})
    assert (
        found["beat"].status == health_checks.CheckStatus.DEGRADED
        and "the check failed" in found["beat"].detail
    )
    assert "disk" in found
