"""Telemetry of hosts about events: the rows, and batches over HTTP that count once despite failures."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pyarrow.parquet as pq
import pytest

from tercast.client.publisher import Publisher
from tercast.client.rest_api import Api
from tercast.client.subscriber import Subscriber
from tercast.client.telemetry import ApiSink, HostTelemetry, RejectionReports, closing_telemetry
from tercast.client.transports import TransportError
from tercast.errors import Refused
from tercast.telemetry.recorder import Recorder
from tercast.telemetry.sinks import FolderSink
from tests.waiting import wait_until


class Platform:
    """A server that answers each POST as the next word says, and keeps each batch by its id."""

    def __init__(self, *script):
        self.script, self.batches, self.reports, self.ids = list(script), {}, [], []
        platform = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                platform.take(self, body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def take(self, handler, body):
        assert handler.path == "/api/v1/telemetry/?atomic=false"
        assert handler.headers["Authorization"] == "Bearer secret"
        self.reports.append(body["writer"])
        if "id" not in body:
            self.answer(handler, 201, {"accepted": 0, "rejected": 0})
            return
        self.ids.append(body["id"])
        word = self.script.pop(0) if self.script else "ok"
        if word in {"ok", "unheard", "partly"}:
            self.batches[body["id"]] = body
        if word == "unheard":
            handler.close_connection = True
            handler.connection.close()
        elif word in {"ok", "partly"}:
            rejected = int(word == "partly")
            self.answer(handler, 201, {"accepted": len(body["rows"]) - rejected, "rejected": rejected})
        else:
            self.answer(handler, int(word), {"title": "no", "detail": "not today"})

    def answer(self, handler, status, body):
        content = json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def rows(self, dataset):
        return [row for body in self.batches.values() if body["dataset"] == dataset for row in body["rows"]]


@pytest.fixture
def serve():
    started = []

    def begin(*script):
        started.append(Platform(*script))
        return started[-1]

    yield begin
    for platform in started:
        platform.server.shutdown()
        platform.server.server_close()


def recorder_for(platform):
    return Recorder(ApiSink(Api(platform.url, "secret")), "h1", period=0.05, first_pause=0.01)


def publish(stocks, quote, memory, plan, telemetry, count):
    publisher = Publisher(stocks, "volume < 100", memory, plan, "a1", telemetry=telemetry)
    return [publisher.publish({**quote, "volume": n}) for n in range(count)]


def test_each_event_sent_and_each_copy_received_is_a_row(stocks, quote, memory, plan, tmp_path):
    with Recorder(FolderSink(tmp_path), "h1") as recorder:
        telemetry = HostTelemetry(recorder, "h1")
        seqs = publish(stocks, quote, memory, plan, telemetry, 3)
        with pytest.raises(Refused):
            Publisher(stocks, "", memory, plan, "a1", telemetry=telemetry).publish({})
        subscriber = Subscriber({"q1": "volume < 2", "q2": "volume < 1"}, stocks, memory, telemetry=telemetry)
        payloads = [payload for _, payload in memory.sent]
        for payload in (*payloads, payloads[0], b"no event"):
            memory.waiting.append(payload)
        assert len([subscriber.receive(0) for _ in range(2)]) == 2
        assert subscriber.receive(0) is None
    tally = recorder.tally()
    assert (tally.taken, tally.written) == (7, 7)

    def rows(dataset):
        found = [row for path in tmp_path.glob(f"{dataset}/*/*") for row in pq.read_table(path).to_pylist()]
        return sorted(found, key=lambda row: (row["seq"], row.get("received_at")))

    published = rows("published")
    assert [row["seq"] for row in published] == seqs
    assert [json.loads(row["values"])["volume"] for row in published] == [0, 1, 2]
    assert {(row["topic"], row["publisher"], row["host"]) for row in published} == {("stocks", "a1", "h1")}
    assert all(set(row["dz"]) == {"0", "1"} and len(row["dz"]) == plan.dz_room for row in published)
    delivered = [(row["seq"], row["wanted"], row["subscriptions"]) for row in rows("delivered")]
    both, one = (True, ["q1", "q2"]), (True, ["q1"])
    assert delivered == [(seqs[0], *both), (seqs[0], *both), (seqs[1], *one), (seqs[2], False, [])]


def test_an_event_that_did_not_leave_is_no_row(stocks, quote, memory, plan, tmp_path):
    def broken(*_):
        raise TransportError("gone")

    memory.send = broken
    with Recorder(FolderSink(tmp_path), "h1") as recorder, pytest.raises(TransportError):
        publish(stocks, quote, memory, plan, HostTelemetry(recorder, "h1"), 1)
    assert recorder.tally().taken == 0


def test_batches_come_once_whatever_happens_to_their_answers(stocks, quote, memory, plan, serve):
    platform = serve("503", "unheard", "429", "507", "ok")
    with recorder_for(platform) as recorder:
        seqs = publish(stocks, quote, memory, plan, HostTelemetry(recorder, "h1"), 20)
    assert sorted(row["seq"] for row in platform.rows("published")) == seqs
    assert Counter(platform.ids)[platform.ids[0]] == 5
    tally = recorder.tally()
    assert (tally.taken, tally.written, tally.lost, tally.retries) == (20, 20, 0, 4)
    assert platform.reports[-1]["closed"] is True and platform.reports[-1]["written"] == 20


def test_what_the_platform_refuses_is_lost_and_counted(stocks, quote, memory, plan, serve):
    platform = serve("partly")
    with recorder_for(platform) as recorder:
        publish(stocks, quote, memory, plan, HostTelemetry(recorder, "h1"), 5)
    assert (recorder.tally().written, recorder.tally().lost, recorder.tally().lost_batches) == (4, 1, 0)
    platform = serve("403")
    with recorder_for(platform) as recorder:
        publish(stocks, quote, memory, plan, HostTelemetry(recorder, "h1"), 5)
    assert (recorder.tally().written, recorder.tally().lost, recorder.tally().lost_batches) == (0, 5, 1)
    assert "403 no: not today" in recorder.error


def test_a_platform_that_is_away_is_waited_for(stocks, quote, memory, plan, serve):
    platform = serve()
    away = Recorder(ApiSink(Api("http://127.0.0.1:9", "secret")), "h1", period=0.01, first_pause=0.01)
    publish(stocks, quote, memory, plan, HostTelemetry(away, "h1"), 3)
    tally = away.close(seconds=0.2)
    assert (tally.lost, tally.lost_batches) == (3, 1) and tally.retries > 0
    assert "127.0.0.1:9" in away.error and platform.ids == []


def test_rejections_are_reported_without_any_telemetry(serve, capsys):
    """One report for new rejections, none without, and none that the platform would wait for."""
    platform = serve()
    with closing_telemetry(RejectionReports("h2", Api(platform.url, "secret"), period=0.01)) as reports:
        tally = reports.recorder.tally()
        for events in (1, 3):
            for _ in range(events - len(platform.reports)):
                reports.rejected("quotes", "other_address")
            wait_until("the report", lambda n=events: rejections(platform)[-1:] == [n])
        assert reports.recorder.tally() == tally
    assert rejections(platform) == sorted(set(rejections(platform)))
    assert all(one["closed"] and one["host"] == "h2" and not one["datasets"] for one in platform.reports)
    assert capsys.readouterr().err == ""


def rejections(platform):
    return [sum(row["events"] for row in one["rejected"]) for one in platform.reports]


def test_a_listener_that_rejects_nothing_sends_nothing(serve):
    platform = serve()
    with closing_telemetry(RejectionReports("h2", Api(platform.url, "secret"), period=0.001)) as reports:
        reports.delivered(None)
    assert platform.reports == []


def test_rejections_that_cannot_be_reported_are_said_at_the_end(capsys):
    with closing_telemetry(RejectionReports("h2", Api("http://127.0.0.1:9", "secret"))) as reports:
        reports.rejected("quotes", "other_address")
    assert "rejected events were not reported to the platform: " in capsys.readouterr().err
