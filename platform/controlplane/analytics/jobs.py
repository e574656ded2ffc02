"""Jobs in the control plane: inputs, default schedules, and rules to combine results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LAST, LEAST, MOST, SUM, MEAN, RATE = "last", "least", "most", "sum", "mean", "rate"
"""Rules that combine values of several windows or keys; of percentiles, the largest stays.

A rate is the job's `events` divided by the time that a point covers, including windows without events.
"""


@dataclass(frozen=True, slots=True)
class Job:
    """One job of `python -m analytics`: keys of its rows other than the window, and its values.

    `datasets` are its inputs, like `sources` of its `JobSpec` in `analytics/jobs/job_table.py`. A run needs
    all of them except those in `optional`. A job that `encodes` filters gets the length of a dz. `period`
    (seconds) and `window` are the defaults of its schedule. Means of several windows are weighted by the
    value `weight`; without one, all windows have the same weight.
    """

    name: str
    datasets: tuple[str, ...]
    keys: tuple[str, ...]
    values: Mapping[str, str]
    period: int
    window: str
    weight: str = ""
    subscriptions: bool = False
    encodes: bool = False
    options: Mapping[str, float | int] = field(default_factory=dict)
    optional: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Name of the job in addresses."""
        return self.name.replace("_", "-")

    @property
    def required(self) -> tuple[str, ...]:
        """Datasets without which a run finds nothing."""
        return tuple(name for name in self.datasets if name not in self.optional)

    @property
    def is_windowed(self) -> bool:
        """Whether its results belong to windows of time; otherwise each run has one result per key."""
        return self.name not in {"dimension_selection", "learned_space", "event_samples"}

    @property
    def is_sample(self) -> bool:
        """Whether it has no results, and its drawn events become samples of aggregation."""
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
            ("published", "delivered"),
            ("topic", "host"),
            {"delivered": SUM, "unwanted": SUM, "doubled": SUM, "lost": SUM},
            period=600,
            window="1 minute",
            subscriptions=True,
            optional=("published",),
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
            "learned_space",
            ("published",),
            ("topic",),
            {},
            period=3600,
            window="1 minute",
            subscriptions=True,
            encodes=True,
            options={"most": 20_000, "max_cuts": 512},
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

REDUNDANT_COPIES = Job(
    "needless_copies",
    (),
    ("switch",),
    {"copies": MEAN, "unwanted": MEAN, "expected": MEAN},
    period=60,
    window="1 minute",
)
"""Not a Spark job: measurements of aggregation, stored over time like the results of jobs."""
