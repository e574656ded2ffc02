"""Charts: gaps stay gaps, extremes survive fewer points, and an empty answer says what is missing."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from controlplane.accounts.tokens import issue_token
from controlplane.aggregation import redundant_copies
from controlplane.aggregation.models import AggregatedEntry
from controlplane.analytics import charts, runs
from controlplane.analytics.chart_csv import UNITS
from controlplane.analytics.charts import ChartGrid
from controlplane.analytics.jobs import JOBS, REDUNDANT_COPIES
from controlplane.analytics.models import AnalyticsRunState, Result
from controlplane.network.models import Switch
from controlplane.registry.models import Topic

START = datetime(2026, 3, 28, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
MICROS = 60_000_000


@pytest.fixture
def get(db, django_user_model):
    client = APIClient()
    token = issue_token(django_user_model.objects.create_user("vera"), "test")
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    return lambda path, **query: client.get(f"/api/v1/analytics/{path}/", query)


def text(time):
    return time.isoformat().replace("+00:00", "Z")


def results(job, rows):
    """Rows are (minute, keys, values); they come from a run that succeeded."""
    run = runs.request_run(job, "1 minute", None)
    run = runs.begin()
    runs.end(run, AnalyticsRunState.SUCCEEDED, "", rows=len(rows))
    for minute, keys, values in rows:
        Result.objects.create(
            series=run.series, run=run, window_start=START + minute * MINUTE, values=values, **keys
        )
    return run


def size(low, high, budget=100):
    middle = (low + high) / 2
    return {
        "entries_min": low,
        "entries_avg": middle,
        "entries_max": high,
        "budget": budget,
        "occupancy_max": high / budget if budget else None,
    }


# Grids.


@given(
    st.integers(0, 10**6),
    st.integers(1, 10**6),
    st.sampled_from([1, 7, 60, 3600, 86400]),
    st.integers(2, 500),
)
def test_a_grid_covers_the_time_with_as_few_windows_a_point_as_can_be(start, length, window, most):
    since, until = START + timedelta(seconds=start), START + timedelta(seconds=start + length)
    grid = ChartGrid.of(since, until, window * 10**6, most)
    a, b = grid.span
    assert a <= since and until <= b and 1 <= len(grid) <= most
    assert grid.step % (window * 10**6) == 0 and grid.start % grid.step == 0
    times = list(grid.times())
    assert [grid.place(t) for t in times] == list(range(len(grid)))
    smaller = grid.step // (window * 10**6) // 2
    if smaller:  # half as many windows a point would be more points than asked for
        assert length * 10**6 // (smaller * window * 10**6) + 2 > most


values = st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda p: size(min(p), max(p)))


@given(st.lists(values, min_size=1, max_size=8))
def test_points_of_several_windows_keep_their_extremes(found):
    job, known = JOBS["flow_table_size"], found[0]
    for one in found[1:]:
        known = charts.merged(job, known, one)
    assert known["entries_min"] == min(one["entries_min"] for one in found)
    assert known["entries_max"] == max(one["entries_max"] for one in found)
    assert known["occupancy_max"] == max(one["occupancy_max"] for one in found)
    mean = sum(one["entries_avg"] for one in found) / len(found)
    assert known["entries_avg"] == pytest.approx(mean)


# Answers.


def test_gaps_stay_gaps_at_any_number_of_points(get):
    rows = [(m, {"subject": "s1"}, size(m, m + 1)) for m in (*range(20), *range(40, 60))]
    results("flow_table_size", rows)
    span = {"since": text(START), "until": text(START + 60 * MINUTE)}
    fine = get("flow-table-size", **span).json()
    points = fine["series"][0]["points"]
    assert len(points) == 60 and fine["step_s"] == 60
    assert [p["at"] for p in points[:2]] == ["2026-03-28T00:00:00Z", "2026-03-28T00:01:00Z"]
    assert all((p["entries_max"] is None) == (20 <= m < 40) for m, p in enumerate(points))
    coarse = get("flow-table-size", **span, max_points=6).json()
    points = coarse["series"][0]["points"]
    assert coarse["step_s"] == 600
    assert [p["entries_max"] for p in points] == [10, 20, None, None, 50, 60]
    assert [p["entries_min"] for p in points] == [0, 10, None, None, 40, 50]
    assert points[2] == {"at": "2026-03-28T00:20:00Z", **dict.fromkeys(JOBS["flow_table_size"].values)}


def table(answer):
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode(), newline="")))


def test_csv_has_every_window_of_every_key_with_times_in_utc_and_units(get, monkeypatch):
    monkeypatch.setattr("controlplane.web.analytics.base_chart_view.MOST_SERIES", 1)
    rows = [(m, {"subject": name}, size(m, m + 1)) for name in ("s1", "s2") for m in range(400)]
    results("flow_table_size", rows)
    span = {"since": text(START), "until": text(START + 500 * MINUTE), "format": "csv"}
    found = table(get("flow-table-size", **span))
    assert [row["switch"] for row in found] == ["s1"] * 400 + ["s2"] * 400
    assert list(found[0])[:4] == ["switch", "at (UTC)", "entries_min (entries)", "entries_avg (entries)"]
    assert found[61]["at (UTC)"] == "2026-03-28T01:01:00Z" and found[61]["entries_max (entries)"] == "62"
    assert len(table(get("flow-table-size", **span, max_points=5))) == 2 * 4


def test_csv_spreads_stages_and_has_what_is_computed(get):
    stage = {"p50": 1.0, "p95": 4.0, "mean": 2.0}
    stages = dict.fromkeys(("waiting_ms", "computing_ms", "deploying_ms"), stage)
    one = {**stages, "processing_ms": None, "requests": 3, "failed": 1}
    results("request_latency", [(0, {"subject": "subscribe"}, one)])
    lost = {"delivered": 8, "unwanted": 2, "doubled": 0, "lost": None}
    results("false_positives", [(0, {"topic": "quotes", "host": "h1"}, lost)])
    span = {"since": text(START), "until": text(START + MINUTE), "format": "csv"}
    (row,) = table(get("request-latency", **span))
    assert (row["waiting p95 (ms)"], row["processing mean (ms)"]) == ("4.0", "")
    assert (row["kind"], row["failed (requests)"]) == ("subscribe", "1")
    (row,) = table(get("false-positives", **span))
    assert (row["topic"], row["fpr (% of delivered)"], row["lost (events)"]) == ("all", "25.0", "")


def test_every_value_of_every_chart_has_its_unit():
    for job in (*(job for job in JOBS.values() if job.is_windowed), REDUNDANT_COPIES):
        assert {name.partition(" ")[0] for name in UNITS[job.name]} >= set(job.values)


def test_false_positives_network_wide_and_by_host(get):
    def row(host, delivered, unwanted, lost=None):
        values = {"delivered": delivered, "unwanted": unwanted, "doubled": 1, "lost": lost, "fpr": 0}
        return 0, {"topic": "quotes", "host": host}, values

    results("false_positives", [row("h1", 90, 0, 2), row("h2", 10, 5)])
    span = {"since": text(START), "until": text(START + MINUTE)}
    (all_,) = get("false-positives", **span).json()["series"]
    assert (all_["topic"], all_["host"]) == (None, None)
    (point,) = all_["points"]
    assert (point["delivered"], point["unwanted"], point["fpr"], point["lost"]) == (100, 5, 5.0, 2)
    by_host = get("false-positives", **span, by="host").json()["series"]
    assert [(one["host"], one["points"][0]["fpr"]) for one in by_host] == [("h1", 0.0), ("h2", 50.0)]
    (only,) = get("false-positives", **span, host="h2").json()["series"]
    assert only["points"][0]["fpr"] == 50.0


def test_stages_delays_and_loads_have_their_shapes(get):
    stage = {"p50": 1.0, "p95": 4.0, "mean": 2.0}
    stages = dict.fromkeys(("waiting_ms", "computing_ms", "deploying_ms"), stage)
    slow = {**stages, "processing_ms": {"p50": 9.0, "p95": 9.0, "mean": 9.0}, "requests": 2, "failed": 1}
    quick = {**stages, "processing_ms": None, "requests": 3, "failed": 0}
    kind = {"subject": "subscribe"}
    results("request_latency", [(0, kind, slow), (1, kind, quick)])
    span = {"since": text(START), "until": text(START + 2 * MINUTE), "max_points": 2}
    (one,) = get("request-latency", **span).json()["series"]
    assert one["kind"] == "subscribe" and one["points"][1]["processing_ms"] is None
    assert one["points"][0]["processing_ms"] == {"p50": 9.0, "p95": 9.0, "mean": 9.0}
    loads = {"events": 6, "events_per_s": 0.1, "dz_histogram": {"01": 4, "11": 2}}
    results("publisher_load", [(0, {"subject": "a1"}, dict(loads)), (1, {"subject": "a1"}, dict(loads))])
    (load,) = get("publisher-load", **span).json()["series"]
    assert load["dz_histogram"] == {"01": 8, "11": 4} and load["publisher"] == "a1"


def test_means_of_several_windows_are_those_of_all_requests_and_of_all_the_time(get):
    def stages(requests, mean, processed):
        stage = {"p50": mean, "p95": mean, "mean": mean}
        one = dict.fromkeys(("waiting_ms", "computing_ms", "deploying_ms"), stage)
        return {**one, "processing_ms": processed and stage, "requests": requests, "failed": 0}

    rows = [(0, stages(98, 1.0, True)), (1, stages(1, 51.0, None)), (5, stages(1, 101.0, True))]
    results("request_latency", [(minute, {"subject": "subscribe"}, values) for minute, values in rows])
    span = {"since": text(START), "until": text(START + 20 * MINUTE), "max_points": 2}
    (one,) = get("request-latency", **span).json()["series"]
    assert one["points"][0]["waiting_ms"] == {"p50": 101.0, "p95": 101.0, "mean": 2.5}
    assert one["points"][0]["processing_ms"]["mean"] == pytest.approx((98 + 101) / 99)
    rows = [(0, 600), (4, 1200), (12, 60)]  # minutes, and events in them
    values = [(m, {"events": n, "events_per_s": n / 60, "dz_histogram": {}}) for m, n in rows]
    results("publisher_load", [(minute, {"subject": "a1"}, one) for minute, one in values])
    (load,) = get("publisher-load", **span).json()["series"]
    found = [point["events_per_s"] for point in load["points"]]
    assert found == [3.0, pytest.approx(60 / 180)]  # minutes 13 to 19 are unknown
    (fine,) = get("publisher-load", **{**span, "max_points": 20}).json()["series"]
    assert [p["events_per_s"] for p in fine["points"] if p["events"]] == [10.0, 20.0, 1.0]


def test_dimension_selection_shows_the_ranking_beside_what_is_indexed(get):
    attributes = [{"name": n, "type": "int", "min": 0, "max": 1} for n in ("a", "b")]
    Topic.objects.create(name="t", code=2, attributes=attributes, indexed=["b"])
    found = {
        "ranking": ["a", "b"],
        "weights": [0.9, 0.1],
        "eigenvalues": [3.0, 1.0],
        "selected": ["a"],
        "events": 10,
        "subscriptions": 4,
    }
    results("dimension_selection", [(5, {"topic": "t"}, found)])
    counts = {"delivered": 40, "unwanted": 10, "doubled": 0, "lost": 0}
    results("false_positives", [(0, {"topic": "t", "host": "h"}, counts)])
    answer = get("dimension-selection", since=text(START), until=text(START + 10 * MINUTE)).json()
    (one,) = answer["selections"]
    assert one["measured_fpr"] == 25.0 and one["differs"] is True
    assert [(r["attribute"], r["selected"], r["indexed"]) for r in one["ranking"]] == [
        ("a", True, False),
        ("b", False, True),
    ]


def test_redundant_copies_are_stored_over_time(get):
    start = timezone.now().replace(second=0, microsecond=0) - 10 * MINUTE
    switch = Switch.objects.create(name="s1", dpid="00000000000000a1")
    assert redundant_copies.store_measurement() == 0
    empty = get("needless-copies").json()["empty"]
    assert empty["missing"] == "telemetry" and "merged entries" in empty["detail"]

    def measure(minute, measured):
        AggregatedEntry.objects.all().delete()
        for number in range(2):
            AggregatedEntry.objects.create(
                switch=switch,
                topic="t",
                dz=f"0{number}",
                subscriptions=[],
                measured=measured,
                unwanted=1,
                expected=5,
                window=100,
                position=1,
                measured_at=start + minute * MINUTE + timedelta(seconds=7),
            )

    for minute, measured in ((0, 10), (0, 20), (3, 30)):
        measure(minute, measured)
        redundant_copies.store_measurement()
    assert redundant_copies.store_measurement() == 0
    span = {"since": text(start), "until": text(start + 4 * MINUTE)}
    (one,) = get("needless-copies", **span).json()["series"]
    assert one["switch"] == "s1"
    assert [point["copies"] for point in one["points"]] == [0.2, None, None, 0.6]
    assert (one["points"][0]["unwanted"], one["points"][0]["expected"]) == (0.02, 0.1)


def test_an_empty_answer_says_what_is_missing(get, own_state, root):
    span = {"since": text(START), "until": text(START + MINUTE)}

    def empty(path="flow-table-size", **query):
        body = get(path, **{**span, **query}).json()
        assert not body.get("series") and not body.get("selections")
        return body["empty"]["missing"], body["empty"]["detail"]

    assert empty()[0] == "job" and "POST /api/v1/analytics/runs/" in empty()[1]
    run = runs.request_run("flow_table_size", "1 minute", None)
    runs.end(runs.begin(), AnalyticsRunState.SKIPPED, "there is no telemetry yet")
    assert empty() == ("telemetry", f"The folder {root} contains no telemetry for flow_table_size yet.")
    (root / "table_snapshots").mkdir()
    assert (
        empty()[1] == f"No run has succeeded. The last run ({run.pk}) was skipped: there is no telemetry yet."
    )
    results("flow_table_size", [(0, {"subject": "s1"}, size(1, 2))])
    assert empty(switch="s2")[0] == "filter"
    later = text(START + 9 * MINUTE)
    assert empty(since=later, until=text(START + 10 * MINUTE)) == (
        "telemetry",
        "There is no telemetry of this time range; "
        "there are results from 2026-03-28T00:00:00Z to 2026-03-28T00:00:00Z.",
    )
    assert empty(window="5 minutes")[0] == "job"
    assert empty("dimension-selection")[0] == "job"


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({"since": "yesterday"}, "since"),
        ({"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, "since"),
        ({"until": "0001-01-01T00:00:00Z"}, "until"),
        ({"window": "1 fortnight"}, "window"),
        ({"max_points": "1"}, "max_points"),
        ({"max_points": "9999999999999999999999"}, "max_points"),
        ({"by": "everything"}, "by"),
        ({"switch": "s1"}, "switch"),
        ({"host": ",".join(["h"] * 101)}, "host"),
    ],
)
def test_bad_questions_are_refused_by_name(get, query, parameter):
    answer = get("false-positives", **query)
    assert answer.status_code == 400
    assert [error["parameter"] for error in answer.json()["errors"]] == [parameter]


def test_too_many_results_are_refused_before_they_are_read(get, monkeypatch):
    results("flow_table_size", [(m, {"subject": "s1"}, size(1, 2)) for m in range(4)])
    monkeypatch.setattr(charts, "MOST_RESULTS", 3)
    answer = get("flow-table-size", since=text(START), until=text(START + 9 * MINUTE))
    assert answer.status_code == 400 and "longer windows" in answer.json()["detail"]
