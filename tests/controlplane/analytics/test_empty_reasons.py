"""Reasons of an empty chart: no run has read the telemetry yet, or there is no telemetry."""

import dataclasses
from datetime import timedelta

import pytest

from controlplane.analytics import runs
from controlplane.analytics.empty_reasons import why_empty
from controlplane.analytics.jobs import JOBS
from controlplane.analytics.models import AnalyticsRunState, Result, TakenFile
from tests.support.controlplane import telemetry_rows as rows

JOB = JOBS["flow_table_size"]
HOUR = timedelta(hours=1)

pytestmark = pytest.mark.django_db


@pytest.fixture
def series(own_state, root, today):
    """One whose first run took in what there was of noon."""
    rows.write(root, "table_snapshots", [rows.snapshot(today)])
    run = ended(AnalyticsRunState.SUCCEEDED)
    Result.objects.create(series=run.series, run=run, window_start=today, subject="s1", values={})
    for path in (root / "table_snapshots").rglob("*.parquet"):
        name = str(path.relative_to(root / "table_snapshots"))
        facts = {"size": path.stat().st_size, "future": None}
        TakenFile.objects.create(series=run.series, dataset="table_snapshots", path=name, facts=facts)
    return run.series


def ended(state, reason=""):
    runs.request_run(JOB.name, "1 minute", None)
    run = runs.begin()
    runs.end(run, state, reason)
    return run


def test_telemetry_since_the_last_run_waits_for_another(series, root, today):
    found = why_empty(JOB, series, (today + HOUR, today + 2 * HOUR))
    assert found["missing"] == "telemetry" and found["detail"].startswith(
        "There is no telemetry of this time range; there are results"
    )
    rows.write(root, "table_snapshots", [rows.snapshot(today + 1.5 * HOUR)])
    found = why_empty(JOB, series, (today + HOUR, today + 2 * HOUR))
    run = series.runs.get()
    assert found["missing"] == "job" and f"after the last run ({run.pk}): start one (POST" in found["detail"]
    assert why_empty(JOB, series, (today + 2 * HOUR, today + 3 * HOUR))["missing"] == "telemetry"
    assert why_empty(JOB, series, (today - HOUR, today))["missing"] == "telemetry"


def test_a_run_that_failed_or_works_is_named_with_its_reason(series, root, today):
    span = (today + HOUR, today + 2 * HOUR)
    rows.write(root, "table_snapshots", [rows.snapshot(today + HOUR)])
    failed = ended(AnalyticsRunState.FAILED, "the disk is full")
    found = why_empty(JOB, series, span)
    assert found["missing"] == "job"
    assert f"the last run ({failed.pk}) failed: the disk is full. To continue, start" in found["detail"]
    other = runs.request_run(JOB.name, "1 minute", None)
    assert why_empty(JOB, series, span)["detail"].endswith(f"run {other.pk} is queued.")


def test_a_file_that_cannot_be_read_may_have_rows(series, root, today):
    day = root / "table_snapshots" / f"date={today.date().isoformat()}"
    (day / "cut.parquet").write_bytes(b"PAR1 and no more")
    assert why_empty(JOB, series, (today + HOUR, today + 2 * HOUR))["missing"] == "job"
    assert why_empty(JOB, series, (today - 48 * HOUR, today - 47 * HOUR))["missing"] == "telemetry"


def test_a_run_that_found_nothing_does_not_speak_for_later_files(own_state, root, today):
    (root / "table_snapshots").mkdir()
    run = ended(AnalyticsRunState.SUCCEEDED)
    span = (today - HOUR, today + HOUR)
    assert why_empty(JOB, run.series, span)["missing"] == "telemetry"
    rows.write(root, "table_snapshots", [rows.snapshot(today)])
    assert why_empty(JOB, run.series, span)["missing"] == "job"


def test_where_only_spark_can_look_the_last_run_says_what_can_be_known(series, own_state, settings, today):
    settings.ENV = dataclasses.replace(own_state, spark_telemetry_url="s3a://bucket/telemetry")
    begun = series.runs.get().started_at
    assert why_empty(JOB, series, (today + HOUR, today + 2 * HOUR))["missing"] == "telemetry"
    assert why_empty(JOB, series, (begun, begun + HOUR))["missing"] == "job"
    ended(AnalyticsRunState.FAILED, "no such bucket")
    found = why_empty(JOB, series, (today + HOUR, today + 2 * HOUR))
    assert found["missing"] == "job" and "failed: no such bucket" in found["detail"]
