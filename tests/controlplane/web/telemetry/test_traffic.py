"""Event counters of hosts: the latest report of each reporter, the sums, and the events for live pages."""

import pytest

from controlplane.requestlog.models import OutboxEvent
from controlplane.telemetry.models import TrafficReport
from tests.support.controlplane.traffic_reports import REPORT

SUMS = {key: value for key, value in REPORT.items() if key != "reporter"}


def test_a_report_is_stored_and_shown(operator):
    answer = operator.post("traffic/", REPORT)
    assert answer.status_code == 200
    body = answer.json()
    assert {key: body[key] for key in REPORT} == REPORT
    assert operator.get(body["url"]).json() == body
    event = OutboxEvent.objects.get()
    assert event.kind == "traffic" and event.payload == SUMS
    assert TrafficReport.objects.get().actor.username == "olga"


def test_a_later_report_takes_its_place(operator):
    operator.post("traffic/", REPORT)
    operator.post("traffic/", {**REPORT, "published": 2000})
    (row,) = operator.get("traffic/").json()["results"]
    assert row["published"] == 2000
    assert operator.get("traffic/totals/").json()["published"] == 2000


def test_reports_of_several_add_up(operator):
    operator.post("traffic/", REPORT)
    late = {"p50": 3.5, "p99": 4.0}
    operator.post("traffic/", {**REPORT, "reporter": "other", "delivered": 2466, "delay_ms": late})
    totals = operator.get("traffic/totals/").json()
    assert (totals["published"], totals["delivered"]) == (2000, 3288)
    assert totals["delay_ms"] == {"p50": pytest.approx(3.0), "p99": 6.25}
    assert OutboxEvent.objects.latest("id").payload == totals


def test_without_reports_all_is_zero(operator):
    none = {"p50": None, "p99": None}
    assert operator.get("traffic/totals/").json() == {**dict.fromkeys(SUMS, 0), "delay_ms": none}


def test_a_report_without_delays(operator):
    body = {key: value for key, value in REPORT.items() if key != "delay_ms"}
    assert operator.post("traffic/", body).json()["delay_ms"] == {"p50": None, "p99": None}
    assert operator.post("traffic/", {**body, "delay_ms": None}).status_code == 200


@pytest.mark.parametrize("value", [-1, 2**53, 2**63, 2**80, 1.0, True, "1", None])
def test_a_bad_counter_is_named(operator, error, value):
    assert error(operator.post("traffic/", {**REPORT, "lost": value}))["pointer"] == "/lost"
    assert not TrafficReport.objects.exists() and not OutboxEvent.objects.exists()


def test_the_largest_counter_is_kept(operator):
    top = 2**53 - 1
    assert operator.post("traffic/", {**REPORT, "lost": top}).json()["lost"] == top
    TrafficReport.objects.bulk_create(TrafficReport(reporter=f"r{n}", lost=top) for n in range(1100))
    assert operator.get("traffic/totals/").json()["lost"] == 1101 * top


@pytest.mark.parametrize("value", [{"p50": -1, "p99": 1}, {"p50": 1}, {"p50": "1", "p99": 1}, [], 5])
def test_a_bad_delay_is_named(operator, error, value):
    assert error(operator.post("traffic/", {**REPORT, "delay_ms": value}))["pointer"].startswith("/delay_ms")
