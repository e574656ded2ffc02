"""Views of `/api/v1/analytics/runs/` and `/api/v1/analytics/schedules/`."""

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.analytics import runs, schedules
from controlplane.analytics.jobs import JOBS
from controlplane.analytics.models import TASK_PARTS, AnalyticsRunState, AnalyticsTrigger, Run, Schedule
from controlplane.analytics.spark_process import LOG_BYTES
from controlplane.rest.base_views import ListAndRead, url
from controlplane.rest.openapi import PREFER
from controlplane.rest.prefer_header import Awaited, Wait
from controlplane.rest.query_parameters import (
    FLAG,
    ID,
    INTEGER,
    TEXT,
    TIME,
    QueryFilterField,
    choice,
    read_id,
)
from controlplane.rest.request_body import read_body, read_one
from controlplane.web.analytics.serializers import (
    RUNS,
    AnalyticsRunCreateSerializer,
    AnalyticsRunLogSerializer,
    AnalyticsRunSerializer,
    ScheduleChangeSerializer,
    ScheduleSerializer,
)

RUN_ACCEPTED = OpenApiResponse(AnalyticsRunSerializer, "Accepted; `Location` is the address of the run.")


@extend_schema_view(
    list=extend_schema(operation_id="analytics_runs_list", tags=["analytics"]),
    retrieve=extend_schema(operation_id="analytics_runs_read", tags=["analytics"], parameters=[PREFER]),
)
class AnalyticsRunViewSet(ListAndRead):
    """Runs of Spark jobs."""

    queryset = Run.objects.select_related(
        "series", "schedule", *(f"schedule__{part}" for part in TASK_PARTS)
    ).defer("log")
    serializer_class = AnalyticsRunSerializer
    noun = "run"
    orderings = ("id", "created_at")
    write_parameters: ClassVar[frozenset[str]] = frozenset()
    filters = (
        ID,
        QueryFilterField("job", "series__job", choice(*JOBS), ("in",)),
        QueryFilterField("state", "state", choice(*AnalyticsRunState.values), ("in",)),
        QueryFilterField("trigger", "trigger", choice(*AnalyticsTrigger.values)),
        QueryFilterField("schedule", "schedule", INTEGER, ("in",)),
        QueryFilterField("created_at", "created_at", TIME, ("gte", "lte")),
        QueryFilterField("due", "due", TIME, ("gte", "lte")),
    )

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return one run. `Prefer: wait=N` waits for its end."""
        wait = Wait.read(request)
        row = self.find()
        wait.until(lambda: runs.is_over(row.pk))
        return Response(self.rendered(self.find()), headers=wait.headers)

    @extend_schema(
        operation_id="analytics_runs_create",
        tags=["analytics"],
        request=AnalyticsRunCreateSerializer,
        responses={202: RUN_ACCEPTED},
        parameters=[PREFER],
    )
    def create(self, request: Request) -> Response:
        """Run a job as soon as the worker is free."""
        body = read_body(request, AnalyticsRunCreateSerializer())
        values = body.items[0]
        since, until = values.get("since"), values.get("until")
        if since and until and since >= until:
            detail = "`until` is not later than `since`. Use a later `until`."
            body.errors.add(0, ("until",), "out_of_order", detail, str(until))
        body.errors.check()
        job = values.pop("job")
        window = values.pop("window", None) or _window_of(job)
        run = runs.request_run(job, window, request.user, **values)
        return self._accepted(Wait.read(request), run)

    @extend_schema(
        operation_id="analytics_runs_cancel",
        tags=["analytics"],
        request=None,
        responses={202: RUN_ACCEPTED},
        parameters=[PREFER],
    )
    def cancel(self, request: Request, pk: str) -> Response:
        """Cancel a run, and end its process with all child processes."""
        return self._accepted(Wait.read(request), runs.cancel(read_id(pk)))

    @extend_schema(operation_id="analytics_runs_log", tags=["analytics"], responses=AnalyticsRunLogSerializer)
    def log(self, request: Request, pk: str) -> Response:
        """Return the last part of the output of a run's process."""
        row = self.find(Run.objects.all())
        return Response({"log": row.log, "truncated": len(row.log.encode()) >= LOG_BYTES})

    def _accepted(self, wait: Wait, run: Run) -> Response:
        return Awaited(wait, lambda: runs.is_over(run.pk), lambda: self._run_response(run.pk))

    def _run_response(self, pk: int) -> Response:
        body: Any = self.rendered(self.get_queryset().get(pk=pk))
        return Response(body, status.HTTP_202_ACCEPTED, headers={"Location": url(RUNS, pk)})


def _window_of(job: str) -> str:
    """Return the window length of the job's schedule, or the default without a valid schedule."""
    row = Schedule.objects.filter(job=job).first()
    return row.window if row is not None and row.fault() is None else JOBS[job].window


@extend_schema_view(
    list=extend_schema(operation_id="analytics_schedules_list", tags=["analytics"]),
    retrieve=extend_schema(operation_id="analytics_schedules_read", tags=["analytics"]),
)
class ScheduleViewSet(ListAndRead):
    """Schedules of jobs."""

    queryset = Schedule.objects.select_related(*TASK_PARTS)
    serializer_class = ScheduleSerializer
    noun = "schedule"
    write_parameters: ClassVar[frozenset[str]] = frozenset()
    filters = (
        ID,
        QueryFilterField("name", "name", TEXT, ("in",)),
        QueryFilterField("job", "job", choice(*JOBS), ("in",)),
        QueryFilterField("enabled", "task__enabled", FLAG),
    )
    search = ("name", "job")

    @extend_schema(
        operation_id="analytics_schedules_update",
        tags=["analytics"],
        request=ScheduleChangeSerializer,
        responses=ScheduleSerializer,
    )
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change the interval or the windows of a schedule, or switch it on or off."""
        values = read_one(request, ScheduleChangeSerializer(partial=True))
        return Response(self.rendered(schedules.change(self.find(), values)))
