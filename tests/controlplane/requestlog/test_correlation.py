"""The id of a call in the logs of web server, worker and controller, up to the confirmed change."""

import json
import os
import sys
from pathlib import Path

import httpx
import pytest
from django.core.management import call_command

from controlplane.deployment import session
from controlplane.deployment.audits import audits
from controlplane.deployment.audits import worker as work
from controlplane.deployment.watcher import watch
from controlplane.operations import heartbeats
from controlplane.registry.models import Subscriber
from controlplane.requestlog import correlation
from controlplane.requestlog.log_filter import ContextFilter
from controlplane.requestlog.models import Request
from tests.support.controlplane import network_world as world
from tests.support.controlplane.platform_on_switches import active, running
from tests.support.controlplane.worker_processes import CELERY, Process, environment, wait_until
from tests.support.ports import free_port

CALL = "follow-me-through-1234"


def lines(path: Path) -> list[dict]:
    """Return all log lines. Each one is a JSON object."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def platform(transactional_db):
    with running(env={"TERCAST_LOG_FORMAT": "json"}) as platform:
        yield platform


@pytest.mark.fabric
def test_a_calls_id_is_in_every_log_on_its_way(platform):
    world.line(3)
    advertisement = world.advertise("h1", ["0"])
    platform.until(lambda: active(advertisement), "the advertisement")
    Subscriber.objects.create(name="sue", host=world.Host.objects.get(name="h3"))
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "controlplane.config.asgi:application", "--port", str(port)]
    web = Process([*command, "--lifespan", "off"], platform.env, platform.folder / "web.log")
    try:
        token = (platform.folder / "state/secrets/operator-token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}", "X-Request-ID": CALL, "Prefer": "wait=30"}
        body = {"subscriber": "sue", "topic": "quotes", "filter": "low in [256, 511]"}
        url = f"http://127.0.0.1:{port}/api/v1/subscriptions/"

        def posted():
            try:
                return httpx.post(url, json=body, headers=headers, timeout=60, trust_env=False)
            except httpx.ConnectError:
                return None

        answers = []
        wait_until(lambda: answers.append(posted()) or answers[-1], "the web server", platform.worker)
        answer = answers[-1]
        assert (answer.status_code, answer.headers["X-Request-ID"]) == (202, CALL)
        request = answer.json()
        assert (request["state"], request["call"]) == ("active", CALL)
    finally:
        web.__exit__()
    number = f"r{request['id']}"
    (logged,) = [line for line in lines(platform.folder / "web.log") if line["message"] == "requests logged"]
    assert (logged["request_id"], logged["first"], logged["requests"]) == (CALL, number, 1)

    worker = [
        line for line in lines(platform.folder / "worker.log") if line.get("change", "").startswith(number)
    ]
    assert [line["message"] for line in worker] == ["batch planned", "batch pushed", "requests active"]
    assert (worker[2]["requests"], worker[2]["calls"]) == (number, CALL)
    assert (worker[0]["calls"], worker[1]["confirmed"]) == (CALL, 3)
    (name,) = {line["change"] for line in worker}
    assert name == f"{number}:{CALL}"

    applied = [line for line in lines(platform.folder / "controller.log") if line.get("change") == name]
    assert [(line["message"], line["confirmed"]) for line in applied] == [("change applied", 3)]
    platform.until(lambda: heartbeats.age(heartbeats.WORKER) is not None, "the worker's heartbeat")
    platform.until(lambda: heartbeats.age(heartbeats.BEAT) is not None, "beat's heartbeat")


def test_changes_are_named_by_their_requests():
    one, two, three = (Request(pk=n, call=call) for n, call in ((4, "a" * 8), (5, "a" * 8), (9, "b" * 8)))
    assert correlation.of_requests([one]) == "r4:aaaaaaaa"
    assert correlation.of_requests([one, two]) == "r4-r5:aaaaaaaa"
    assert correlation.of_requests([one, three]) == "r4-r9"
    assert correlation.of_requests([Request(pk=3)]) == "r3"
    assert correlation.current() == ""
    with correlation.named("r4"):
        assert correlation.current() == "r4"


def test_an_audits_repairs_go_by_its_name(network):
    first = world.advertise("h1", ["0"]).request_id
    last = world.subscribe("h3", ["01"]).request_id
    session.run()
    assert network.changes[-1]["id"].startswith(f"r{first}-r{last}")
    network.switches[world.dpid(2)].table.clear()
    audit = audits.ask(None, True, None)
    work.run()
    assert network.changes[-1]["id"] == f"audit-{audit.pk}"


def test_the_repair_that_confirms_a_request_is_found_by_the_request(transactional_db, network, caplog):
    caplog.set_level("INFO", logger="controlplane.deployment.session_log")
    caplog.handler.addFilter(ContextFilter())
    world.advertise("h1", ["0"])
    session.run()
    network.disconnect(world.dpid(2))
    watch.run()
    row = world.subscribe("h3", ["01"])
    Request.objects.filter(pk=row.request_id).update(call=CALL)
    session.run()
    said = [record for record in caplog.records if record.message == "requests active"]
    assert all(record.fields["calls"] != CALL for record in said)
    network.connect(world.dpid(2))
    watch.run()
    session.run()
    assert active(row)
    record = caplog.records[-1]
    assert record.message == "requests active"
    assert (record.fields["requests"], record.fields["calls"]) == (f"r{row.request_id}", CALL)
    assert record.fields["change"] == network.changes[-1]["id"]
    assert record.fields["change"].startswith("repair-")


def test_requests_in_a_row_are_named_together():
    assert correlation.spans([9, 4, 7, 8]) == "r4,r7-r9"
    assert correlation.spans([3]) == "r3"


@pytest.mark.parametrize(
    "arguments",
    [
        ["worker", "--without-heartbeat", "--without-gossip", "--without-mingle", "--loglevel", "info"],
        pytest.param(
            ["worker", "-Q", "analytics", "--without-heartbeat", "--without-gossip", "--without-mingle"],
            marks=pytest.mark.full,
        ),
        ["beat", "--pidfile", "", "--loglevel", "info"],
    ],
)
def test_all_that_celery_says_is_json(transactional_db, tmp_path, arguments):
    env = environment(tmp_path, "http://127.0.0.1:9", TERCAST_LOG_FORMAT="json", PYTHONWARNINGS="default")
    log = tmp_path / "log"
    sign = {"beat": heartbeats.BEAT, "-Q": heartbeats.ANALYTICS}
    name = next((sign[word] for word in arguments if word in sign), heartbeats.WORKER)
    with Process([*CELERY, *arguments], env, log) as process:
        if name == heartbeats.BEAT:
            call_command("prepare")
        wait_until(lambda: heartbeats.age(name) is not None, "the heartbeat", process)
        assert process.stop() == 0
    assert (heartbeats.age(heartbeats.WORKER) is None) == (name != heartbeats.WORKER)
    messages = [line["message"] for line in lines(log)]
    assert ("worker: Warm shutdown (MainProcess)" in messages) == (name != heartbeats.BEAT)
    assert any("superuser" in message for message in messages) == (
        name != heartbeats.BEAT and os.geteuid() == 0
    )
