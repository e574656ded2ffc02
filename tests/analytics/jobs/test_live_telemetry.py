"""Jobs that run while telemetry is written: one cut-off for all datasets, and no row counts too early."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from analytics.input import writers
from analytics.jobs.increments import ReadFiles, read_known
from analytics.jobs.runner import run_job
from analytics.options import JobOptions
from analytics.spans import overlaps
from analytics.subscriptions import read_subscriptions
from analytics.times import EPOCH
from tercast.telemetry import DELIVERED, PUBLISHED, Dataset
from tercast.telemetry.recorder import Recorder
from tercast.telemetry.sinks import WRITERS, FolderSink, Report, RowBatch
from tests.waiting import LIMIT_SECONDS, wait_until

pytestmark = pytest.mark.spark

Row = dict[str, Any]
TOPIC = {"name": "t", "code": 2, "attributes": [{"name": "a", "type": "int", "min": 0, "max": 15}]}
SUBSCRIPTIONS = read_subscriptions(
    {"topics": [TOPIC], "subscriptions": [{"id": "s1", "host": "h2", "topic": "t", "filter": "a >= 0"}]}
)
UNKNOWN = "deliveries_of_unknown_events"


class GatedSink(FolderSink):
    """A folder that accepts batches only while its gate is open."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.gate = threading.Event()
        self.gate.set()

    def send(self, batch: RowBatch, report: Report) -> int:
        assert self.gate.wait(LIMIT_SECONDS)
        return super().send(batch, report)


class Host:
    """A writer of one dataset, whose clock the test sets."""

    def __init__(self, root: Path, name: str, dataset: Dataset, clock: Callable[[], int]) -> None:
        self.root, self.dataset, self.clock = root, dataset, clock
        self.sink = GatedSink(root)
        self.recorder = Recorder(self.sink, name, period=0.02, datasets=(dataset,), clock=clock)

    def publish(self, seq: int, at: datetime) -> None:
        row = {"topic": "t", "publisher": "a1", "seq": seq, "published_at": at, "values": '{"a": 1}'}
        self.recorder.add(PUBLISHED, lambda: row)

    def deliver(self, seq: int, at: datetime) -> None:
        row = {"topic": "t", "publisher": "a1", "seq": seq, "host": "h2", "received_at": at, "wanted": True}
        self.recorder.add(DELIVERED, lambda: row)

    def report(self) -> Row:
        path = self.root / WRITERS / f"{self.recorder.name}.json"
        found: Row = json.loads(path.read_text()) if path.exists() else {}
        return found

    def settle(self) -> None:
        """Wait for a report that all rows until now are in files."""
        now = self.clock()
        wait_until("the report", lambda: micros_of(self.report().get("complete_until")) >= now)


def micros_of(text: str | None) -> int:
    return 0 if text is None else (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)


class Series:
    """Runs of one job that continue each other, as in the control plane."""

    def __init__(self, spark: Any, job: str, root: Path, out: Path) -> None:
        self.spark, self.job, self.root, self.out = spark, job, root, out
        self.files: dict[str, Row] = defaultdict(dict)
        self.results: dict[tuple[Any, ...], Row] = {}
        self.new: Counter[str] = Counter()

    def run(self, now: datetime | None = None) -> Row:
        """Run the job over new files; return its meta file."""
        rows, meta = self.once(read_known({"files": self.files}), now)
        increment = meta["increment"]
        for key, row in list(self.results.items()):
            start = micros_of(row["window_start"])
            if overlaps((start, start + 1), increment["spans"]):
                del self.results[key]
        self.results.update({(row["host"], row["window_start"]): row for row in rows})
        self.new.update(increment["new"])
        for name, found in increment["files"].items():
            self.files[name].update(found)
        return meta

    def once(self, known: ReadFiles | None, now: datetime | None = None) -> tuple[list[Row], Row]:
        options = JobOptions(
            str(self.root), now or datetime.now(UTC), window=10_000_000, subscriptions=SUBSCRIPTIONS
        )
        run_job(self.spark, self.job, options, str(self.out), known=known)
        rows = json.loads((self.out / f"{self.job}.json").read_text())
        return rows, json.loads((self.out / f"{self.job}.meta.json").read_text())

    def check_whole(self) -> None:
        """Check that all runs together have the result of one run over everything."""
        rows, meta = self.once(ReadFiles({}))
        assert self.results == {(row["host"], row["window_start"]): row for row in rows}
        assert self.new == meta["increment"]["new"]

    def total(self, column: str) -> int:
        return sum(row[column] for row in self.results.values())


class World:
    """A publisher and a subscriber with one clock, which starts five minutes ago."""

    def __init__(self, root: Path) -> None:
        self.start = datetime.now(UTC) - timedelta(minutes=5)
        self.seconds = 0.0
        self.publisher = Host(root, "h1", PUBLISHED, self.clock)
        self.subscriber = Host(root, "h2", DELIVERED, self.clock)

    def clock(self) -> int:
        return (self.at(self.seconds) - EPOCH) // timedelta(microseconds=1)

    def at(self, seconds: float) -> datetime:
        return self.start + timedelta(seconds=seconds)

    def send(self, seq: int, published: float, received: float | None = None) -> None:
        self.publisher.publish(seq, self.at(published))
        if received is not None:
            self.subscriber.deliver(seq, self.at(received))

    def move_to(self, seconds: float) -> None:
        """Set the clock, and wait until all open writers report complete rows until then."""
        self.seconds = seconds
        for host in (self.publisher, self.subscriber):
            if host.sink.gate.is_set() and not host.report().get("closed"):
                host.settle()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(writers, "OVERDUE", timedelta(hours=1))  # a gate may be closed for a long time
    made = World(tmp_path / "root")
    yield made
    for host in (made.publisher, made.subscriber):
        host.sink.gate.set()
        host.recorder.close()


def cut_off(meta: Row, world: World) -> float | None:
    """Return the cut-off of a run in seconds after the world's start, plus the margin."""
    at = meta["cut_off"]["at"]
    return None if at is None else round((datetime.fromisoformat(at) - world.at(-10)).total_seconds(), 3)


def test_deliveries_wait_for_the_events_of_another_writer(spark: Any, world: World, tmp_path: Path) -> None:
    """The file of the delivery exists, and that of its event is not written yet."""
    one = Series(spark, "delay", tmp_path / "root", tmp_path / "out")
    world.send(0, 0, 0.5)
    world.move_to(30)
    world.publisher.sink.gate.clear()
    world.seconds = 31
    world.send(1, 31, 31.5)
    world.seconds = 60
    world.subscriber.settle()
    rows, meta = one.once(None)
    assert cut_off(meta, world) == 30  # the last report of the publisher
    assert meta["cut_off"]["writer"] == world.publisher.recorder.name
    assert meta["cut_off"]["left"] == {"published": 0, "delivered": 1}
    assert ([row["events"] for row in rows], meta["notes"]) == ([1], {})


@pytest.mark.full
@pytest.mark.parametrize("job", ["delay", "false_positives"])
def test_runs_beside_writers_come_to_what_one_run_at_the_end_does(
    spark: Any, world: World, tmp_path: Path, job: str
) -> None:
    runs = Series(spark, job, tmp_path / "root", tmp_path / "out")
    counted = "events" if job == "delay" else "delivered"

    def run(left: dict[str, int], total: int, now: datetime | None = None) -> Row:
        meta = runs.run(now)
        assert (meta["cut_off"]["left"], runs.total(counted)) == (left, total), meta["cut_off"]
        if job == "false_positives" and meta["cut_off"]["at"] is not None:
            assert runs.total("lost") == 0
        return meta

    world.send(0, 0, 0.5)
    world.send(1, 1, 1.5)
    world.move_to(30)
    run({"published": 0, "delivered": 0}, 2)

    # Files with rows before and after the cut-off; an early event with a late delivery is not a loss.
    world.send(2, 30, 30.5)
    world.send(3, 39.9, 40.1)
    world.send(4, 49, 49.5)
    world.move_to(50)
    meta = run({"published": 1, "delivered": 2}, 3)
    assert cut_off(meta, world) == 50
    # The subscriber's clock is ahead: the event is after the cut-off, its delivery before.
    world.send(5, 70.1, 69.9)
    world.move_to(80)
    meta = run({"published": 1, "delivered": 0}, 6)
    assert meta["notes"] == ({"negative_delays": 1} if job == "delay" else {})

    # The publisher is killed before it wrote all rows: it delays results for a while, but not forever.
    world.publisher.sink.gate.clear()
    world.seconds = 81
    world.send(6, 81, 81.5)
    world.seconds = 120
    world.subscriber.settle()
    meta = run({"published": 1, "delivered": 1}, 6)
    assert meta["cut_off"]["writer"] == world.publisher.recorder.name
    later = datetime.now(UTC) + timedelta(hours=2)
    world.subscriber.recorder.close()
    meta = run({"published": 0, "delivered": 0}, 6 if job == "delay" else 7, later)
    assert cut_off(meta, world) is None and meta["writers"]["without_end"] == 1
    assert meta["notes"].get(UNKNOWN, 0) == (1 if job == "delay" else 0)

    # It was not killed but disconnected: its rows arrive late, and count.
    world.publisher.sink.gate.set()
    world.publisher.recorder.close()
    meta = run({"published": 0, "delivered": 0}, 7, later)
    assert meta["notes"] == {}
    if job == "false_positives":
        assert runs.total("lost") == 0
    runs.check_whole()


@pytest.mark.full
def test_no_run_beside_busy_writers_finds_an_unknown_event(spark: Any, tmp_path: Path) -> None:
    """Writers use the real clock, in threads with different periods, while runs follow each other."""
    root, rng = tmp_path / "root", random.Random(5)
    stop = threading.Event()
    publishers = [Recorder(FolderSink(root), f"p{n}", period=rng.uniform(0.2, 3)) for n in range(2)]
    subscribers = [Recorder(FolderSink(root), f"s{n}", period=rng.uniform(0.2, 3)) for n in range(2)]
    sent = Counter[str]()

    def send(number: int, recorder: Recorder) -> None:
        while not stop.wait(0.005):
            seq, name = sent[f"a{number}"], f"a{number}"
            event = {"topic": "t", "publisher": name, "seq": seq}
            row = {**event, "published_at": datetime.now(UTC), "values": '{"a": 1}'}
            recorder.add(PUBLISHED, lambda row=row: row)
            for n, other in enumerate(subscribers):
                came = {**event, "host": f"h{n}", "received_at": datetime.now(UTC), "wanted": True}
                other.add(DELIVERED, lambda came=came: came)
            sent[name] += 1

    threads = [threading.Thread(target=send, args=pair) for pair in enumerate(publishers)]
    for thread in threads:
        thread.start()
    runs = Series(spark, "delay", root, tmp_path / "out")
    wait_until("both datasets", lambda: (root / "published").is_dir() and (root / "delivered").is_dir())
    left = []
    try:
        while len(left) < 3 or runs.total("events") == 0:
            meta = runs.run()
            assert meta["notes"] == {}, meta
            left.append(sum(meta["cut_off"]["left"].values()))
            assert runs.new["rows"] <= 3 * sent.total()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        for recorder in (*publishers, *subscribers):
            recorder.close()
    assert all(left)
    meta = runs.run()
    assert (meta["notes"], meta["cut_off"]["at"], meta["cut_off"]["left"]) == (
        {},
        None,
        {"published": 0, "delivered": 0},
    )
    assert runs.total("events") == 2 * sent.total()
    runs.check_whole()
