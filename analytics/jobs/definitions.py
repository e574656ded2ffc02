"""The jobs: their input, their transforms, and the counts in their meta files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from analytics.errors import CannotRun
from analytics.input.dataset_reader import Telemetry, days, in_range, in_spans
from analytics.jobs.job_table import JOBS
from analytics.jobs.learning import learn_space
from analytics.jobs.matching import checked_events, expected_hosts, match_counts
from analytics.options import JobOptions
from analytics.output.result_rows import Row, collect_rows
from analytics.subscriptions import Subscriptions
from analytics.transforms import (
    delay,
    dimension_selection,
    event_samples,
    false_positives,
    flow_table_size,
    publisher_load,
    request_latency,
)
from tercast.dimensions.spectral import select
from tercast.errors import shown
from tercast.telemetry import DELIVERED, PUBLISHED, REQUESTS, TABLE_SNAPSHOTS, Dataset


@dataclass(slots=True)
class Task:
    """A running job: its telemetry, its options, and counts that are not part of its result."""

    telemetry: Telemetry
    options: JobOptions
    notes: Counter[str] = field(default_factory=Counter)

    def rows_in_range(self, dataset: Dataset, columns: tuple[str, ...]) -> DataFrame:
        """Read valid rows whose own time is between `since` and `until`."""
        frame = self.telemetry.read(dataset, columns, *days(self.options, timedelta(0)))
        return frame.where(in_range(F.col(dataset.time), self.options))

    def rows_near(self, dataset: Dataset, columns: tuple[str, ...]) -> DataFrame:
        """Read valid rows within a horizon of the spans; without spans, all from the first day on.

        This includes rows after the cut-off: see `is_before_cut`.
        """
        frame = self.telemetry.read(dataset, columns, days(self.options)[0], with_left=True)
        spans, time = self.options.spans, F.col(dataset.time)
        return frame if spans is None else frame.where(in_spans(time, spans, self.options.horizon))

    def is_before_cut(self, dataset: Dataset) -> Column:
        """Whether a row is before the cut-off of the run."""
        cut = self.telemetry.cut.time
        return F.lit(True) if cut is None else F.col(dataset.time) < F.lit(cut)


def run_flow_table_size(task: Task) -> list[Row]:
    """Return the table sizes by switch and window."""
    snapshots = task.rows_in_range(TABLE_SNAPSHOTS, flow_table_size.COLUMNS)
    return collect_rows(flow_table_size.flow_table_size(snapshots, task.options.window))


def run_delay(task: Task) -> list[Row]:
    """Return the delays by topic, host and window; count deliveries of unknown events as notes."""
    published = task.telemetry.read(PUBLISHED, delay.PUBLISHED_COLUMNS, *days(task.options), with_left=True)
    delivered = task.rows_near(DELIVERED, delay.DELIVERED_COLUMNS).where(task.is_before_cut(DELIVERED))
    options = task.options
    counts = in_range(F.coalesce(F.col("published_at"), F.col("received_at")), options)
    horizon = None if options.spans is None else options.horizon
    found = delay.delay(published, delivered, options.window, counts, horizon)
    rows = collect_rows(found)
    for row in rows:
        task.notes[delay.UNMATCHED] += row.pop("unknown")
        task.notes[delay.BACKWARDS] += row.pop("backwards")
    return [row for row in rows if row["window_start"] is not None]


def run_false_positives(task: Task) -> list[Row]:
    """Return false positives by topic and host, and losses if there are subscriptions."""
    options = task.options
    all_delivered = task.rows_near(DELIVERED, false_positives.DELIVERED_COLUMNS)
    delivered = all_delivered.where(task.is_before_cut(DELIVERED))
    if options.spans is None:
        counted = false_positives.deliveries(delivered.where(in_range(F.col("received_at"), options)))
    else:
        found = false_positives.deliveries_by_window(delivered, options.window, options.horizon)
        counted = found.where(in_spans(F.col("window_start"), options.spans))
    if options.subscriptions is None:
        return collect_rows(false_positives.false_positives(counted, None))
    published = task.rows_in_range(PUBLISHED, false_positives.PUBLISHED_COLUMNS)
    expected = expected_hosts(published, _broadcast(task, options.subscriptions))
    lost = _losses(expected, all_delivered, options).persist(StorageLevel.MEMORY_AND_DISK)
    for row in lost.where(F.col("problem").isNotNull()).groupBy("problem").agg(F.sum("lost")).collect():
        task.notes[row[0]] += row[1]
    return collect_rows(false_positives.false_positives(counted, lost))


def _losses(expected: DataFrame, delivered: DataFrame, options: JobOptions) -> DataFrame:
    if options.spans is None:
        return false_positives.losses(expected, delivered)
    return false_positives.losses_by_window(expected, delivered, options.window, options.horizon)


def run_publisher_load(task: Task) -> list[Row]:
    """Return the loads by publisher."""
    published = task.rows_in_range(PUBLISHED, publisher_load.COLUMNS)
    options = task.options
    if options.spans is None:
        loads = publisher_load.publisher_load(published, options.depth, options.since, options.until)
    else:
        loads = publisher_load.publisher_load_by_window(published, options.depth, options.window)
    rows = collect_rows(loads)
    for row in rows:
        task.notes["events_without_dz"] += row.pop("without_dz")
        row["dz_histogram"] = dict(sorted(row["dz_histogram"].items()))
    return rows


def run_request_latency(task: Task) -> list[Row]:
    """Return the durations of the stages by kind of request."""
    requests = task.rows_in_range(REQUESTS, request_latency.COLUMNS)
    window = None if task.options.spans is None else task.options.window
    rows = collect_rows(request_latency.request_latency(requests, window))
    for row in rows:
        task.notes["negative_stages"] += row.pop("backwards")
    return rows


def run_dimension_selection(task: Task) -> list[Row]:
    """Return a row for each topic of the subscriptions that has events."""
    options = task.options
    if options.subscriptions is None:
        raise CannotRun("dimension_selection compares events with subscriptions; set --subscriptions FILE")
    published = task.rows_in_range(PUBLISHED, dimension_selection.COLUMNS)
    counted = match_counts(published, _broadcast(task, options.subscriptions))
    counted = counted.persist(StorageLevel.MEMORY_AND_DISK)
    problems = counted.where(F.col("problem").isNotNull()).select("topic", "publisher", "seq", "problem")
    for row in problems.distinct().groupBy("problem").count().collect():
        task.notes[row[0]] += row[1]
    rows = [_select(counted, name, options, options.subscriptions) for name in options.subscriptions.topics]
    return [row for row in rows if row["events"]]


def _select(counted: DataFrame, name: str, options: JobOptions, subscriptions: Subscriptions) -> Row:
    attributes = [attribute.name for attribute in subscriptions.topics[name].attributes]
    events = dimension_selection.events_of_topic(counted, name, options.last_events)
    number, eigenvalues, first = dimension_selection.spectrum(events, len(attributes))
    found = select(attributes, eigenvalues, first, options.threshold)
    return {
        "topic": name,
        "ranking": list(found.ranking),
        "weights": list(found.weights),
        "eigenvalues": list(found.eigenvalues),
        "selected": list(found.selected),
        "events": number,
        "subscriptions": len(subscriptions.of_topic(name)),
    }


def run_learned_space(task: Task) -> list[Row]:
    """Return the learned event space of each topic that has subscriptions and enough events.

    Spark draws the sample of each topic; the driver learns from it. Its size does not depend on the size of
    the telemetry.
    """
    options = task.options
    if options.subscriptions is None:
        raise CannotRun("learned_space learns from subscriptions; set --subscriptions FILE")
    published = task.rows_in_range(PUBLISHED, event_samples.COLUMNS)
    sample = collect_rows(event_samples.event_samples(published, options.most))
    by_topic = checked_events(sample, options.subscriptions, task.notes)
    rows = [learn_space(name, events, options.subscriptions, options) for name, events in by_topic.items()]
    return [row for row in rows if row is not None]


def run_event_samples(task: Task) -> list[Row]:
    """Return about `most` events of each topic, for aggregation.

    Only the sample is sent to the driver; its size does not depend on the size of the telemetry.
    """
    published = task.rows_in_range(PUBLISHED, event_samples.COLUMNS)
    return collect_rows(event_samples.event_samples(published, task.options.most))


COMPUTATIONS: dict[str, Callable[[Task], list[Row]]] = {
    "flow_table_size": run_flow_table_size,
    "delay": run_delay,
    "false_positives": run_false_positives,
    "publisher_load": run_publisher_load,
    "request_latency": run_request_latency,
    "dimension_selection": run_dimension_selection,
    "learned_space": run_learned_space,
    "event_samples": run_event_samples,
}


def find_job(name: str) -> Callable[[Task], list[Row]]:
    """Return the job with a name.

    Raises:
        CannotRun: There is no such job.
    """
    if name not in JOBS:
        raise CannotRun(f"unknown job {shown(name)}; use one of {', '.join(JOBS)}")
    return COMPUTATIONS[name]


def _broadcast(task: Task, subscriptions: Subscriptions) -> Any:
    return task.telemetry.spark.sparkContext.broadcast(subscriptions)
