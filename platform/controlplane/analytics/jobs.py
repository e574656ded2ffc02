"""The jobs as the control plane knows them: what they read, when they run, and how their results merge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LAST, LEAST, MOST, SUM, MEAN, RATE = "last", "least", "most", "sum", "mean", "rate"
"""How a value of several windows or keys becomes one; of percentiles the largest stays.

A rate is the job's `events` over the time that a point covers, in which windows without events count.
"""


@dataclass(frozen=True, slots=True)
class Job:
    """One job of `python -m analytics`; `keys` of its rows beside the window, and its values.

    `datasets` are what it has to read; `period` (seconds) and `window` are the defaults of its schedule.
    Means of several windows are weighed by the value `weight`; without one, each window weighs the same.
    """

    name: str
    datasets: tuple[str, ...]
    keys: tuple[str, ...]
    values: Mapping[str, str]
    period: int
    window: str
    weight: str = ""
    subscriptions: bool = False
    options: Mapping[str, float | int] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Its part of an address."""
        return self.name.replace("_", "-")

    @property
    def is_windowed(self) -> bool:
        """Whether its results are by windows of time; else each run has one result a key."""
        return self.name not in {"dimension_selection", "event_samples"}

    @property
    def is_sample(self) -> bool:
        """Whether it has no results, and what it draws become aggregation's samples."""
        return self.name == "event_samples"


JOBS = {
    job.name: job
    for job in (
        Job(
            "flow_table_size",
            ("table_snapshots",),
            ("switch",),
            {
                "entries_min": LEAST,
                "entries_avg": MEAN,
                "entries_max": MOST,
                "budget": LAST,
                "occupancy_max": MOST,
            },
            period=300,
            window="1 minute",
        ),
        Job(
            "delay",
            ("published", "delivered"),
            ("topic", "host"),
            {"events": SUM, "p50_ms": MOST, "p95_ms": MOST, "p99_ms": MOST, "max_ms": MOST},
            period=600,
            window="1 minute",
        ),
        Job(
            "false_positives",
            ("delivered",),
            ("topic", "host"),
            {"delivered": SUM, "unwanted": SUM, "doubled": SUM, "lost": SUM},
            period=600,
            window="1 minute",
            subscriptions=True,
        ),
        Job(
            "publisher_load",
            ("published",),
            ("publisher",),
            {"events": SUM, "events_per_s": RATE},
            period=600,
            window="1 minute",
            options={"depth": 8},
        ),
        Job(
            "request_latency",
            ("requests",),
            ("kind",),
            {
                "requests": SUM,
                "failed": SUM,
                "waiting_ms": MOST,
                "computing_ms": MOST,
                "deploying_ms": MOST,
                "processing_ms": MOST,
            },
            period=300,
            window="1 minute",
            weight="requests",
        ),
        Job(
            "dimension_selection",
            ("published",),
            ("topic",),
            {},
            period=3600,
            window="1 minute",
            subscriptions=True,
            options={"threshold": 0.9, "last_events": 100_000},
        ),
        Job(
            "event_samples",
            ("published",),
            ("topic", "publisher"),
            {},
            period=300,
            window="1 minute",
            options={"most": 2000},
        ),
    )
}

NEEDLESS = Job(
    "needless_copies",
    (),
    ("switch",),
    {"copies": MEAN, "unwanted": MEAN, "expected": MEAN},
    period=60,
    window="1 minute",
)
"""No job of Spark: what aggregation measures by itself, kept over time like the results of jobs."""
