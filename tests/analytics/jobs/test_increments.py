"""Many runs that continue each other have the same result as one run over everything."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analytics.input.cutoff import NO_CUT, CutOff
from analytics.input.facts import FileFacts
from analytics.jobs.increments import ReadFiles, plan, read_known
from analytics.jobs.job_table import JOBS, IncrementReach
from analytics.jobs.runner import run_job
from analytics.options import JobOptions
from analytics.spans import Span, clipped, joined, overlaps, to_windows, within_windows, without
from analytics.subscriptions import read_subscriptions
from analytics.times import EPOCH
from tercast.telemetry import DATASETS
from tests.property_profiles import examples
from tests.support.analytics import messy_telemetry

Row = dict[str, Any]

# Spans.

times = st.integers(-30, 60)
spans = st.tuples(times, times).map(lambda pair: (min(pair), max(pair)))


def covered(found: list[Span]) -> set[int]:
    return {at for start, end in found for at in range(start, end)}


@example([(-1, 1)], [(0, 0)], 1, 1)  # an empty span within another one
@given(st.lists(spans), st.lists(spans), st.integers(1, 9), st.integers(1, 5))
def test_spans_say_what_sets_of_times_say(a: list[Span], b: list[Span], window: int, most: int) -> None:
    union = joined(a, 100)
    assert covered(union) == covered(a)
    assert all(x[1] < y[0] for x, y in pairwise(union))
    few = joined(a, most)
    assert len(few) <= most and covered(few) >= covered(a)
    assert covered(without(union, b)) == covered(a) - covered(b)
    for one in a:
        assert (
            covered([to_windows(one, window)])
            == {t for t in range(-50, 80) if one[0] < one[1] and covered([one]) & window_of(t, window)}
            or one[0] == one[1]
        )
        assert covered([within_windows(one, window)]) <= covered([one])
        assert overlaps(one, b) == bool(covered([one]) & covered(b))
        assert covered(clipped(b, one)) == covered(b) & covered([one])


def window_of(at: int, window: int) -> set[int]:
    start = at - at % window
    return set(range(start, start + window))


# Plans, with files that are lists of times and a job that is a loop.


@dataclass(frozen=True)
class Status:
    size: int

    def getLen(self) -> int:
        return self.size


@dataclass
class Model:
    """Telemetry whose rows are times; `future` as in the contract, where a day is 20."""

    files: dict[str, list[int]]
    now: int
    cut: CutOff = NO_CUT

    def listed(self, name: str) -> list[tuple[str, Status]]:
        return [(f"/{name}/{path}", Status(len(rows))) for path, rows in self.files.items()]

    @property
    def options(self) -> JobOptions:
        now = EPOCH + timedelta(microseconds=self.now) - increments_day()
        return JobOptions("root", now, window=WINDOW)

    def inspect(self, dataset: Any, listed: dict[str, Any]) -> dict[str, FileFacts]:
        out = {}
        for path in listed:
            cut = self.now + 1 if self.cut.at is None else min(self.cut.at, self.now + 1)
            rows = self.files[path]
            valid, ahead = [t for t in rows if t < cut], [t for t in rows if t >= cut]
            first, last = (min(valid), max(valid)) if valid else (None, None)
            left = sum(t <= self.now for t in ahead)
            out[path] = FileFacts(len(rows), len(rows), first, last, min(ahead, default=None), left=left)
        return out


def increments_day() -> timedelta:
    return timedelta(days=1)


WINDOW, NEAR = 7, 5


def answer(rows: set[int], wanted: list[Span]) -> dict[int, list[tuple[int, bool]]]:
    """Return each time by window, and whether another was shortly before it; like `false_positives`."""
    found: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for at in sorted(rows):
        start = at - at % WINDOW
        if overlaps((start, start + WINDOW), wanted):
            found[start].append((at, any(at - NEAR <= other < at for other in rows)))
    return dict(found)


file_of_times = st.lists(st.integers(0, 120), min_size=1, max_size=4)


@examples(300)
@given(
    st.lists(st.lists(file_of_times, max_size=3), min_size=1, max_size=5),
    st.integers(0, 60),
    st.lists(st.none() | st.integers(0, 120), min_size=5, max_size=5),
)
def test_runs_that_go_on_come_to_what_one_run_does(
    batches: list[list[list[int]]], lead: int, cuts: list[int | None]
) -> None:
    """Rows are repeated, late, ahead of the clock and after the cut-off; a run that dies publishes
    nothing."""
    patch = pytest.MonkeyPatch()
    there: dict[str, list[int]] = {}
    reach = IncrementReach(DATASETS[NAME], NEAR, NEAR)
    patch.setitem(JOBS, "delay", replace(JOBS["delay"], sources=(reach,)))
    known: dict[str, dict[str, FileFacts]] = {NAME: {}}
    results: dict[int, Any] = {}
    new: Counter[str] = Counter()
    try:
        for number, batch in enumerate([*batches, []]):
            for i, rows in enumerate(batch):
                there[f"{number}-{i}.parquet"] = rows
            now = 120 if number == len(batches) else 20 * number + lead
            cut = None if number == len(batches) else cuts[number]
            model = Model(there, now, cut=CutOff(cut))
            plan(model, "delay", model.options, ReadFiles(known))  # type: ignore[arg-type] # dies here
            found = plan(model, "delay", model.options, ReadFiles(known))  # type: ignore[arg-type]
            cut = model.cut.at
            paths = [path.rsplit("/", 1)[1] for path, _ in found.choice[NAME]]
            rows = {t for path in paths for t in there[path] if t <= now and (cut is None or t < cut)}
            new.update(found.to_json()["new"])
            every = [t for times in there.values() for t in times]
            left = sum(cut is not None and cut <= t <= now for t in every)
            ahead = any(t > lead for t in every)  # once rejected as ahead of the clock, not counted as left
            assert found.left[NAME] == left or (ahead and found.left[NAME] < left)
            for start in [s for s in results if overlaps((s, s + WINDOW), found.spans)]:
                del results[start]
            results.update(answer(rows, found.spans))
            known[NAME].update(found.files[NAME])
        assert results == answer({t for rows in there.values() for t in rows}, [(-100, 300)])
        sizes = [len(rows) for rows in there.values()]
        assert new == {"files": len(sizes), "rows": sum(sizes), "bytes": sum(sizes)}
        assert plan(model, "delay", model.options, ReadFiles(known)).spans == []  # type: ignore[arg-type]
    finally:
        patch.undo()


NAME = "delivered"


def test_windows_whose_files_are_gone_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"new.parquet": [3, 50]}
    monkeypatch.setitem(JOBS, "delay", replace(JOBS["delay"], sources=(IncrementReach(DATASETS[NAME]),)))
    model = Model(there, 120)
    gone = ReadFiles({NAME: {"old.parquet": FileFacts(5, 5, 0, 6)}})
    found = plan(model, "delay", model.options, gone)  # type: ignore[arg-type]
    assert (found.spans, found.kept) == ([(7, 56)], 1)


def test_samples_are_of_new_files_alone() -> None:
    """Other files may share windows or be deleted; with `rebuild` all files are read."""
    there = {"old.parquet": [3, 9], "new.parquet": [8, 50]}
    model = Model(there, 120)
    before = {"old.parquet": FileFacts(2, 2, 3, 9), "gone.parquet": FileFacts(5, 5, 0, 60)}

    def chosen(**more: Any) -> list[str]:
        known = ReadFiles({"published": before}, **more)
        found = plan(model, "event_samples", model.options, known)  # type: ignore[arg-type]
        assert overlaps((8, 51), found.spans) and found.kept == 0
        assert list(found.files["published"]) == ["new.parquet"]
        return [path for path, _ in found.choice["published"]]

    assert chosen() == ["/published/new.parquet"]
    assert chosen(rebuild=True) == ["/published/old.parquet", "/published/new.parquet"]


# The real jobs.


def split(messy: messy_telemetry.Messy, root: Path, seed: int) -> list[list[tuple[str, list[Row]]]]:
    """Return the rows of all datasets in three batches, out of order, some twice: (dataset, rows) of each."""
    rng = random.Random(seed)
    batches: list[list[tuple[str, list[Row]]]] = [[], [], []]
    for name, rows in messy.rows.items():
        shuffled = rng.sample(rows, len(rows)) + rng.choices(rows, k=len(rows) // 4)
        for number, batch in enumerate(batches):
            batch.append((name, shuffled[number::3]))
    return batches


def write(root: Path, batch: list[tuple[str, list[Row]]], number: int) -> None:
    for name, rows in batch:
        by_day: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            by_day[row[DATASETS[name].time].date().isoformat()].append(row)
        for day, some in by_day.items():
            messy_telemetry.write(root, DATASETS[name], some, f"{number}.parquet", day)


def key(row: Row) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in ("topic", "host", "switch", "publisher", "kind", "window_start"))


def one_run(
    spark: Any, job: str, root: Path, out: Path, known: ReadFiles, **more: Any
) -> tuple[list[Row], Row]:
    options = JobOptions(str(root), messy_telemetry.NOW, window=600_000_000, **more)
    run_job(spark, job, options, str(out), known=known)
    meta = json.loads((out / f"{job}.meta.json").read_text())["increment"]
    return json.loads((out / f"{job}.json").read_text()), meta


def put_in_place(results: dict[tuple[Any, ...], Row], rows: list[Row], meta: Row) -> None:
    """Store the rows of a run like the control plane."""
    for name, row in list(results.items()):
        at = (datetime.fromisoformat(row["window_start"]) - EPOCH) // timedelta(microseconds=1)
        if overlaps((at, at + 1), meta["spans"]):
            del results[name]
    results.update({key(row): row for row in rows})


@pytest.mark.spark
@pytest.mark.parametrize(
    "job",
    [
        "flow_table_size",
        "false_positives",
        pytest.param("delay", marks=pytest.mark.full),
        pytest.param("publisher_load", marks=pytest.mark.full),
        pytest.param("request_latency", marks=pytest.mark.full),
    ],
)
def test_real_jobs_in_three_runs_and_in_one(
    spark: Any, messy: messy_telemetry.Messy, tmp_path: Path, job: str
) -> None:
    more = {}
    if job == "false_positives":
        more["subscriptions"] = read_subscriptions(messy_telemetry.SUBSCRIPTIONS)
    root, results = tmp_path / "root", {}
    files: dict[str, dict[str, Any]] = defaultdict(dict)
    for number, batch in enumerate(split(messy, root, 7)):
        write(root, batch, number)
        rows, meta = one_run(spark, job, root, tmp_path / "out", read_known({"files": files}), **more)
        put_in_place(results, rows, meta)
        for name, found in meta["files"].items():
            files[name].update(found)
    rows, meta = one_run(spark, job, root, tmp_path / "out", read_known({"files": files}), **more)
    assert (rows, meta["spans"], meta["new"]["files"]) == ([], [], 0)
    whole, meta = one_run(spark, job, root, tmp_path / "whole", ReadFiles({}), **more)
    assert results == {key(row): row for row in whole} and len(whole) >= 3
    assert meta["files"] == files


@pytest.mark.spark
def test_a_run_reads_what_is_new_and_its_neighbours_alone(
    spark: Any, messy: messy_telemetry.Messy, tmp_path: Path
) -> None:
    """A broken file, a null key and a row far ahead of the clock are reported once."""
    root, dataset = tmp_path / "root", DATASETS["table_snapshots"]
    rows = messy.rows["table_snapshots"]
    for number in range(12):  # an hour each
        later = [{**row, "taken_at": row["taken_at"] - timedelta(hours=20 - number)} for row in rows]
        messy_telemetry.write(root, dataset, later, f"{number}.parquet")
    _, full = one_run(spark, "flow_table_size", root, tmp_path / "out", ReadFiles({}))
    known = full["files"]
    messy_telemetry.write(root, dataset, [{**rows[0], "entries": 77}], "new.parquet")
    bad = [{**rows[0], "switch": None}, {**rows[0], "taken_at": messy_telemetry.NOW + timedelta(days=3)}]
    messy_telemetry.write(root, dataset, bad, "bad.parquet")
    (root / "table_snapshots" / "date=2026-03-28" / "cut.parquet").write_bytes(b"PAR1")
    found, some = one_run(spark, "flow_table_size", root, tmp_path / "out", read_known({"files": known}))
    report = json.loads((tmp_path / "out" / "flow_table_size.meta.json").read_text())
    assert [row["entries_max"] for row in found] == [77]
    assert some["new"]["files"] == 3 and some["rejected"] == {
        "null_key": 1,
        "future": 1,
        "unreadable_file": 1,
    }
    assert some["there"]["files"] == 15
    assert report["datasets"]["table_snapshots"]["files"] == 1
    assert report["datasets"]["table_snapshots"]["bytes"] * 10 < some["there"]["bytes"]
    for name, facts in some["files"]["table_snapshots"].items():
        known["table_snapshots"][name] = facts
    _, again = one_run(spark, "flow_table_size", root, tmp_path / "out", read_known({"files": known}))
    assert again["new"]["files"] == 0 and again["rejected"] == {}
    facts = FileFacts(**known["table_snapshots"]["date=2026-03-28/bad.parquet"])
    assert facts.future is not None and asdict(facts)["first"] is None
