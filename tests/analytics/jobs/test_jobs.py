"""Each job over telemetry with faults, compared with plain Python over the rows that count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from analytics.jobs.job_table import JOBS
from analytics.jobs.runner import run_job
from analytics.options import JobOptions
from analytics.subscriptions import read_subscriptions
from tests.support.analytics import messy_telemetry, plain_answers

pytestmark = pytest.mark.spark

READS = {
    "flow_table_size": ("table_snapshots",),
    "delay": ("published", "delivered"),
    "false_positives": ("delivered", "published"),
    "publisher_load": ("published",),
    "request_latency": ("requests",),
    "dimension_selection": ("published",),
    "learned_space": ("published",),
    "event_samples": ("published",),
}


def expected(job: str, messy: messy_telemetry.Messy) -> list[dict[str, Any]]:
    rows = messy.rows
    good = [
        {**event, "abc": (event["a"], event["b"], event["c"])} for event in messy.events if event["seq"] % 50
    ]
    match job:
        case "flow_table_size":
            return plain_answers.flow_table_size(rows["table_snapshots"])
        case "delay":
            return plain_answers.delay(rows["published"], rows["delivered"])
        case "false_positives":
            return plain_answers.false_positives(messy.events, rows["published"], rows["delivered"])
        case "publisher_load":
            return plain_answers.publisher_load(rows["published"], 4)
        case "request_latency":
            return plain_answers.request_latency(rows["requests"])
        case "event_samples":
            return plain_answers.event_samples(rows["published"])
        case "learned_space":
            return [plain_answers.learned_space(good)]
    return [plain_answers.dimension_selection(good, 0.8)]


def close(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(close(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(close, found, wanted))
    if isinstance(wanted, float):
        return found == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    return bool(found == wanted)


@pytest.mark.parametrize("job", JOBS)
def test_a_job_answers_as_plain_python(
    job: str, spark: Any, messy: messy_telemetry.Messy, tmp_path: Path
) -> None:
    options = JobOptions(
        telemetry=str(messy.root),
        now=messy_telemetry.NOW,
        window=60_000_000 if job == "flow_table_size" else 3_600_000_000,
        subscriptions=read_subscriptions(messy_telemetry.SUBSCRIPTIONS),
        depth=4,
        threshold=0.8,
    )
    run_job(spark, job, options, str(tmp_path), parquet=True)
    found = json.loads((tmp_path / f"{job}.json").read_text())
    wanted = expected(job, messy)
    assert len(found) == len(wanted) > 0
    for row, answer in zip(found, wanted, strict=True):
        assert tuple(row) == JOBS[job].columns
        assert close(row, answer), (row, answer)
    check_meta(json.loads((tmp_path / f"{job}.meta.json").read_text()), job, len(found))
    table = pq.read_table(tmp_path / f"{job}.parquet")
    assert table.column_names == list(found[0])
    assert table.num_rows == len(found)
    assert not list(tmp_path.glob(".*"))


def check_meta(meta: dict[str, Any], job: str, rows: int) -> None:
    datasets = len(READS[job])
    assert tuple(meta["datasets"]) == READS[job]
    assert meta["rows"] == rows
    assert meta["rejected"] == {
        "null_key": 2 * datasets,
        "null_time": 0,
        "future": datasets,
        "unreadable_file": 2 * datasets,
    }
    for report in meta["datasets"].values():
        names = sorted(Path(bad["file"]).name for bad in report["unreadable"])
        assert names == ["cut.parquet", "empty.parquet"]
        assert all(bad["reason"] for bad in report["unreadable"])
    if job == "delay":
        assert meta["notes"]["deliveries_of_unknown_events"] == 1
        assert meta["notes"]["negative_delays"] > 0
    if job in {"false_positives", "dimension_selection", "learned_space"}:
        assert meta["notes"] == {"events_with_bad_values": 3}
    if job == "request_latency":
        assert meta["notes"]["negative_stages"] > 0


def test_without_subscriptions_losses_are_not_known(
    spark: Any, messy: messy_telemetry.Messy, tmp_path: Path
) -> None:
    run_job(spark, "false_positives", JobOptions(str(messy.root), messy_telemetry.NOW), str(tmp_path))
    rows = json.loads((tmp_path / "false_positives.json").read_text())
    wanted = plain_answers.false_positives(messy.events, messy.rows["published"], messy.rows["delivered"])
    assert rows == [{**row, "fpr": pytest.approx(row["fpr"]), "lost": None} for row in wanted]
