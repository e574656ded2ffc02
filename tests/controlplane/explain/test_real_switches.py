"""Explanations with real switches: read over the controller, and by traces of a local Open vSwitch."""

from pathlib import Path

import pytest
from rest_framework.test import APIClient

from controlplane.accounts.tokens import issue_token
from controlplane.deployment import session
from tests.support.controlplane import network_world as world
from tests.support.controlplane.platform_on_switches import active, running


def explained(django_user_model, low=300, **query):
    user, _ = django_user_model.objects.get_or_create(username="vera")
    caller = APIClient()
    caller.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(user, 'test')}")
    asked = {"publisher": "p-h1", "values": f"low={low}", **query}
    answer = caller.get("/api/v1/explain/", asked)
    assert answer.status_code == 200, answer.content
    return answer.json()


def differences(answer):
    return [(row["kind"], row["switch"]) for row in answer["real"]["differences"]]


@pytest.fixture
def served(network):
    """Events with a dz that starts with 01 go from h1 to h3."""
    world.advertise("h1", ["0"])
    world.subscribe("h3", ["01"])
    session.run()
    return network


def test_tables_are_read_back_where_nothing_can_be_traced(served, django_user_model):
    answer = explained(django_user_model)
    assert answer["real"]["same"] is True
    assert [(hop["switch"], hop["means"]) for hop in answer["real"]["path"]] == [
        ("s1", "read_back"),
        ("s2", "read_back"),
        ("s3", "read_back"),
    ]
    assert answer["real"]["received"] == ["h3"]
    served.switches[world.dpid(2)].table.clear()
    answer = explained(django_user_model)
    assert differences(answer) == [("entry_missing", "s2")]
    assert answer["real"]["lost"] == [{"host": "h3", "at_switch": "s2"}]
    assert [row["host"] for row in answer["received"]] == ["h3"]  # according to the control plane


def test_what_cannot_be_seen_is_said(served, django_user_model, settings):
    served.switches[world.dpid(2)].connected = False
    real = explained(django_user_model)["real"]
    assert (real["same"], real["differences"]) == (None, [])
    assert [row["switch"] for row in real["not_seen"]] == ["s2"]
    assert "not connected" in real["not_seen"][0]["detail"]
    settings.NORTHBOUND_URL = "http://127.0.0.1:1"
    real = explained(django_user_model)["real"]
    assert [row["switch"] for row in real["not_seen"]] == ["s1", "s2", "s3"]
    assert "the controller returned no entries" in real["not_seen"][0]["detail"]
    settings.OVS_RUN_DIR = Path("/tmp/tx-nothing-here")
    real = explained(django_user_model)["real"]
    assert "does not answer at /tmp/tx-nothing-here/db.sock" in real["not_seen"][0]["detail"]


def test_nothing_is_looked_at_where_nobody_asks_or_nothing_is_sent(served, django_user_model):
    assert explained(django_user_model, trace="false")["real"] is None
    assert explained(django_user_model, low=900)["real"] is None


@pytest.mark.fabric
def test_an_entry_that_somebody_deleted_is_found_by_tracing(transactional_db, django_user_model, settings):
    with running() as platform:
        world.line(3)
        rows = world.advertise("h1", ["0"]), world.subscribe("h3", ["01"]), world.subscribe("h1", ["01"])
        platform.until(lambda: active(*rows), "the subscriptions")
        assert platform.worker.stop() == 0
        settings.NORTHBOUND_URL = f"http://127.0.0.1:{platform.northbound}"
        settings.OVS_RUN_DIR = platform.fabric.host_socket("h1").parent
        answer = explained(django_user_model)
        assert answer["real"]["same"] is True
        assert {hop["means"] for hop in answer["real"]["path"]} == {"trace"}
        assert answer["real"]["received"] == ["h1", "h3"]
        assert answer["path"][0]["entry"]["in_port"] == 3
        platform.fabric.ofctl("s2", "del-flows", "cookie=0x7ec0a57e00000001/-1")
        for run_dir, means in ((settings.OVS_RUN_DIR, "trace"), (None, "read_back")):
            settings.OVS_RUN_DIR = run_dir
            answer = explained(django_user_model)
            assert differences(answer) == [("entry_missing", "s2")]
            assert answer["real"]["lost"] == [{"host": "h3", "at_switch": "s2"}]
            assert {hop["means"] for hop in answer["real"]["path"]} == {means}
