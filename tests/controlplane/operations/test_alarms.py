"""`/api/v1/alarms/`: past alarms, which stay readable, and the active alarms of all sources."""

import pytest
from rest_framework.test import APIClient

from controlplane.accounts.tokens import issue_token
from controlplane.deployment.audits.models import Audit, Check
from controlplane.network.models import Switch
from controlplane.requestlog import checkpoints, outbox


@pytest.fixture
def get(django_user_model, network):
    user, _ = django_user_model.objects.get_or_create(username="vera")
    caller = APIClient()
    caller.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(user, 'test')}")

    def asked(path, **query):
        answer = caller.get(f"/api/v1/{path}", query)
        assert answer.status_code == 200, answer.content
        return answer.json()

    return asked


def test_past_alarms_are_stored_and_found_by_their_words(get):
    outbox.emit("tables", {"s1": 3})
    kept = [outbox.alarm(text).pk for text in ("telemetry is written again", "switch s1: no bundles")]
    listed = get("alarms/", count="true", ordering="-id")
    assert [row["id"] for row in listed["results"]] == kept[::-1]
    assert listed["count"] == len(kept)
    assert [row["text"] for row in get("alarms/", q="BUNDLES")["results"]] == ["switch s1: no bundles"]
    later = get("alarms/", at__gte=get(f"alarms/{kept[1]}/")["at"])
    assert [row["id"] for row in later["results"]] == kept[1:]


def test_all_that_stand_have_one_form_and_name_the_switch(get, network):
    dpid, name = Switch.objects.order_by("name").values_list("dpid", "name").first()
    network.alarms = [{"alarm": "duplicate_dpid", "dpid": dpid, "detail": "a second switch", "count": 3}]
    since = "2026-01-02T03:04:05Z"
    checkpoints.store("aggregation alarms", {"s2": {"measured": 3.0, "expected": 1.0, "since": since}})
    audit = Audit.objects.create(trigger="operator", state="done")
    Check.objects.create(audit=audit, switch=name, state="unrepaired", detail="table_full")
    found = get("alarms/standing/")
    assert found["unknown"] is None
    rows = [(row["source"], row["alarm"], row["subject"], row["since"]) for row in found["alarms"]]
    assert rows == [
        ("controller", "duplicate_dpid", f"switch {name}", None),
        ("aggregation", "aggregation_cost", "switch s2", since),
        ("audit", "unrepaired", f"switch {name}", None),
    ]


def test_a_controller_without_an_answer_is_reported_with_the_others(get, settings):
    settings.NORTHBOUND_URL = "http://127.0.0.1:1"
    checkpoints.store("aggregation alarms", {"s2": {"measured": 3.0, "expected": 1.0}})
    found = get("alarms/standing/")
    assert found["unknown"]
    assert [row["source"] for row in found["alarms"]] == ["aggregation"]
