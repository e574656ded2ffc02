"""Bad telemetry and bad installations, through runs with a real Spark."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from controlplane.analytics import runs, worker
from controlplane.analytics.models import Result, TakenFile
from tests.support.controlplane import telemetry_rows as rows

pytestmark = [pytest.mark.spark, pytest.mark.full, pytest.mark.django_db]


def run(job="flow_table_size"):
    asked = runs.ask(job, "1 minute", None)
    worker.work()
    asked.refresh_from_db()
    return asked


def test_bad_files_and_rows_are_counted_and_the_rest_is_taken(own_state, root, today):
    rows.write(root, "table_snapshots", [rows.snapshot(today, s, entries=s) for s in (0, 30)])
    folder = root / "table_snapshots" / f"date={today.date().isoformat()}"
    (whole,) = folder.iterdir()
    (folder / "cut.parquet").write_bytes(whole.read_bytes()[:-20])
    table = pq.read_table(whole)
    nulls = table.set_column(1, "switch", pa.nulls(2, pa.string()))
    pq.write_table(nulls, folder / "nulls.parquet")
    berlin = pa.array(table["taken_at"].to_pylist(), pa.timestamp("us", tz="Europe/Berlin"))
    pq.write_table(table.set_column(0, "taken_at", berlin), folder / "berlin.parquet")
    done = run()
    assert done.state == "succeeded", done.reason
    assert done.figures["rejected"] == {"unreadable_file": 1, "null_key": 2}
    (bad,) = done.figures["unreadable"]
    assert bad["file"].endswith("cut.parquet") and bad["reason"]
    assert [r.values["entries_max"] for r in Result.objects.all()] == [30]
    assert TakenFile.objects.count() == 4
    idle = run()
    assert idle.state == "skipped" and idle.reason.startswith("nothing new")
    late = [rows.snapshot(today, 45, entries=99), rows.snapshot(today, 0, entries=0)]
    rows.write(root, "table_snapshots", late)
    assert run().figures["new"]["files"] == 1
    assert [r.values["entries_max"] for r in Result.objects.all()] == [99]


def test_a_missing_column_is_named_with_those_there(own_state, root, today):
    folder = root / "table_snapshots" / f"date={today.date().isoformat()}"
    folder.mkdir(parents=True)
    table = pa.table({"taken_at": [today], "switch": ["s1"], "budget": pa.array([1], pa.int32())})
    pq.write_table(table, folder / "a.parquet")
    failed = run()
    assert failed.state == "failed"
    assert failed.reason.endswith("a.parquet: column entries is missing; found taken_at, switch, budget")
    assert not TakenFile.objects.exists()


def test_another_python_on_the_workers_is_reported_in_one_sentence(own_state, root, today, monkeypatch):
    rows.write(root, "table_snapshots", [rows.snapshot(today)])
    monkeypatch.setenv("PYSPARK_PYTHON", "/nonexistent/python")
    failed = run()
    assert failed.state == "failed" and "\n" not in failed.reason
    assert failed.reason == (
        "PYSPARK_PYTHON is /nonexistent/python, which is not executable; "
        "set PYSPARK_PYTHON to a Python 3.11 that is installed on the workers"
    )


def test_clocks_that_run_backwards_are_measured_and_noted(own_state, root, today):
    rows.write(root, "published", [rows.published(today, 1), rows.published(today, 2)])
    rows.write(root, "delivered", [rows.delivered(today, 1, ms=-7), rows.delivered(today, 2, ms=4)])
    done = run("delay")
    assert done.state == "succeeded", done.reason
    assert done.figures["notes"] == {"negative_delays": 1}
    (found,) = Result.objects.all()
    assert (found.values["events"], found.values["max_ms"]) == (2, 4.0)
    rows.write(root, "delivered", [rows.delivered(today, 2, ms=2), rows.delivered(today, 1, ms=-7)])
    run("delay")
    (found,) = Result.objects.all()
    assert (found.values["events"], found.values["max_ms"]) == (2, 2.0), "the first copy counts"
