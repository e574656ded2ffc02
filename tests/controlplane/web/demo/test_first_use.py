"""First use: the demo network on demand, test events, and the address for switches."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.network.controller_client import BadAnswerError, ControllerClient, Listening
from controlplane.network.models import Switch
from controlplane.operations.demo import demo, models, test_events
from controlplane.operations.demo.models import Launcher
from controlplane.requestlog.models import OutboxEvent
from tests.support.controlplane.launcher_reports import BEAT


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A launcher counts as running however long a busy machine takes for a test."""
    monkeypatch.setattr(demo, "SILENT", timedelta(minutes=4))


def beat(call, **more):
    answer = call.post("demo/launcher/", {**BEAT, **more})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_the_demo_is_offered_only_while_a_launcher_stands_by(operator, viewer, problem):
    body = viewer.get("demo/").json()
    assert body["state"] == "absent" and "make run" in body["reason"] and not body["may_start"]
    assert "No launcher" in problem(operator.post("demo/", {"action": "start"}), 409)["detail"]
    assert beat(operator) == {"wanted": False, "tests": []}
    body = viewer.get("demo/").json()
    assert (body["state"], body["may_start"], body["reason"]) == ("offered", True, "")
    Launcher.objects.update(heard_at=timezone.now() - timedelta(minutes=5))
    body = viewer.get("demo/").json()
    assert body["state"] == "absent" and "300 s" in body["reason"]


def test_it_is_started_and_ended_by_operators(operator, viewer, problem):
    beat(operator)
    problem(viewer.post("demo/", {"action": "start"}), 403)
    answer = operator.post("demo/", {"action": "start"})
    assert answer.status_code == 202 and answer.json()["state"] == "starting"
    assert beat(operator, state="starting", step="fabric", progress=0.25)["wanted"]
    body = viewer.get("demo/").json()
    assert (body["state"], body["step"], body["progress"]) == ("starting", "fabric", 0.25)
    beat(operator, state="running")
    assert operator.post("demo/", {"action": "start"}).status_code == 202  # it is already running
    assert operator.post("demo/", {"action": "stop"}).json()["state"] == "stopping"
    assert not beat(operator, state="stopping")["wanted"]
    assert [event.payload["state"] for event in OutboxEvent.objects.filter(kind="demo")][-1] == "stopping"


def test_a_failure_is_reported_and_not_repeated(operator, viewer):
    beat(operator)
    operator.post("demo/", {"action": "start"})
    assert not beat(operator, state="failed", reason="apt-get install openvswitch-switch")["wanted"]
    body = viewer.get("demo/").json()
    assert body["state"] == "failed" and "openvswitch" in body["reason"] and body["may_start"]


def test_it_is_not_offered_beside_another_network(network, problem):
    network.post("switches/", {"name": "mine", "dpid": "00000000000000d4"})
    beat(network)
    body = network.get("demo/").json()
    assert "mine" in body["reason"] and not body["may_start"]
    problem(network.post("demo/", {"action": "start"}), 409)


def test_the_demo_of_make_run_ends_with_it(operator, problem):
    beat(operator, state="running", fixed=True)
    assert not operator.get("demo/").json()["may_stop"]
    assert "Ctrl-C" in problem(operator.post("demo/", {"action": "stop"}), 409)["detail"]


@pytest.fixture
def advertised(world, end):
    world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "low < 100"})
    world.post("subscriptions/", {"subscriber": "alice", "topic": "quotes", "filter": "low > 50"})
    end()
    (row,) = world.get("advertisements/").json()["results"]
    return f"a{row['id']}"


VALUES = {"low": 92, "high": 1.5, "open": True, "side": "buy", "symbol": "IBM"}


def test_a_test_event_is_published_once_and_shows_its_receivers(world, viewer, advertised):
    Launcher.objects.create(pk=1, **BEAT | {"state": "running", "wanted": True, "heard_at": timezone.now()})
    answer = world.post("test-events/", {"advertisement": advertised, "values": VALUES})
    assert answer.status_code == 202 and answer.json()["state"] == "queued"
    (order,) = beat(world, state="running")["tests"]
    assert (order["advertisement"], order["host"], order["values"]) == (advertised, "h1", VALUES)
    assert beat(world, state="running")["tests"] == []
    got = [{"host": "h2", "delay_ms": 1.5}, {"host": "h3", "delay_ms": 2.5}]
    result = {"id": order["id"], "seq": 17, "received": got}
    beat(world, state="running", tested=[result])
    beat(world, state="running", tested=[{**result, "problem": "reported twice"}])
    body = viewer.get(answer.json()["url"]).json()
    assert (body["state"], body["seq"], body["publisher"], body["problem"]) == ("done", 17, "exchange", "")
    wanted, unwanted = body["received"]
    assert (wanted["host"], wanted["wanted"], len(wanted["subscriptions"])) == ("h2", True, 1)
    assert (unwanted["host"], unwanted["wanted"]) == ("h3", False)


def test_refused_test_events_have_a_remedy(world, advertised, pointers, problem):
    ask = {"advertisement": advertised, "values": VALUES}
    assert "tercast publish" in problem(world.post("test-events/", ask), 409)["detail"]
    beat(world, state="running", fixed=True, hosts=["h2"])
    assert "h1" in problem(world.post("test-events/", ask), 409)["detail"]
    bad = {"advertisement": advertised, "values": {**VALUES, "low": 500}}
    assert pointers(world.post("test-events/", bad)) == [(None, "/values", "outside_advertisement")]
    other = world.post("test-events/", {**ask, "advertisement": "a99999999"})
    assert pointers(other) == [(None, "/advertisement", "unknown_advertisement")]
    beat(world, state="running", fixed=True)
    for _ in range(test_events.MOST_WAITING):
        assert world.post("test-events/", ask).status_code == 202
    assert world.post("test-events/", ask).headers["Retry-After"] == "5"
    beat(world, state="running", fixed=True)  # it accepts them, and sends nothing any more
    models.TestEvent.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    body = world.get("test-events/").json()["results"]
    assert {row["state"] for row in body} == {"failed"} and "send again" in body[0]["problem"]


def answer_as(monkeypatch, listening, switches=()):
    monkeypatch.setattr(ControllerClient, "listening", lambda self: listening)
    monkeypatch.setattr(ControllerClient, "switches", lambda self: list(switches))


def test_where_switches_connect(network, viewer, monkeypatch):
    Switch.objects.filter(name="s1").update(connected=True)
    seen = [{"dpid": "00000000000000ff", "address": "192.0.2.7:4711"}]
    answer_as(monkeypatch, Listening("tcp", "127.0.0.1", 6653), seen)
    body = viewer.get("connect/").json()
    assert body["addresses"] == ["tcp:127.0.0.1:6653"] and body["local_only"]
    assert "TERCAST_OPENFLOW=0.0.0.0:6653" in body["note"] and body["reported"] and not body["tls"]
    assert body["command"].endswith("set-controller BRIDGE tcp:127.0.0.1:6653")
    assert (body["switches"], body["connected"]) == (3, 1)
    assert [row["name"] for row in body["waiting"]] == ["s2", "s3"]
    assert "datapath-id=0000000000000002" in body["waiting"][0]["command"]
    assert body["unknown"] == seen and body["problem"] == ""


@pytest.mark.parametrize(
    ("listening", "local", "tls", "address"),
    [
        (Listening("tcp", "127.0.0.1", 6653), True, False, "tcp:127.0.0.1:6653"),
        (Listening("tcp", "::1", 6700), True, False, "tcp:[::1]:6700"),
        (Listening("ssl", "127.0.0.2", 1), True, True, "ssl:127.0.0.2:1"),
        (Listening("tcp", "192.0.2.1", 6633), False, False, "tcp:192.0.2.1:6633"),
        (Listening("ssl", "2001:db8::1", 6653), False, True, "ssl:[2001:db8::1]:6653"),
        (Listening("ssl", "0.0.0.0", 6653), False, True, None),
        (Listening("tcp", "::", 6653), False, False, None),
    ],
    ids=str,
)
def test_the_page_shows_what_the_controller_reports(viewer, monkeypatch, listening, local, tls, address):
    answer_as(monkeypatch, listening)
    body = viewer.get("connect/").json()
    assert (body["local_only"], body["tls"], body["reported"]) == (local, tls, True)
    scheme, port = f"{listening.scheme}:", f":{listening.port}"
    assert all(one.startswith(scheme) and one.endswith(port) for one in body["addresses"])
    assert body["addresses"] == [address] if address else "0.0.0.0" not in str(body["addresses"])
    assert body["command"].endswith(body["addresses"][0])
    assert ("ovs-vsctl set-ssl" in body["command"]) == tls == ("over TLS" in body["note"])
    assert ("this machine only" in body["note"]) == local


def test_the_setting_replaces_what_a_silent_controller_would_report(viewer, settings):
    settings.NORTHBOUND_URL = "http://127.0.0.1:9"
    settings.ENV = replace(settings.ENV, openflow=("ssl", "192.0.2.9", 6699))
    body = viewer.get("connect/").json()
    assert body["addresses"] == ["ssl:192.0.2.9:6699"] and not body["reported"]
    assert "does not answer" in body["problem"] and "`TERCAST_OPENFLOW`" in body["problem"]


def test_a_controller_of_another_version_is_no_fault(viewer, monkeypatch):
    def refuse(self):
        raise BadAnswerError("GET /v1/listening: status 404")

    monkeypatch.setattr(ControllerClient, "listening", refuse)
    body = viewer.get("connect/").json()
    assert not body["reported"] and "status 404" in body["problem"]
