"""Table of all jobs: the columns of their results, and the datasets that they read.

`analytics.jobs.definitions` computes the results.
"""

from __future__ import annotations

from dataclasses import dataclass

from tercast.telemetry import DELIVERED, PUBLISHED, REQUESTS, TABLE_SNAPSHOTS, Dataset

HORIZON = 3_600_000_000
"""Microseconds. Deliveries belong to an event, and copies to each other, if they are at most this far
apart."""


@dataclass(frozen=True, slots=True)
class IncrementReach:
    """A dataset, and the microseconds around a row within which results depend on it."""

    dataset: Dataset
    before: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One job.

    Attributes:
        columns: Names of the columns of its results, in order.
        sources: Datasets that it reads.
        whole: It has no windows: a new row changes the result of its whole time.
        once: It reads each file once: known or deleted files change nothing.
    """

    name: str
    columns: tuple[str, ...]
    sources: tuple[IncrementReach, ...]
    whole: bool = False
    once: bool = False

    @property
    def windowed(self) -> bool:
        """Whether its results belong to windows of time."""
        return not (self.whole or self.once)


_EVENTS = (IncrementReach(PUBLISHED),)
_EVENTS_AND_DELIVERIES = (IncrementReach(PUBLISHED), IncrementReach(DELIVERED, HORIZON, HORIZON))

JOBS = {
    job.name: job
    for job in (
        JobSpec(
            "flow_table_size",
            (
                "switch",
                "window_start",
                "entries_min",
                "entries_avg",
                "entries_max",
                "budget",
                "occupancy_max",
            ),
            (IncrementReach(TABLE_SNAPSHOTS),),
        ),
        JobSpec(
            "delay",
            ("topic", "host", "window_start", "events", "p50_ms", "p95_ms", "p99_ms", "max_ms"),
            _EVENTS_AND_DELIVERIES,
        ),
        JobSpec(
            "false_positives",
            ("topic", "host", "delivered", "unwanted", "fpr", "lost", "doubled"),  # codespell:ignore
            _EVENTS_AND_DELIVERIES,
        ),
        JobSpec("publisher_load", ("publisher", "events", "events_per_s", "dz_histogram"), _EVENTS),
        JobSpec(
            "request_latency",
            ("kind", "requests", "waiting_ms", "computing_ms", "deploying_ms", "processing_ms", "failed"),
            (IncrementReach(REQUESTS),),
        ),
        JobSpec(
            "dimension_selection",
            ("topic", "ranking", "weights", "eigenvalues", "selected", "events", "subscriptions"),
            _EVENTS,
            whole=True,
        ),
        JobSpec(
            "learned_space",
            (
                "topic",
                "indexed",
                "cuts",
                "events",
                "subscriptions",
                "judged_by",
                "delivered_before",
                "unwanted_before",
                "cells_before",
                "delivered",
                "unwanted",
                "cells",
            ),
            _EVENTS,
            whole=True,
        ),
        JobSpec("event_samples", ("topic", "publisher", "seq", "published_at", "values"), _EVENTS, once=True),
    )
}
