"""Results for charts: a grid of points for each key, downsampled so that extremes stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Max, Min, QuerySet

from controlplane.analytics.jobs import LAST, LEAST, MEAN, RATE, SUM, Job
from controlplane.analytics.models import Result, Series
from controlplane.common.problems import bad_parameter

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MOST_RESULTS = 500_000
MOST_SERIES = 200

ChartKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChartGrid:
    """Points at multiples of `step` microseconds since 1970, from `start` to before `end`."""

    start: int
    end: int
    step: int

    @classmethod
    def of(cls, since: datetime, until: datetime, window: int, max_points: int) -> ChartGrid:
        """Return the finest grid of whole windows over the time with at most `max_points`."""
        a, b = (since - EPOCH) // MICROSECOND, -((EPOCH - until) // MICROSECOND)
        step = window
        while True:
            start, end = a - a % step, b + -b % step
            points = (end - start) // step
            if points <= max_points:
                return cls(start, end, step)
            step += window * max(1, (points - max_points) * step // (max_points * window))

    def __len__(self) -> int:
        return (self.end - self.start) // self.step

    def place(self, time: datetime) -> int:
        """Return the number of the point that a time belongs to."""
        return ((time - EPOCH) // MICROSECOND - self.start) // self.step

    def time(self, place: int) -> datetime:
        """Return the start of a point, by its number."""
        return EPOCH + timedelta(microseconds=self.start + place * self.step)

    def times(self) -> Iterator[datetime]:
        """Return the times of the points."""
        return map(self.time, range(len(self)))

    @property
    def span(self) -> tuple[datetime, datetime]:
        """The complete time range of the grid."""
        return tuple(EPOCH + timedelta(microseconds=at) for at in (self.start, self.end))  # type: ignore[return-value]


@dataclass(slots=True)
class Chart:
    """The points of one key, by number; missing points were not measured."""

    points: dict[int, dict[str, Any]] = field(default_factory=dict)
    histogram: Counter[str] = field(default_factory=Counter)


def charts(
    rows: QuerySet[Result], series: Series, job: Job, grid: ChartGrid, keys: Iterable[str]
) -> dict[ChartKey, Chart]:
    """Return the charts of these rows, one for each value of `keys` (some of the job's), sorted.

    Values of several windows or keys are combined according to the job: extremes stay, counts add up, and
    means are means of everything measured.
    """
    start, end = grid.span
    found = rows.filter(series=series, window_start__gte=start, window_start__lt=end)
    number = found.count()
    if number > MOST_RESULTS:
        detail = (
            f"The chart has {number} results between `since` and `until`; the limit is {MOST_RESULTS}. Use "
            "a shorter time range, filter by topic, host or switch, or schedule the job with longer windows."
        )
        raise bad_parameter("since", "too_many", detail)
    columns = [COLUMNS.get(name, "subject") for name in keys]
    out: dict[ChartKey, Chart] = {}
    values = found.order_by("window_start", "id").values_list("window_start", "values", *columns)
    for at, one, *key in values.iterator(chunk_size=5000):
        chart = out.setdefault(tuple(key), Chart())
        place = grid.place(at)
        chart.histogram.update(one.pop("dz_histogram", {}))
        known = chart.points.get(place)
        chart.points[place] = one if known is None else merged(job, known, one)
    _set_rates(job, series, grid, out.values())
    return dict(sorted(out.items()))


COLUMNS = {"topic": "topic", "host": "host"}
"""Columns of keys in the rows; all other keys are in `subject`."""


def merged(job: Job, a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """Combine two values of one point; `weights` has the weights of its means, by name."""
    out: dict[str, Any] = {}
    weights: dict[str, tuple[float, float]] = {}
    for name, rule in job.values.items():
        weights[name] = (_weight(job, a, name), _weight(job, b, name))
        out[name] = _merge(rule, a.get(name), b.get(name), weights[name])
    out["weights"] = {name: sum(pair) for name, pair in weights.items()}
    return out


def _weight(job: Job, one: Mapping[str, Any], name: str) -> float:
    """Return the weight of a single window by the job's rule; unmeasured values weigh nothing."""
    if "weights" in one:
        return float(one["weights"][name])
    return 0.0 if one.get(name) is None else float(one.get(job.weight, 1))


def _merge(rule: str, a: Any, b: Any, weights: tuple[float, float]) -> Any:
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, dict):
        return {name: _merge(MEAN if name == "mean" else rule, a[name], b[name], weights) for name in a}
    if rule == LEAST:
        return min(a, b)
    if rule == SUM:
        return a + b
    if rule == MEAN:
        return (a * weights[0] + b * weights[1]) / sum(weights)
    return b if rule == LAST else max(a, b)


def _set_rates(job: Job, series: Series, grid: ChartGrid, found: Iterable[Chart]) -> None:
    """Set rates to `events` per second of the point's time, as far as the series has results."""
    names = [name for name, rule in job.values.items() if rule == RATE]
    ends = Result.objects.filter(series=series).aggregate(a=Min("window_start"), b=Max("window_start"))
    if not names or ends["a"] is None:
        return
    first, last = ((ends[end] - EPOCH) // MICROSECOND for end in "ab")
    for chart in found:
        for place, one in chart.points.items():
            start = grid.start + place * grid.step
            covered = min(start + grid.step, last + series.window) - max(start, first)
            one.update(dict.fromkeys(names, one["events"] * 1e6 / covered))


def points(job: Job, grid: ChartGrid, chart: Chart) -> list[dict[str, Any]]:
    """Return all points of the grid in order; unmeasured points have null in each value."""
    nothing = dict.fromkeys(job.values)
    out = []
    for number, at in enumerate(grid.times()):
        found = chart.points.get(number)
        out.append({"at": at, **nothing, **({name: found.get(name) for name in job.values} if found else {})})
    return out
