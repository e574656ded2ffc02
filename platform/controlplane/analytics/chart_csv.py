"""Charts as CSV: a row for each window and key that was measured, times in UTC, units in the heading."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from controlplane.analytics.charts import Chart, ChartGrid, Key
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
"""By job, each column beside its keys and the time, with its unit; of a stage, `waiting_ms p50` and so on."""

Completed = Callable[[dict[str, Any]], dict[str, Any]]


def heading(job: Job) -> list[str]:
    """The names of the columns."""
    return [*job.keys, AT, *(_titled(name, unit) for name, unit in UNITS[job.name].items())]


def rows(
    job: Job, grid: ChartGrid, keys: Iterable[str], found: Mapping[Key, Chart], completed: Completed
) -> Iterator[list[dict[str, Any]]]:
    """The rows of each key, in the order of time; `completed` adds what follows from a point's values."""
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
