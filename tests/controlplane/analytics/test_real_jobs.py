"""Every job with a real Spark, through a run: its results are in the database, by the subscriptions there."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.analytics import inputs, runs, worker
from controlplane.analytics.jobs import JOBS
from controlplane.analytics.models import Result, Run
from controlplane.network.models import Host, Switch
from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Advertisement, Publisher, Subscriber, Subscription, Topic
from controlplane.requestlog.models import Request
from controlplane.telemetry import samples
from tests.support.controlplane import telemetry_rows as rows

pytestmark = pytest.mark.django_db


def request(kind, at):
    """A request of the log that was confirmed as soon as it came in."""
    row = Request.objects.create(kind=kind, payload={"op": kind}, state="active")
    Request.objects.filter(pk=row.pk).update(received_at=at, confirmed_at=at)
    return Request.objects.get(pk=row.pk)


@pytest.fixture
def subscription(today):
    """What h2 wanted until noon: low values; and never what was withdrawn before it was confirmed."""
    attributes = [{"name": n, "type": "int", "min": 0, "max": 9} for n in ("low", "high")]
    topic = Topic.objects.create(name="quotes", code=2, attributes=attributes, indexed=["low"])
    switch = Switch.objects.create(name="s1", dpid="00000000000000a1")
    host = Host.objects.create(name="h2", switch=switch, port=1, ip="fd00::2", mac="02:00:00:00:00:02")
    alice = Subscriber.objects.create(name="alice", host=host)
    early, late = request("subscribe", today - timedelta(hours=4)), request("unsubscribe", today)
    for withdrawal in (late, request("unsubscribe", today - timedelta(hours=5))):
        row = Subscription.objects.create(
            subscriber=alice, topic=topic, filter="low < 5", dz=["0"], request=early, withdrawal=withdrawal
        )
    Subscription.objects.create(
        subscriber=alice,
        topic=topic,
        filter="low > 8",
        dz=["1"],
        request=Request.objects.create(kind="subscribe", payload={}),
    )
    return row.pk - 1


def test_subscriptions_hold_from_their_confirmation_to_their_withdrawal(subscription, tmp_path, today):
    assert inputs.write_subscriptions(tmp_path / "s.json") == 1
    found = json.loads((tmp_path / "s.json").read_text())
    (entry,) = found["subscriptions"]
    assert entry == {
        "id": f"q{subscription}",
        "host": "h2",
        "topic": "quotes",
        "filter": "low < 5",
        "from": (today - timedelta(hours=4)).isoformat(),
        "until": today.isoformat(),
    }
    assert found["topics"][0]["name"] == "quotes"


@pytest.mark.spark
@pytest.mark.full
@pytest.mark.parametrize(
    "name", ["false_positives", "dimension_selection", "learned_space", "publisher_load", "request_latency"]
)
def test_a_job_through_a_run(own_state, root, today, subscription, name):
    at = today - timedelta(hours=1)
    values = [
        '{"low": 1, "high": 2}',
        '{"low": 2, "high": 9}',
        '{"low": 7, "high": 1}',
        '{"low": 4, "high": 3}',
    ]
    values *= 10 if name == "learned_space" else 1
    sent = [rows.published(at + timedelta(seconds=n), n, values=text) for n, text in enumerate(values)]
    rows.write(root, "published", sent)
    came = [rows.delivered(at + timedelta(seconds=n), n, wanted=n != 2) for n in (0, 1, 2)]
    rows.write(root, "delivered", [*came, rows.delivered(at, 0, ms=9)])
    received = {"request": 1, "kind": "subscribe", "received_at": at, "status": "active"}
    stages = {
        f"{stage}_at": at + timedelta(milliseconds=n) for n, stage in enumerate(("started", "computed"), 1)
    }
    rows.write(root, "requests", [received, {**received, **stages}])
    job = JOBS[name]
    range_ = {"since": at, "until": today - timedelta(minutes=30)} if name == "learned_space" else {}
    runs.request_run(job.name, job.window, None, **range_)
    worker.execute_runs()
    run = Run.objects.get()
    assert run.state == "succeeded", (run.reason, run.log)
    (found,) = Result.objects.all()
    if name == "false_positives":
        assert (found.topic, found.host, found.window_start) == ("quotes", "h2", at)
        wanted = {"delivered": 3, "unwanted": 1, "doubled": 1, "lost": 1}
        assert {key: found.values[key] for key in wanted} == wanted
    elif name == "dimension_selection":
        assert found.topic == "quotes" and found.values["events"] == 4
        assert found.values["ranking"][0] == "low" and found.values["selected"] == ["low"]
    elif name == "learned_space":
        assert (found.topic, found.values["events"], found.values["subscriptions"]) == ("quotes", 40, 1)
        topic = core_topic(Topic.objects.get()).with_cuts(json.loads(found.values["cuts"]))
        assert {cut.value for cut in topic.cuts.cuts()} >= {5} and found.values["unwanted"] == 0
    elif name == "publisher_load":
        assert (found.subject, found.values["events"], found.values["dz_histogram"]) == ("a1", 4, {"0101": 4})
    else:
        assert (found.subject, found.values["requests"], found.values["waiting_ms"]["p50"]) == (
            "subscribe",
            1,
            1.0,
        )
        assert found.values["processing_ms"] is None


@pytest.mark.spark
@pytest.mark.full
def test_samples_from_telemetry_through_runs(own_state, root, subscription):
    """A second run reads the new file alone, and takes nothing twice, though rows of the first come again."""
    host = Host.objects.create(
        name="h1", switch=Switch.objects.get(), port=2, ip="fd00::1", mac="02:00:00:00:00:01"
    )
    exchange, topic = Publisher.objects.create(name="exchange", host=host), Topic.objects.get()
    asked = Request.objects.create(kind="advertise", payload={}, state="active")
    ad = Advertisement.objects.create(
        publisher=exchange, topic=topic, filter="low < 7", dz=["0"], request=asked
    )
    name, at = ad.planner_id, timezone.now() - timedelta(hours=2)

    def events(*numbers):
        values = [f'{{"low": {n}, "high": 1}}' for n in numbers]
        sent = zip(numbers, values, strict=True)
        rows.write(
            root,
            "published",
            [rows.published(at + timedelta(seconds=n), n, name, values=text) for n, text in sent],
        )

    def run():
        made = runs.request_run("event_samples", "1 minute", None)
        worker.execute_runs()
        made.refresh_from_db()
        assert made.state == "succeeded", (made.reason, made.log)
        return made

    events(0, 1, 2, 8)
    first = run()
    counts = {"taken": 3, "earlier": 0, "reported": 0, "unfit": {"outside_advertisement": 1}}
    assert first.figures["samples"] == counts and first.rows == 0
    events(1, 2, 8, 9)
    second = run()
    assert second.figures["samples"] == {**counts, "taken": 0, "earlier": 3}
    assert second.figures["read"] == second.figures["new"] and second.figures["there"]["files"] == 2
    assert [event["values"]["low"] for event in samples.traffic([name])] == [0, 1, 2]
    assert not Result.objects.exists()
