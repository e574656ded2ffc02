"""The telemetry thread: every accepted row is written, waits, or is lost and counted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.errors import RefusedMany
from tercast.telemetry import DATASETS, DELIVERED, PUBLISHED, TABLE_SNAPSHOTS
from tercast.telemetry.recorder import Recorder
from tercast.telemetry.rows import check_row, read_row, row_json
from tercast.telemetry.sinks import WRITERS, BatchRefused, FolderSink, Report, RowBatch, SinkDown

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
WAIT_S = 60.0


def snapshot(number: int) -> dict[str, Any]:
    return {"taken_at": NOON + timedelta(seconds=number), "switch": "sw1", "entries": number}


class Scripted:
    """A sink whose results are the words of a list; with `lost`, the answer to a batch is lost."""

    def __init__(self, *script: str) -> None:
        self.script = list(script)
        self.sent: list[str] = []
        self.taken: dict[str, RowBatch] = {}
        self.reports: list[Report] = []
        self.tried = threading.Semaphore(0)

    def send(self, batch: RowBatch, report: Report) -> int:
        self.sent.append(batch.id)
        word = self.script.pop(0) if self.script else "ok"
        if word in {"ok", "lost"}:
            self.taken[batch.id] = batch
        self.tried.release()
        if word in {"down", "lost"}:
            raise SinkDown("no answer")
        if word == "no":
            raise BatchRefused("not wanted")
        if word == "bug":
            raise ZeroDivisionError
        if word == "memory":
            raise MemoryError
        return 1 if word == "one-refused" else 0

    def send_report(self, report: Report) -> None:
        self.reports.append(report)

    @property
    def rows(self) -> list[int]:
        return [row["entries"] for batch in self.taken.values() for row in batch.rows]


def record(recorder: Recorder, numbers: range) -> None:
    for number in numbers:
        recorder.add(TABLE_SNAPSHOTS, lambda number=number: snapshot(number))


def test_rows_wait_while_there_is_no_memory_for_a_batch() -> None:
    sink, attempts = Scripted("memory", "memory", "ok"), [0]

    def make() -> Mapping[str, Any]:
        attempts[0] += 1
        if attempts[0] <= 2:
            raise MemoryError
        return snapshot(0)

    recorder = Recorder(sink, "h1", period=0.01, first_pause=0.01)
    recorder.add(TABLE_SNAPSHOTS, make)
    record(recorder, range(1, 10))
    for _ in range(3):
        assert sink.tried.acquire(timeout=WAIT_S)
    tally = recorder.close(WAIT_S)
    assert sorted(sink.rows) == list(range(10))
    assert (tally.written, tally.lost, tally.retries) == (10, 0, 4)
    assert recorder.error is not None and "no memory" in recorder.error


def test_a_batch_whose_answer_got_lost_is_sent_again_under_the_same_id() -> None:
    sink = Scripted("lost", "down", "ok")
    recorder = Recorder(sink, "h1", period=0.01, first_pause=0.01)
    record(recorder, range(10))
    tally = recorder.close(WAIT_S)
    assert len(sink.sent) >= 3 and len(set(sink.sent[:3])) == 1
    assert sorted(sink.rows) == list(range(10))
    assert (tally.taken, tally.written, tally.lost, tally.pending, tally.retries) == (10, 10, 0, 0, 2)


def test_a_refused_batch_is_lost_and_counted_and_the_next_goes_on() -> None:
    sink = Scripted("no", "bug", "one-refused")
    recorder = Recorder(sink, "h1", period=60, batch_rows=4)
    record(recorder, range(4))
    assert sink.tried.acquire(timeout=WAIT_S)
    record(recorder, range(4, 8))
    assert sink.tried.acquire(timeout=WAIT_S)
    record(recorder, range(8, 12))
    tally = recorder.close(WAIT_S)
    assert (tally.written, tally.lost, tally.lost_batches, tally.batches) == (3, 9, 2, 3)
    assert recorder.error == "1 row was refused"
    last = sink.reports[-1]
    assert (last["closed"], last["lost"], last["taken"]) == (True, 9, 12)


def test_the_buffer_is_bounded_and_the_oldest_rows_are_lost() -> None:
    sink = Scripted(*["down"] * 1000)
    recorder = Recorder(sink, "h1", period=0.01, batch_rows=5, pending_rows=20, first_pause=1000)
    record(recorder, range(5))
    assert sink.tried.acquire(timeout=WAIT_S)
    record(recorder, range(5, 45))
    tally = recorder.tally()
    assert (tally.taken, tally.pending, tally.lost) == (45, 20, 25)
    assert recorder.error == "more than 20 rows waited; the oldest rows are lost"
    sink.script.clear()
    final = recorder.close(WAIT_S)
    assert sorted(sink.rows) == [*range(5), *range(30, 45)]
    assert (final.written, final.lost, final.pending) == (20, 25, 0)


def test_what_still_waits_at_the_end_is_lost_and_reported() -> None:
    sink = Scripted(*["down"] * 1000)
    recorder = Recorder(sink, "h1", first_pause=0.01)
    record(recorder, range(7))
    tally = recorder.close(seconds=0.1)
    assert (tally.written, tally.lost, tally.lost_batches, tally.pending) == (0, 7, 1, 0)
    recorder.add(TABLE_SNAPSHOTS, lambda: snapshot(1))
    assert recorder.tally().lost == 8


def test_an_invalid_row_is_lost_alone() -> None:
    sink = Scripted()
    recorder = Recorder(sink, "h1")
    recorder.add(TABLE_SNAPSHOTS, lambda: {**snapshot(1), "entries": 1 << 40})
    record(recorder, range(2))
    tally = recorder.close(WAIT_S)
    assert sink.rows == [0, 1] and tally.lost == 1
    assert recorder.error is not None and "entries" in recorder.error


def test_rows_of_several_threads_all_arrive(tmp_path: Path) -> None:
    recorder = Recorder(FolderSink(tmp_path), "h1", period=0.01, batch_rows=50)
    threads = [
        threading.Thread(target=record, args=(recorder, range(n * 1000, n * 1000 + 1000))) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tally = recorder.close(WAIT_S)
    assert (tally.taken, tally.written, tally.lost) == (4000, 4000, 0)
    found = [
        row["entries"] for path in tmp_path.rglob("*.parquet") for row in pq.read_table(path).to_pylist()
    ]
    assert sorted(found) == list(range(4000))
    [record_path] = (tmp_path / WRITERS).iterdir()
    report = json.loads(record_path.read_text())
    assert (report["closed"], report["written"], report["host"]) == (True, 4000, "h1")


def test_a_folder_that_is_written_twice_has_the_rows_once(tmp_path: Path) -> None:
    sink = FolderSink(tmp_path)
    rows = tuple(check_row(snapshot(n), TABLE_SNAPSHOTS) for n in (0, 90_000))
    for _ in range(2):
        sink.send(RowBatch("b1", TABLE_SNAPSHOTS, rows), {})
    assert len(list(tmp_path.rglob("*.parquet"))) == 2


def test_a_full_disk_is_a_passing_trouble(tmp_path: Path) -> None:
    (tmp_path / "root").write_text("in the way")
    with pytest.raises(SinkDown, match=f"{tmp_path}/root: cannot be written"):
        FolderSink(tmp_path / "root").send(
            RowBatch("b1", TABLE_SNAPSHOTS, (check_row(snapshot(1), TABLE_SNAPSHOTS),)), {}
        )


WRITER = """
import sys
import time
from datetime import UTC, datetime
from tercast.telemetry import PUBLISHED
from tercast.telemetry.recorder import Recorder
from tercast.telemetry.sinks import FolderSink
recorder = Recorder(FolderSink(sys.argv[1]), "h1", period=0.001, batch_rows=2000)
n = 0
while True:
    while n % 2000 == 0 and recorder.tally().pending > 20000:
        time.sleep(0.001)
    n += 1
    row = {"topic": "t", "publisher": "a1", "seq": n, "published_at": datetime.now(UTC), "values": "x" * 200}
    recorder.add(PUBLISHED, lambda row=row: row)
"""


def test_a_writer_that_is_killed_leaves_whole_files_and_says_that_it_had_no_end(tmp_path: Path) -> None:
    """Kill the writer often, after the start of a new file: visible files are readable to the last row."""
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "platform")}
    for round_ in range(4):
        root = tmp_path / str(round_)
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(root)], env=env)
        while not list(root.rglob("*.parquet")):
            assert process.poll() is None
        while process.poll() is None:
            if list(root.rglob(".*.part")):
                process.send_signal(signal.SIGKILL)
                process.wait()
        seqs: list[int] = []
        for path in root.glob("published/*/[!._]*"):
            seqs += pq.read_table(path).column("seq").to_pylist()
        assert sorted(seqs) == list(
            range(1, len(seqs) + 1)
        )  # batches are in order, so the rows are the first ones
        for path in (root / WRITERS).glob("[!.]*.json"):
            assert json.loads(path.read_text())["closed"] is False


def rows_of(dataset: Any) -> Any:
    """Rows whose keys and hosts are not empty."""
    text = st.text(max_size=8).filter(lambda s: s.encode("utf-8", "ignore").decode() == s)
    kinds = {
        "string": text,
        "long": st.integers(-(1 << 63), (1 << 63) - 1),
        "int": st.integers(-(1 << 31), (1 << 31) - 1),
        "boolean": st.booleans(),
        "strings": st.lists(text, max_size=3),
        "timestamp": st.datetimes(timezones=st.just(UTC)),
    }
    needed = {*dataset.key, dataset.time}
    return st.fixed_dictionaries(
        {
            column.name: kinds[column.kind] if column.name in needed else st.none() | kinds[column.kind]
            for column in dataset.columns
        }
    ).filter(lambda row: "" not in {row[name] for name in dataset.key} | {row.get("host")})


@given(st.sampled_from(sorted(DATASETS)).flatmap(lambda n: st.tuples(st.just(n), rows_of(DATASETS[n]))))
def test_a_row_comes_back_from_json_as_it_was(case: tuple[str, Mapping[str, Any]]) -> None:
    name, row = case
    checked = check_row(row, DATASETS[name])
    assert read_row(json.loads(json.dumps(row_json(checked, DATASETS[name]))), DATASETS[name]) == checked


def test_every_error_of_a_row_is_reported_by_its_column() -> None:
    row = {
        "topic": 5,
        "seq": "12",
        "host": "\ud800",
        "received_at": "2026-01-01T00:00:00",
        "wanted": "yes",
        "subscriptions": ["a", 1],
        "colour": "red",
    }
    with pytest.raises(RefusedMany) as raised:
        read_row(row, DELIVERED, ("rows", 3))
    found = {(error.path, error.code) for error in raised.value.errors}
    wrong = {"topic", "seq", "host", "received_at", "wanted", "subscriptions"}
    assert found == {
        *((("rows", 3, name), "wrong_type") for name in wrong),
        (("rows", 3, "publisher"), "null_key"),
        (("rows", 3, "colour"), "unknown_column"),
    }
    with pytest.raises(RefusedMany):
        read_row([1], PUBLISHED)


def test_errors_of_a_row_show_the_value_and_what_it_should_be() -> None:
    row = {"topic": "", "publisher": "a1", "seq": 1, "host": "", "received_at": "2026-01-01T00:00:00"}
    with pytest.raises(RefusedMany) as raised:
        read_row({**row, "subscriptions": [None]}, DELIVERED)
    assert [(error.path, error.code, error.detail) for error in raised.value.errors] == [
        (
            ("received_at",),
            "wrong_type",
            '"2026-01-01T00:00:00" has the wrong type; write a time with a zone, e.g. "2026-01-31T12:00:00Z"',
        ),
        (("subscriptions",), "wrong_type", 'null is not a text; write a list of texts, e.g. ["q1"]'),
        (("topic",), "empty", "topic is empty; a row of delivered needs it"),
        (("host",), "empty", "host is empty; a row of delivered needs it"),
    ]
    with pytest.raises(RefusedMany) as raised:
        event = {"topic": "t", "publisher": "a1", "seq": 1, "host": "", "published_at": "2026-01-01T00:00Z"}
        read_row(event, PUBLISHED)
    assert [error.detail for error in raised.value.errors] == ["host is empty; write a name, or leave it out"]


class Clock:
    """A clock that a test sets, in seconds after noon."""

    def __init__(self) -> None:
        self.seconds = 0

    def __call__(self) -> int:
        return int(NOON.timestamp() + self.seconds) * 1_000_000


def complete_after(recorder: Recorder) -> float:
    """Seconds after noon up to which the recorder's report says that rows are complete."""
    return (datetime.fromisoformat(recorder.report()["complete_until"]) - NOON).total_seconds()


def test_rows_are_complete_until_the_oldest_that_waits() -> None:
    clock, sink = Clock(), Scripted(*["down"] * 1000)
    limits: dict[str, Any] = {"period": 0.01, "batch_rows": 3, "pending_rows": 5, "first_pause": 1000}
    recorder = Recorder(sink, "h1", datasets=(TABLE_SNAPSHOTS,), clock=clock, **limits)
    clock.seconds = 10
    assert complete_after(recorder) == 10  # nothing waits
    record(recorder, range(1))
    assert sink.tried.acquire(timeout=WAIT_S)  # the row is in a batch that cannot be sent
    clock.seconds = 20
    assert complete_after(recorder) == 10
    for clock.seconds in range(21, 26):  # at most 5 rows wait: row 21 is lost
        record(recorder, range(1))
        assert complete_after(recorder) == 10
    sink.script.clear()
    recorder.close(WAIT_S)
    clock.seconds = 30
    assert complete_after(recorder) == 30
    last = sink.reports[-1]
    assert (last["closed"], last["datasets"], last["lost"]) == (True, ["table_snapshots"], 1)


def test_reports_follow_the_files_that_they_call_complete(tmp_path: Path) -> None:
    """The report that a job finds never counts more rows than the files contain."""
    clock = Clock()
    recorder = Recorder(FolderSink(tmp_path), "h1", period=0.001, batch_rows=7, clock=clock)
    for clock.seconds in range(300):
        record(recorder, range(clock.seconds, clock.seconds + 1))
        for path in (tmp_path / WRITERS).glob("[!.]*.json"):
            until = datetime.fromisoformat(json.loads(path.read_text())["complete_until"])
            rows = (
                {row["entries"] for file in tmp_path.rglob("[!.]*.parquet") for row in read_rows(file)}
                if clock.seconds % 50 == 0
                else None
            )
            complete = int((until - NOON).total_seconds())
            assert rows is None or rows >= set(range(complete))
    recorder.close(WAIT_S)


def read_rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.ParquetFile(path).read().to_pylist()
    return rows
