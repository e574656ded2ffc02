"""Charts as CSV: a row for each measured window and key, times in UTC, units in the heading."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from controlplane.analytics.charts import Chart, ChartGrid, ChartKey
from controlplane.analytics.jobs import Job

AT = "at (UTC)"
STAGES = ("waiting", "computing", "deploying", "processing")
FIGURES = ("p50", "p95", "mean")
_EVENTS = dict.fromkeys(("delivered", "unwanted", "doubled", "lost"), "events")
_ENTRIES = dict.fromkeys(("entries_min", "entries_avg", "entries_max", "budget"), "entries")

UNITS: Mapping[str, Mapping[str, str]] = {
    "flow_table_size": {**_ENTRIES, "occupancy_max": "part of the budget"},
    "delay": {"events": "events", "p50_ms": "ms", "p95_ms": "ms", "p99_ms": "ms", "max_ms": "ms"},
    "false_positives": {**_EVENTS, "fpr": "% of delivered"},
    "publisher_load": {"events": "events", "events_per_s": "events/s"},
    "request_latency": {
        "requests": "requests",
        "failed": "requests",
        **dict.fromkeys((f"{stage}_ms {figure}" for stage in STAGES for figure in FIGURES), "ms"),
    },
    "needless_copies": {
        "copies": "copies/event",
        "unwanted": "deliveries/event",
        "expected": "copies/event",
    },
}
"""Unit of each column by job, except keys and time; columns of a stage are `waiting_ms p50` etc."""


def heading(job: Job) -> list[str]:
    """Return the names of the columns."""
    return [*job.keys, AT, *(_titled(name, unit) for name, unit in UNITS[job.name].items())]


def rows(
    job: Job,
    grid: ChartGrid,
    keys: Iterable[str],
    found: Mapping[ChartKey, Chart],
    completed: Callable[[dict[str, Any]], dict[str, Any]],
) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of each key, ordered by time; `completed` adds values derived from a point."""
    names = tuple(keys)
    for key, chart in found.items():
        known = {**dict.fromkeys(job.keys, "all"), **dict(zip(names, key, strict=True))}
        yield [
            {**known, AT: _utc(grid.time(place)), **_cells(job, completed(chart.points[place]))}
            for place in sorted(chart.points)
        ]


def _cells(job: Job, values: Mapping[str, Any]) -> dict[str, Any]:
    return {_titled(name, unit): _value(values, name) for name, unit in UNITS[job.name].items()}


def _value(values: Mapping[str, Any], name: str) -> Any:
    outer, _, inner = name.partition(" ")
    value = values.get(outer)
    return value.get(inner) if inner and value is not None else value


def _titled(name: str, unit: str) -> str:
    return f"{name.replace('_ms', '')} ({unit})"


def _utc(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
