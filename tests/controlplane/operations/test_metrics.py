"""`/metrics` of the control plane: read from the database, so all processes report the same values."""

from datetime import timedelta
from random import Random

import pytest
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from rest_framework.test import APIClient

from controlplane.accounts.tokens import issue_token
from controlplane.deployment import session
from controlplane.deployment.audits.models import Audit, Check, CheckState
from controlplane.network.models import Switch
from controlplane.operations import heartbeats, stage_histograms
from controlplane.requestlog.models import Request, State, Watermark
from controlplane.telemetry.models import TrafficReport
from tests.support.controlplane import network_world as world


def scrape(django_user_model, **headers):
    user, _ = django_user_model.objects.get_or_create(username="vera")
    token = issue_token(user, "test")
    answer = APIClient().get("/metrics", headers={"Authorization": f"Bearer {token}", **headers})
    assert answer.status_code == 200, answer.content
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    text = answer.content.decode()
    assert token not in text
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_it_is_for_viewers(db):
    answer = APIClient().get("/metrics")
    assert answer.status_code == 401
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_requests_entries_and_budgets(network, django_user_model):
    world.advertise("h1", ["0"])
    world.subscribe("h3", ["01"])
    session.run()
    Switch.objects.filter(name="s1").update(tcam_budget=7, connected=True)
    waiting = world.subscribe("h2", ["00"])
    found = scrape(django_user_model, Accept="application/openmetrics-text;version=1.0.0")
    assert found["tercast_requests_open", ("state", "queued")] == 1
    assert found["tercast_requests_open", ("state", "deploying")] == 0
    assert found["tercast_requests_ended_total", ("kind", "subscribe"), ("state", "active")] == 1
    assert found["tercast_switch_entries", ("switch", "s1")] == 1
    assert found["tercast_switch_budget", ("switch", "s1")] == 7
    assert ("tercast_switch_budget", ("switch", "s2")) not in found
    assert found["tercast_switch_connected", ("switch", "s1")] == 1
    assert found["tercast_requests_oldest_seconds",] >= 0
    ended = Request.objects.exclude(pk=waiting.request_id).count()
    assert found["tercast_request_stage_seconds_count", ("stage", "waiting")] == ended
    assert found["tercast_request_stage_seconds_bucket", ("le", "+Inf"), ("stage", "waiting")] == ended


def test_audits_events_and_processes(network, django_user_model):
    audit = Audit.objects.create(trigger="operator")
    for number, state in ((5, CheckState.REPAIRED), (2, CheckState.DRIFTED)):
        Check.objects.create(
            audit=audit if number == 5 else Audit.objects.create(trigger="periodic"),
            switch="s1",
            state=state,
            missing=number,
            checked_at=timezone.now(),
        )
    TrafficReport.objects.create(reporter="a", published=10, lost=1, delay_p50_ms=2.5)
    TrafficReport.objects.create(reporter="b", published=5)
    heartbeats._last.clear()
    heartbeats.note(heartbeats.WORKER)
    found = scrape(django_user_model)
    assert found["tercast_audit_drift", ("kind", "missing"), ("switch", "s1")] == 2
    assert found["tercast_audit_state", ("state", "drifted"), ("switch", "s1")] == 1
    assert ("tercast_audit_state", ("state", "repaired"), ("switch", "s1")) not in found
    assert found["tercast_events", ("what", "published")] == 15
    assert (
        found["tercast_event_delay_seconds", ("kind", ""), ("quantile", "0.5"), ("reporter", "a")] == 0.0025
    )
    assert found["tercast_process_seen_seconds", ("process", "worker")] < 60
    assert ("tercast_process_seen_seconds", ("process", "beat")) not in found


@pytest.mark.parametrize("seed", range(5))
def test_counting_on_is_counting_at_once(db, seed):
    """The figures count all rows, in any order of their ends and at any time."""
    random = Random(seed)
    rows: list[Request] = []
    for _ in range(40):
        if random.random() < 0.5 or not rows:
            rows.append(Request.objects.create(kind=random.choice("ab"), payload={}))
        else:
            row = random.choice(rows)
            now = timezone.now()
            row.started_at, row.computed_at = now, now + timedelta(seconds=random.random() * 10)
            row.confirmed_at = row.computed_at + timedelta(seconds=random.random() * 400)
            row.state = random.choice([State.ACTIVE, State.FAILED])
            row.save()
            rows.remove(row)
        if random.random() < 0.3:
            stage_histograms.totals()
    found = stage_histograms.totals()
    Watermark.objects.all().delete()
    again = stage_histograms.totals()
    assert (found.ended, found.counts) == (again.ended, again.counts)
    assert found.sums == pytest.approx(again.sums)
    assert sum(found.ended.values()) == Request.objects.exclude(state=State.QUEUED).count()
