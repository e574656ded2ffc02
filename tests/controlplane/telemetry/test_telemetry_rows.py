"""Telemetry of the control plane itself: requests exactly from the log, tables as they were read."""

import dataclasses
import random
from datetime import UTC, datetime, timedelta

import pyarrow.parquet as pq
import pytest

from controlplane.deployment import session
from controlplane.deployment.watcher import watch
from controlplane.network.models import Switch
from controlplane.requestlog.models import OutboxEvent, Request, State
from controlplane.telemetry import request_rows, storage, table_snapshots
from controlplane.telemetry.models import ExportedRequest
from tests.support.controlplane import network_world as world

STAGES = ("received_at", "started_at", "computed_at", "confirmed_at")


@pytest.fixture(autouse=True)
def root(settings, tmp_path, monkeypatch):
    settings.ENV = dataclasses.replace(settings.ENV, telemetry=tmp_path / "telemetry")
    monkeypatch.setattr(table_snapshots, "_recorder", None)
    monkeypatch.setattr(table_snapshots, "_recorded", {})
    yield settings.ENV.telemetry_root
    table_snapshots.close()


def rows_of(root, dataset):
    return [row for path in root.glob(f"{dataset}/*/[!._]*") for row in pq.read_table(path).to_pylist()]


def latest(root):
    """Of each request the row that reached the latest stage, as the job picks it."""
    best = {}
    for row in rows_of(root, "requests"):
        reached = (sum(row[name] is not None for name in STAGES), row["status"] in ("active", "failed"))
        if row["request"] not in best or reached >= best[row["request"]][0]:
            best[row["request"]] = (reached, row)
    return {request: row for request, (_, row) in best.items()}


def as_logged():
    return {
        row.pk: {
            "request": row.pk,
            "kind": row.kind,
            "partition": None,
            "status": str(row.state),
            **{name: getattr(row, name) for name in (*STAGES, "added", "removed", "modified")},
        }
        for row in Request.objects.all()
    }


def without_topic(rows):
    return {key: {name: value for name, value in row.items() if name != "topic"} for key, row in rows.items()}


def test_requests_are_exported_as_in_the_log_with_their_topics(network, root):
    world.advertise("h1", ["0"])
    subscription = world.subscribe("h3", ["00"])
    assert request_rows.export() == 9 + 2  # the network's own are active already
    session.run()
    withdrawal = world.withdraw(subscription)
    session.run()
    assert request_rows.export() == 3
    assert request_rows.export() == 0
    rows = latest(root)
    assert without_topic(rows) == as_logged()
    assert {row["status"] for row in rows.values()} == {"active"}
    assert {rows[pk]["topic"] for pk in (subscription.request_id, withdrawal.pk)} == {"quotes"}
    queued = [row for row in rows_of(root, "requests") if row["status"] == "queued"]
    assert [row["request"] for row in queued] == [withdrawal.pk - 2, withdrawal.pk - 1]
    assert not ExportedRequest.objects.exists()


def test_a_request_that_waited_for_a_switch_is_exported_again_at_its_end(network, root):
    network.disconnect(world.dpid(3))
    watch.run()
    world.advertise("h1", ["0"])
    waiting = world.subscribe("h3", ["00"]).request_id
    session.run()
    request_rows.export()
    assert latest(root)[waiting]["status"] == "deploying"
    assert (waiting, "deploying") in ExportedRequest.objects.values_list("request", "state")
    waited = ExportedRequest.objects.count()
    network.connect(world.dpid(3))
    watch.run()
    session.run()
    assert Request.objects.get(pk=waiting).state == State.ACTIVE
    assert request_rows.export() == waited
    assert not ExportedRequest.objects.exists()
    assert without_topic(latest(root)) == as_logged()


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_killed_and_in_whatever_order_nothing_is_left_out(network, root, monkeypatch, seed):
    """Ids may come out of order, files may be all that a killed process has left: the end is the log."""
    drawn = random.Random(seed)
    monkeypatch.setattr(request_rows, "MOST", 3)
    remember = request_rows._remember

    def killed(*_):
        raise KeyboardInterrupt

    position = 100
    ids = drawn.sample(range(1000, 2000), 12)
    while ids or Request.objects.exclude(state=State.ACTIVE).exists():
        for _ in range(drawn.randrange(3)):
            if ids:
                Request.objects.create(pk=ids.pop(), kind="subscribe", payload={"op": "subscribe"})
        for row in Request.objects.exclude(state=State.ACTIVE):
            if drawn.random() < 0.5:
                position += 1
                now = datetime.now(UTC)
                if row.state == State.QUEUED:
                    row.state, row.position, row.started_at = State.PLANNING, position, now
                elif row.state == State.PLANNING:
                    row.state, row.computed_at = State.DEPLOYING, now
                else:
                    row.state, row.confirmed_at = State.ACTIVE, now
                row.save()
        monkeypatch.setattr(request_rows, "_remember", killed if drawn.random() < 0.4 else remember)
        try:
            request_rows.export()
        except KeyboardInterrupt:
            continue
        assert without_topic(latest(root)) == as_logged()
    monkeypatch.setattr(request_rows, "_remember", remember)
    request_rows.export()
    assert without_topic(latest(root)) == as_logged()
    assert not ExportedRequest.objects.exists()


def test_a_full_disk_loses_no_request_and_is_reported_once(network, root):
    root.write_text("in the way")
    for _ in range(2):
        with pytest.raises(storage.NotWritten, match="cannot be written"):
            request_rows.export()
    alarms = OutboxEvent.objects.filter(kind="alarm").values_list("payload__text", flat=True)
    assert len(alarms) == 1 and "requests" in alarms[0]
    root.unlink()
    assert request_rows.export() == Request.objects.count()
    assert without_topic(latest(root)) == as_logged()
    assert alarms.last() == "telemetry is written again"


def test_requests_from_before_the_retention_are_left_out(network, root):
    Request.objects.filter(pk=1).update(received_at=datetime.now(UTC) - timedelta(days=31))
    request_rows.export()
    assert set(latest(root)) == set(as_logged()) - {1}


def test_tables_are_reported_with_their_budgets_and_not_twice(network, root):
    at = datetime.now(UTC).replace(microsecond=5000)
    Switch.objects.filter(name="s2").update(tcam_budget=40)
    ports = [
        {
            "dpid": world.dpid(2),
            "port": n,
            "tx_packets": n,
            "tx_bytes": 100 * n,
            "rx_packets": 7,
            "rx_bytes": 7,
        }
        for n in (1, 2)
    ]

    def read(seconds):
        text = (at + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        tables = [{"dpid": world.dpid(n), "entries": n, "foreign": 0, "at": text} for n in (1, 2, 55)]
        return {"ports": ports, "tables": tables}

    for seconds in (0, 0, 3, 8, 10):
        network.counters = read(seconds)
        table_snapshots.see(network.counters)
    table_snapshots.close()
    rows = sorted(rows_of(root, "table_snapshots"), key=lambda row: (row["taken_at"], row["switch"]))
    first = {"switch": "s1", "entries": 1, "budget": None, "packets": 0, "bytes": 0}
    second = {"switch": "s2", "entries": 2, "budget": 40, "packets": 3, "bytes": 300}
    times = [at, at + timedelta(seconds=10)]
    assert rows == [{"taken_at": time, **row} for time in times for row in (first, second)]


def test_the_watcher_reports_tables(network, root):
    now = datetime.now(UTC).isoformat()
    network.counters = {
        "ports": [],
        "tables": [{"dpid": world.dpid(1), "entries": 3, "foreign": 0, "at": now}],
    }
    watch.run()
    table_snapshots.close()
    assert [(row["switch"], row["entries"]) for row in rows_of(root, "table_snapshots")] == [("s1", 3)]
