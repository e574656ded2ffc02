"""Batches of telemetry over the API: all errors reported, nothing stored twice, no silent loss."""

import dataclasses
import io
import json
import time
from datetime import UTC, datetime, timedelta
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from controlplane.requestlog.models import OutboxEvent
from controlplane.telemetry import batches, storage, writer_watch
from controlplane.telemetry.models import TelemetryBatch, TelemetryWriter
from tercast.telemetry import DELIVERED
from tercast.telemetry.writer import rows_table
from tests.support.controlplane.concurrent_calls import at_once
from tests.support.controlplane.writer_reports import (
    NOW,
    report,
    root,  # noqa: F401 - fixtures
)

PARQUET = "application/vnd.apache.parquet"


def row(seq=1, at=NOW, **change):
    return {
        "topic": "quotes",
        "publisher": "a1",
        "seq": seq,
        "host": "h1",
        "received_at": at.isoformat(),
        "wanted": True,
        "subscriptions": ["q1"],
        **change,
    }


def batch(rows, name="b1", **more):
    return {"id": name, "dataset": "delivered", "rows": rows, **more}


def stored(root):
    """Return all rows below the root."""
    return [row for path in root.glob("delivered/*/[!._]*") for row in pq.read_table(path).to_pylist()]


def alarms():
    return [event.payload["text"] for event in OutboxEvent.objects.filter(kind="alarm").order_by("id")]


def test_rows_are_stored_by_their_own_day(operator, root):
    yesterday = NOW - timedelta(days=1)
    answer = operator.post("telemetry/", batch([row(1), row(str(1 << 62), yesterday)]))
    assert answer.status_code == 201, answer.content
    wanted = {
        "id": "b1",
        "dataset": "delivered",
        "accepted": 2,
        "rejected": 0,
        "replayed": False,
        "errors": [],
    }
    assert answer.json() == wanted
    days = {path.name for path in (root / "delivered").iterdir()}
    assert days == {f"date={NOW.date()}", f"date={yesterday.date()}"}
    assert sorted(found["seq"] for found in stored(root)) == [1, 1 << 62]
    assert stored(root)[0]["received_at"].tzinfo is not None


def test_a_batch_that_is_sent_again_is_stored_once(operator, root):
    first = operator.post("telemetry/", batch([row(1), row(2)])).json()
    again = operator.post("telemetry/", batch([row(1), row(2)]))
    assert again.status_code == 201
    assert again.json() == {**first, "replayed": True}
    assert len(stored(root)) == 2 and TelemetryBatch.objects.count() == 1


def test_an_answer_that_was_lost_before_it_was_noted_doubles_nothing(operator, root):
    """The process is killed after it has written the files: the retry writes the same files again."""
    operator.post("telemetry/", batch([row(1), row(2)]))
    TelemetryBatch.objects.all().delete()
    assert operator.post("telemetry/", batch([row(1), row(2)])).json()["accepted"] == 2
    assert len(stored(root)) == 2


def test_an_id_that_stands_for_another_batch_is_refused(
    operator, root, problem, viewer, make_user, caller_of
):
    operator.post("telemetry/", batch([row(1)]))
    assert problem(operator.post("telemetry/", batch([row(2)])), 422)["errors"][0]["pointer"] == "/id"
    assert [found["seq"] for found in stored(root)] == [1]
    other = caller_of(make_user("otto", "operator"))
    assert other.post("telemetry/", batch([row(2)])).json()["replayed"] is False  # each caller has own ids


@pytest.mark.django_db(transaction=True)
def test_the_same_batch_from_two_connections_at_once_is_stored_once(make_user, caller_of, root):
    user = make_user("olga", "operator")
    callers = [caller_of(user), caller_of(user)]
    body = batch([row(n) for n in range(50)])
    assert at_once([partial(caller.post, "telemetry/", body) for caller in callers]) == {201: 2}
    assert sorted(found["seq"] for found in stored(root)) == list(range(50))


def test_every_error_is_reported_by_row_and_column_and_nothing_is_stored(operator, root, pointers):
    rows = [
        row(1),
        row(seq="7", wanted=1, colour="red"),
        {"topic": "quotes"},
        row(4, NOW + timedelta(days=2)),
        row(5, NOW - timedelta(days=40)),
        "text",
    ]
    found = {(pointer, code) for _, pointer, code in pointers(operator.post("telemetry/", batch(rows)))}
    assert found == {
        ("/rows/1/seq", "wrong_type"),
        ("/rows/1/wanted", "wrong_type"),
        ("/rows/1/colour", "unknown_column"),
        *((f"/rows/2/{name}", "null_key") for name in ("publisher", "seq", "host", "received_at")),
        ("/rows/3/received_at", "future"),
        ("/rows/4/received_at", "too_old"),
        ("/rows/5", "wrong_type"),
    }
    assert not root.exists() and not TelemetryBatch.objects.exists()


def test_good_rows_are_taken_where_that_is_asked_for(operator, root):
    answer = operator.post("telemetry/?atomic=false", batch([row(1), row("x"), row(3)])).json()
    assert (answer["accepted"], answer["rejected"]) == (2, 1)
    assert [error["pointer"] for error in answer["errors"]] == ["/rows/1/seq"]
    assert sorted(found["seq"] for found in stored(root)) == [1, 3]
    again = operator.post("telemetry/?atomic=false", batch([row(1), row("x"), row(3)])).json()
    assert (again["accepted"], again["rejected"], again["replayed"]) == (2, 1, True)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, ["/dataset", "/id", "/rows"]),
        ({"id": "b1", "rows": []}, ["/dataset"]),
        ({"id": "", "dataset": "requests", "rows": {}}, ["/dataset", "/id", "/rows"]),
        (batch([], colour=1), ["/colour"]),
        ({"writer": {"name": "w1"}}, None),
    ],
)
def test_a_body_that_is_no_batch_is_refused(operator, pointers, body, where):
    found = sorted(pointer for _, pointer, _ in pointers(operator.post("telemetry/", body)))
    assert found == where if where else all(pointer.startswith("/writer/") for pointer in found)


def test_limits_on_rows_and_bytes(operator, problem, monkeypatch):
    monkeypatch.setattr("controlplane.web.telemetry.views.MAX_ROWS", 3)
    monkeypatch.setattr("controlplane.telemetry.parquet_bodies.MAX_ROWS", 3)
    assert (
        "at most 3" in problem(operator.post("telemetry/", batch([row(n) for n in range(4)])), 413)["detail"]
    )
    assert "at most 3" in problem(post_parquet(operator, [row(n) for n in range(4)]), 413)["detail"]
    monkeypatch.setattr("controlplane.rest.strict_json.MAX_BULK_BYTES", 1000)
    monkeypatch.setattr("controlplane.telemetry.parquet_bodies.MAX_BYTES", 1000)
    problem(operator.post("telemetry/", batch([row(1, topic="x" * 2000)])), 413)
    problem(operator.raw("POST", "telemetry/?dataset=delivered&batch=b", b"x" * 1001, PARQUET), 413)
    monkeypatch.setattr("controlplane.telemetry.parquet_bodies.MAX_UNPACKED", 10)
    monkeypatch.setattr("controlplane.telemetry.parquet_bodies.MAX_BYTES", 100_000)
    assert "unpacks" in problem(post_parquet(operator, [row(1)]), 413)["detail"]


def post_parquet(caller, rows, query="?dataset=delivered&batch=p1", table=None):
    typed = [{**found, "received_at": datetime.fromisoformat(found["received_at"])} for found in rows]
    out = io.BytesIO()
    pq.write_table(rows_table(typed, DELIVERED) if table is None else table, out)
    return caller.raw("POST", "telemetry/" + query, out.getvalue(), PARQUET)


def test_a_parquet_body_is_taken_once(operator, root):
    for replayed in (False, True):
        answer = post_parquet(operator, [row(1), row(2)])
        assert answer.status_code == 201, answer.content
        assert (answer.json()["accepted"], answer.json()["replayed"]) == (2, replayed)
    assert sorted(found["seq"] for found in stored(root)) == [1, 2]


def test_parquet_columns_and_rows_are_checked(operator, pointers, error):
    table = pa.table({"topic": ["t"], "seq": ["one"], "received_at": pa.array([1]), "colour": ["red"]})
    found = pointers(post_parquet(operator, [], table=table))
    assert [(pointer, code) for _, pointer, code in found] == [
        ("/publisher", "missing_column"),
        ("/seq", "wrong_type"),
        ("/host", "missing_column"),
        ("/received_at", "wrong_type"),
        ("/colour", "unknown_column"),
    ]
    nulls = rows_table([{**row(1), "received_at": NOW, "seq": None}], DELIVERED)
    assert error(post_parquet(operator, [], table=nulls))["pointer"] == "/rows/0/seq"
    bad = operator.raw("POST", "telemetry/?dataset=delivered&batch=b", b"PAR1 no more", PARQUET)
    assert error(bad)["code"] == "not_parquet"
    for query in (
        "?dataset=delivered",
        "?batch=1",
        "?dataset=requests&batch=1",
        "?dataset=delivered&batch=1&x=1",
    ):
        assert operator.raw("POST", "telemetry/" + query, b"x", PARQUET).status_code == 400


def test_a_disk_that_takes_nothing_is_reported_and_the_retry_succeeds(operator, root, problem):
    root.write_text("in the way")
    answer = operator.post("telemetry/", batch([row(1)]))
    assert "cannot be written" in problem(answer, 507)["detail"] and answer.headers["Retry-After"]
    operator.post("telemetry/", batch([row(2)], "b2"))
    assert len(alarms()) == 1 and "cannot be written" in alarms()[0]
    assert "cannot be written" in operator.get("telemetry/").json()["problem"]
    root.unlink()
    assert operator.post("telemetry/", batch([row(1)])).status_code == 201
    assert alarms()[1:] == ["telemetry is written again"]
    assert operator.get("telemetry/").json()["problem"] is None


def test_losses_of_writers_are_alarms_and_add_up(operator):
    operator.post("telemetry/", {"writer": report(taken=10, written=10)})
    assert alarms() == []
    operator.post(
        "telemetry/", {"writer": report(taken=90, written=80, lost=10, lost_batches=1, error="no way")}
    )
    operator.post("telemetry/", {"writer": report(taken=91, written=80, lost=11, lost_batches=1)})
    operator.post("telemetry/", {"writer": report(name="w2", taken=5, lost=5, closed=True)})
    assert alarms() == [
        "telemetry of w1: 10 of 90 rows are lost: no way",
        "telemetry of w2: 5 of 5 rows are lost",
    ]
    body = operator.get("telemetry/").json()
    assert (body["lost"], body["lost_batches"], body["silent_writers"]) == (16, 1, 0)
    assert [(writer["name"], writer["lost"]) for writer in body["writers"]] == [("w2", 5), ("w1", 11)]


def test_a_writer_that_stops_without_an_end_is_reported_once(operator):
    for name, closed in (("w1", False), ("w2", True), ("w3", False)):
        operator.post("telemetry/", {"writer": report(name=name, closed=closed)})
    TelemetryWriter.objects.exclude(name="w3").update(heard_at=NOW - timedelta(minutes=5))
    writer_watch.look()
    writer_watch.look()
    assert len(alarms()) == 1 and alarms()[0].startswith("telemetry writer w1 sent its latest report at ")
    assert operator.get("telemetry/").json()["silent_writers"] == 1
    operator.post("telemetry/", {"writer": report()})
    assert operator.get("telemetry/").json()["silent_writers"] == 0


def test_reports_below_the_root_are_read(operator, root, monkeypatch):
    monkeypatch.setattr(writer_watch, "_seen", {})
    folder = root / "_writers"
    folder.mkdir(parents=True)
    (folder / "w1.json").write_text(
        json.dumps(report(taken=9, lost=9, told_at=datetime.now(UTC).isoformat()))
    )
    (folder / "bad.json").write_text("{")
    (folder / "odd.json").write_text('{"name": null}')
    writer_watch.look()
    writer_watch.look()
    assert alarms() == ["telemetry of w1: 9 of 9 rows are lost"]
    assert operator.get("telemetry/").json()["writers"][0]["way"] == "folder"


def test_times_of_reports_without_a_zone_are_in_utc(db, root, monkeypatch):
    monkeypatch.setattr(writer_watch, "_seen", {})
    (root / "_writers").mkdir(parents=True)
    times = dict.fromkeys(("started_at", "told_at"), "2026-03-29T12:00:00")
    (root / "_writers" / "w1.json").write_text(json.dumps(report(**times)))
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Kolkata")
        time.tzset()
        writer_watch.look()
    time.tzset()
    [row] = TelemetryWriter.objects.all()
    assert row.started_at == row.heard_at == datetime(2026, 3, 29, 12, tzinfo=UTC)


def test_reports_by_the_api_are_below_the_root_for_jobs(operator, root, monkeypatch):
    monkeypatch.setattr(writer_watch, "_seen", {})
    progress = {"complete_until": "2026-03-29T14:00:00+02:00", "datasets": ["delivered"]}
    sent = report(name="../w", taken=9, lost=2, closed=True, **progress)
    assert operator.post("telemetry/", {"writer": sent}).status_code == 201
    [path] = (root / "_writers").iterdir()
    assert path.name.startswith("api-")
    stored = json.loads(path.read_text())
    assert (stored["name"], stored["lost"], stored["closed"]) == ("../w", 2, True)
    assert (stored["complete_until"], stored["datasets"]) == ("2026-03-29T12:00:00+00:00", ["delivered"])
    operator.post("telemetry/", {"writer": report(name="../w")})  # a writer of an earlier release
    stored = json.loads(path.read_text())
    assert (stored["complete_until"], stored["datasets"]) == (None, None)
    TelemetryWriter.objects.all().delete()
    writer_watch.look()
    assert not TelemetryWriter.objects.exists()


def test_old_days_and_half_written_files_go(operator, root, settings):
    settings.ENV = dataclasses.replace(settings.ENV, telemetry_days=10)
    keep, go = NOW - timedelta(days=10), NOW - timedelta(days=11)
    for day in (keep, go):
        folder = root / "delivered" / f"date={day.date()}"
        folder.mkdir(parents=True)
        (folder / "1.parquet").write_text("x")
    part = folder / ".2.parquet.1.part"
    young = root / "delivered" / f"date={keep.date()}" / ".3.parquet.1.part"
    for path in (part, young):
        path.write_text("x")
    storage.clean_daily()
    assert sorted(path.name for path in (root / "delivered").iterdir()) == [f"date={keep.date()}"]
    assert young.exists()
    dataset = operator.get("telemetry/").json()["datasets"][1]
    day = keep.date().isoformat()
    assert dataset == {"dataset": "delivered", "days": 1, "files": 1, "oldest": day, "newest": day}


def test_there_are_no_reports_at_the_start(operator):
    body = operator.get("telemetry/").json()
    assert [found["files"] for found in body["datasets"]] == [0, 0, 0, 0]
    assert (body["writers"], body["lost"], body["problem"], body["most_rows"]) == (
        [],
        0,
        None,
        batches.MAX_ROWS,
    )
