"""Views of the charts, such as `/api/v1/analytics/flow-table-size/`."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.analytics import charts
from controlplane.analytics.charts import Chart, ChartGrid
from controlplane.analytics.empty_reasons import TimeSpan, Why, why_empty
from controlplane.analytics.false_positives import false_positives
from controlplane.analytics.jobs import JOBS, REDUNDANT_COPIES
from controlplane.analytics.models import Result, Series
from controlplane.common.problems import bad_parameter
from controlplane.registry.models import Topic
from controlplane.rest.base_views import StrictView, url
from controlplane.rest.csv_export import FORMAT, in_csv, stream
from controlplane.web.analytics import chart_serializers as shapes
from controlplane.web.analytics.base_chart_view import (
    DEFAULT_SPAN,
    GRID_PARAMETERS,
    TIME_PARAMETERS,
    ChartView,
    _key_parameters,
    _wanted,
    read_range,
)
from controlplane.web.analytics.serializers import RUNS
from tercast.errors import shown


class TableSizeView(ChartView):
    """Chart of table sizes."""

    job = JOBS["flow_table_size"]

    @extend_schema(
        operation_id="analytics_table_size",
        tags=["analytics"],
        responses=shapes.TableSizeSerializer,
        parameters=[*GRID_PARAMETERS, *_key_parameters("switch")],
    )
    def get(self, request: Request) -> Any:
        """Return the table size and the budget of each switch over time."""
        return self.answer(request)


class _ByView(ChartView):
    """Base of charts by topic, by host, or by both."""

    ways: ClassVar[dict[str, tuple[str, ...]]] = {
        "network": (),
        "topic": ("topic",),
        "host": ("host",),
        "both": ("topic", "host"),
    }
    default: ClassVar[str]
    more_parameters = ("by",)

    def keys(self, request: Request) -> tuple[str, ...]:
        """Return the keys that the parameter `by` selects."""
        text = request.query_params.get("by", self.default)
        if text not in self.ways:
            detail = f"`by` cannot be {shown(text[:40])}. Use one of {', '.join(self.ways)}."
            raise bad_parameter("by", "not_a_choice", detail, text)
        return self.ways[text]


def _by(default: str) -> OpenApiParameter:
    text = f"one series for each of these; other keys are combined; default: {default}"
    return OpenApiParameter("by", str, enum=list(_ByView.ways), description=text)


class DelayView(_ByView):
    """Chart of delays."""

    job = JOBS["delay"]
    default = "both"

    @extend_schema(
        operation_id="analytics_delay",
        tags=["analytics"],
        responses=shapes.DelayChartsSerializer,
        parameters=[*GRID_PARAMETERS, _by("both"), *_key_parameters("topic", "host")],
    )
    def get(self, request: Request) -> Any:
        """Return percentiles of the delay from publisher to host, by topic and host, over time."""
        return self.answer(request)


class FalsePositivesView(_ByView):
    """Chart of false positives."""

    job = JOBS["false_positives"]
    default = "network"

    @extend_schema(
        operation_id="analytics_false_positives",
        tags=["analytics"],
        responses=shapes.FalsePositivesSerializer,
        parameters=[*GRID_PARAMETERS, _by("network"), *_key_parameters("topic", "host")],
    )
    def get(self, request: Request) -> Any:
        """Return deliveries without a matching subscription, network-wide or by topic and host."""
        return self.answer(request)

    def completed(self, point: dict[str, Any]) -> dict[str, Any]:
        """Return the point with the share of false positives."""
        came = point["delivered"]
        return {**point, "fpr": 100 * point["unwanted"] / came if came else None}


class PublisherLoadView(ChartView):
    """Chart of the publishers' load."""

    job = JOBS["publisher_load"]

    @extend_schema(
        operation_id="analytics_publisher_load",
        tags=["analytics"],
        responses=shapes.PublisherLoadSerializer,
        parameters=[*GRID_PARAMETERS, *_key_parameters("publisher")],
    )
    def get(self, request: Request) -> Any:
        """Return the event rate of each publisher over time, and its events by cell."""
        return self.answer(request)

    def shown(
        self, grid: ChartGrid, keys: tuple[str, ...], key: charts.ChartKey, chart: Chart
    ) -> dict[str, Any]:
        """Return the series with its histogram."""
        return {
            **super().shown(grid, keys, key, chart),
            "dz_histogram": dict(sorted(chart.histogram.items())),
        }


class RequestLatencyView(ChartView):
    """Chart of the durations of requests."""

    job = JOBS["request_latency"]

    @extend_schema(
        operation_id="analytics_request_latency",
        tags=["analytics"],
        responses=shapes.RequestLatencySerializer,
        parameters=[*GRID_PARAMETERS, *_key_parameters("kind")],
    )
    def get(self, request: Request) -> Any:
        """Return the time that requests wait, are computed and are deployed, by kind, over time."""
        return self.answer(request)


class RedundantCopiesView(ChartView):
    """Chart of redundant copies over links."""

    job = REDUNDANT_COPIES

    @extend_schema(
        operation_id="analytics_needless_copies",
        tags=["analytics"],
        responses=shapes.RedundantCopiesSerializer,
        parameters=[*GRID_PARAMETERS, *_key_parameters("switch")],
    )
    def get(self, request: Request) -> Any:
        """Return the redundant copies that merged entries send over links, by switch, over time."""
        return self.answer(request)

    def why_empty(self, series: Series | None, span: TimeSpan) -> Why:
        """Return the reason for missing data. No job computes this chart."""
        if series is not None and Result.objects.filter(series=series).exists():
            return super().why_empty(series, span)
        detail = (
            "No measurements yet: no table has merged entries, or too few event samples exist. "
            "Report samples with POST /api/v1/traffic/samples/."
        )
        return {"missing": "telemetry", "detail": detail}


class DimensionSelectionView(StrictView):
    """Attributes that distinguish events best."""

    job = JOBS["dimension_selection"]
    MOST = 100
    csv = True

    def known_parameters(self) -> Iterable[str]:
        """Return the parameters: range and topic."""
        return ("since", "until", "topic", FORMAT)

    @extend_schema(
        operation_id="analytics_dimension_selection",
        tags=["analytics"],
        responses=shapes.SelectionsSerializer,
        parameters=[*TIME_PARAMETERS, *_key_parameters("topic")],
    )
    def get(self, request: Request) -> Any:
        """Return the attributes of each topic by weight, from the newest run to the oldest."""
        since, until = read_range(request)
        series = Series.objects.filter(job=self.job.name).order_by("-id").first()
        rows = Result.objects.filter(
            series__job=self.job.name,
            window_start__gte=since,
            window_start__lt=until,
            **_wanted(self.job, request),
        ).order_by("-window_start", "topic")
        number = rows.count()
        indexed = dict(Topic.objects.values_list("name", "indexed"))
        empty = None if number else why_empty(self.job, series, (since, until))
        body = {
            "job": self.job.name,
            "since": since,
            "until": until,
            "more": max(0, number - self.MOST),
            "empty": empty,
            "selections": [_selection(row, indexed.get(row.topic, [])) for row in rows[: self.MOST]],
        }
        selections = shapes.SelectionsSerializer(body).data
        if in_csv(request):
            fields = list(shapes.SelectionSerializer().fields)
            return stream(self.job.path, fields, [selections["selections"]])
        return Response(selections)


def _selection(row: Result, indexed: list[str]) -> dict[str, Any]:
    found = row.values
    chosen = set(found["selected"])
    ranking = [
        {"attribute": name, "weight": weight, "selected": name in chosen, "indexed": name in indexed}
        for name, weight in zip(found["ranking"], found["weights"], strict=True)
    ]
    return {
        "topic": row.topic,
        "at": row.window_start,
        "run": url(RUNS, row.run_id) if row.run_id else None,
        "events": found["events"],
        "subscriptions": found["subscriptions"],
        "ranking": ranking,
        "eigenvalues": found["eigenvalues"],
        "measured_fpr": measured_fpr(row.topic, row.window_start),
        "differs": chosen != set(indexed),
    }


def measured_fpr(topic: str, until: datetime) -> float | None:
    """Return the percentage of false positives in the day before; None without deliveries."""
    came, wrong = false_positives(topic, until - DEFAULT_SPAN, until)
    return 100 * wrong / came if came else None
