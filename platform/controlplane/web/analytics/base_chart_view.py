"""Time ranges, grids and the base view of charts."""

import sys
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.analytics import chart_csv, charts
from controlplane.analytics.charts import COLUMNS, MOST_SERIES, Chart, ChartGrid
from controlplane.analytics.durations import length_text, parse_length
from controlplane.analytics.empty_reasons import TimeSpan, Why, why_empty
from controlplane.analytics.jobs import Job
from controlplane.analytics.models import AnalyticsRunState, Result, Run, Schedule, Series
from controlplane.common.problems import bad_parameter
from controlplane.rest.base_views import StrictView, url
from controlplane.rest.csv_export import FORMAT, in_csv, stream
from controlplane.rest.query_parameters import MAX_LIST, read_integer, read_text, read_time
from controlplane.web.analytics.serializers import RUNS

DEFAULT_SPAN = timedelta(hours=24)


DEFAULT_POINTS, MOST_POINTS = 300, 5000


MARGIN = timedelta(days=61)
"""Minimum distance of a range from the first and last day of the calendar."""


TIME_PARAMETERS = (
    OpenApiParameter("since", datetime, description="start of the range; default: one day before `until`"),
    OpenApiParameter("until", datetime, description="end of the range, excluded; default: now"),
)


GRID_PARAMETERS = (
    *TIME_PARAMETERS,
    OpenApiParameter(
        "window", str, description='length of the windows, like "1 minute"; default: as in the schedule'
    ),
    OpenApiParameter(
        "max_points",
        int,
        description=f"maximum number of points in a series, up to {MOST_POINTS}; default: {DEFAULT_POINTS}",
    ),
)


def _key_parameters(*names: str) -> list[OpenApiParameter]:
    return [
        OpenApiParameter(name, str, description=f"only series of these values of {name}, separated by commas")
        for name in names
    ]


def read_range(request: Request) -> tuple[datetime, datetime]:
    """Return the time range of a question; raise `Problem` if it is invalid."""
    query = request.query_params
    until = _within("until", query["until"]) if "until" in query else timezone.now()
    since = _within("since", query["since"]) if "since" in query else until - DEFAULT_SPAN
    if since >= until:
        detail = "since is not earlier than until. Use a `since` before `until`."
        raise bad_parameter("since", "out_of_order", detail)
    return since, until


def _within(name: str, text: str) -> datetime:
    """Read a time for which windows around it are also in the calendar."""
    time = read_time(name, text)
    if not datetime.min + MARGIN <= time.replace(tzinfo=None) <= datetime.max - MARGIN:
        detail = (
            f"{name}={text} is less than {MARGIN.days} days from an end of the calendar. Use another time."
        )
        raise bad_parameter(name, "out_of_range", detail, text)
    return time


class ChartView(StrictView):
    """Chart of the results of one job."""

    job: ClassVar[Job]
    csv = True

    def known_parameters(self) -> Iterable[str]:
        """Return the parameters: range, windows, number of points, and the keys of the job."""
        keys = (*self.job.keys, *self.more_parameters)
        return ("since", "until", "window", "max_points", FORMAT, *keys)

    more_parameters: ClassVar[tuple[str, ...]] = ()

    def keys(self, request: Request) -> tuple[str, ...]:
        """Return the keys whose values each get a series."""
        return self.job.keys

    def answer(self, request: Request) -> Any:
        """Return the requested charts."""
        since, until = read_range(request)
        most = self._most_points(request)
        window = self._window(request)
        series = Series.objects.filter(job=self.job.name, window=window).first()
        grid = ChartGrid.of(since, until, window, most)
        wanted = _wanted(self.job, request)
        keys = self.keys(request)
        rows = Result.objects.filter(**wanted)
        found = charts.charts(rows, series, self.job, grid, keys) if series else {}
        if in_csv(request):
            table = chart_csv.rows(self.job, grid, keys, found, self.completed)
            return stream(self.job.path, chart_csv.heading(self.job), table)
        last = _last_run(series)
        start, end = grid.span
        body: dict[str, Any] = {
            "job": self.job.name,
            "window": length_text(window),
            "since": start,
            "until": end,
            "step_s": grid.step / 1e6,
            "run": url(RUNS, last.pk) if last else None,
            "updated_at": last.ended_at if last else None,
            "more": max(0, len(found) - MOST_SERIES),
            "empty": None if found else self.why_empty(series, (start, end)),
            "series": [self.shown(grid, keys, key, found[key]) for key in list(found)[:MOST_SERIES]],
        }
        return Response(body)

    def _most_points(self, request: Request) -> int:
        """Return the maximum number of points in a series; CSV has no limit by default."""
        text = request.query_params.get("max_points")
        if text is None:
            return sys.maxsize if in_csv(request) else DEFAULT_POINTS
        return read_integer("max_points", text, 2, MOST_POINTS)

    def completed(self, point: dict[str, Any]) -> dict[str, Any]:
        """Return a point with the values derived from its measured ones."""
        return point

    def shown(
        self, grid: ChartGrid, keys: tuple[str, ...], key: charts.ChartKey, chart: Chart
    ) -> dict[str, Any]:
        """Return one series as the API shows it."""
        names = dict.fromkeys(self.job.keys)
        points = [self.completed(point) for point in charts.points(self.job, grid, chart)]
        return {**names, **dict(zip(keys, key, strict=True)), "points": points}

    def why_empty(self, series: Series | None, span: TimeSpan) -> Why:
        """Return why the chart has no data in this time."""
        return why_empty(self.job, series, span)

    def _window(self, request: Request) -> int:
        text = request.query_params.get("window")
        if text is None:
            row = Schedule.objects.filter(job=self.job.name).first()
            return parse_length(row.window if row else self.job.window)
        try:
            return parse_length(read_text("window", text))
        except ValueError as error:
            raise bad_parameter("window", "no_length", str(error), text) from None


def _wanted(job: Job, request: Request) -> dict[str, Any]:
    """Return the conditions that the key parameters mean."""
    out = {}
    for name in job.keys:
        text = request.query_params.get(name)
        if text is not None:
            parts = read_text(name, text).split(",")
            if len(parts) > MAX_LIST:
                detail = f"{name} lists {len(parts)} values; at most {MAX_LIST} are allowed. Split the call."
                raise bad_parameter(name, "too_many", detail)
            out[f"{COLUMNS.get(name, 'subject')}__in"] = parts
    return out


def _last_run(series: Series | None) -> Run | None:
    if series is None:
        return None
    return Run.objects.filter(series=series, state=AnalyticsRunState.SUCCEEDED).order_by("-id").first()
