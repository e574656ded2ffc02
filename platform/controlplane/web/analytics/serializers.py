"""Serializers of runs and schedules of analytics."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from controlplane.analytics import schedules, timetable
from controlplane.analytics.durations import length_text, parse_length
from controlplane.analytics.jobs import JOBS
from controlplane.analytics.models import AnalyticsRunState, AnalyticsTrigger, Run, Schedule
from controlplane.periodic.schedule_rows import timetable_text
from controlplane.rest.base_views import url
from controlplane.rest.fields import Choice, Flag, Integer, Text, Time

RUNS, SCHEDULES = "analytics/runs", "analytics/schedules"
SHORTEST_PERIOD, LONGEST_PERIOD = 10, 28 * 86400


class Length(Text):
    """Duration such as "1 minute"."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": 40, **options})

    def to_internal_value(self, data: Any) -> str:
        """Return the duration in its standard form."""
        text = super().to_internal_value(data)
        try:
            return length_text(parse_length(text))
        except ValueError as error:
            self.refuse("no_length", str(error))


class VolumeSerializer(serializers.Serializer[Any]):
    """Number and size of telemetry files."""

    files = serializers.IntegerField(help_text="number of files")
    rows = serializers.IntegerField(help_text="number of rows")
    bytes = serializers.IntegerField(help_text="size in bytes")


class WholeSerializer(serializers.Serializer[Any]):
    """All telemetry files that the job could read."""

    files = serializers.IntegerField(help_text="number of files")
    bytes = serializers.IntegerField(help_text="size in bytes")


class UnreadableSerializer(serializers.Serializer[Any]):
    """File that cannot be read."""

    file = serializers.CharField(help_text="path of the file below the telemetry root")
    reason = serializers.CharField(help_text="why it cannot be read")


COUNTS = {"type": "object", "additionalProperties": {"type": "integer"}}


@extend_schema_field(COUNTS)
class Counts(serializers.ReadOnlyField):
    """Numbers by name."""


class DrawnSamplesSerializer(serializers.Serializer[Any]):
    """Result for the events that a run of `event_samples` selected."""

    taken = serializers.IntegerField(help_text="number of events stored as samples")
    earlier = serializers.IntegerField(
        help_text="events that are not later than stored samples of their publisher"
    )
    reported = serializers.IntegerField(
        help_text="events of publishers that also report samples to traffic/samples/"
    )
    unfit = Counts(help_text="events that no active advertisement permits, by reason")


class CutOffSerializer(serializers.Serializer[Any]):
    """Time before which rows count. It is equal for all datasets of a run."""

    at = serializers.DateTimeField(
        allow_null=True, help_text="cut-off time; null: no writer was active, so the run used all rows"
    )
    writer = serializers.CharField(
        allow_null=True, help_text="writer that determines the cut-off time: the slowest one"
    )
    listed_at = serializers.DateTimeField(help_text="time when the run listed the files")
    left = Counts(help_text="rows that the run left for the next one, by dataset")


class RunFiguresSerializer(serializers.Serializer[Any]):
    """Input of a run: new files, and all files with rows for the windows that they change."""

    new = VolumeSerializer(help_text="files that no earlier run has read")
    read = VolumeSerializer(help_text="files that the run read to compute the results")
    there = WholeSerializer(help_text="all files within the retention time")
    kept = serializers.IntegerField(
        help_text="number of time ranges whose files no longer exist, so that their results stay unchanged"
    )
    rejected = Counts(help_text="rejected rows and files among the new ones, by reason")
    notes = Counts(help_text="rows without an effect on results, by kind")
    unreadable = UnreadableSerializer(many=True, help_text="files that cannot be read")
    cut_off = CutOffSerializer(default=None, allow_null=True, help_text="null for runs of earlier releases")
    samples = DrawnSamplesSerializer(
        allow_null=True, default=None, help_text="samples of `event_samples`; null for other jobs"
    )


class AnalyticsRunSerializer(serializers.ModelSerializer[Run]):
    """Run of a Spark job."""

    url = serializers.SerializerMethodField()
    job = serializers.ChoiceField(choices=list(JOBS))
    window = serializers.SerializerMethodField()
    state = serializers.ChoiceField(choices=AnalyticsRunState.values)
    trigger = serializers.ChoiceField(choices=AnalyticsTrigger.values)
    schedule = serializers.SerializerMethodField(help_text="address of the schedule that started the run")
    figures = serializers.SerializerMethodField()
    next_run = serializers.SerializerMethodField(help_text="next time of the run's schedule")

    class Meta:
        model = Run
        fields = (
            "id",
            "url",
            "job",
            "window",
            "trigger",
            "schedule",
            "due",
            "state",
            "reason",
            "stage",
            "progress",
            "cancelling",
            "attempts",
            "since",
            "until",
            "rebuild",
            "rows",
            "figures",
            "created_at",
            "started_at",
            "heartbeat_at",
            "ended_at",
            "next_run",
        )
        read_only_fields = fields

    def get_url(self, row: Run) -> str:
        """Address of the run."""
        return url(RUNS, row.pk)

    def get_window(self, row: Run) -> str:
        """Length of the windows."""
        return length_text(row.series.window)

    def get_schedule(self, row: Run) -> str | None:
        """Address of the schedule that started the run."""
        return None if row.schedule_id is None else url(SCHEDULES, row.schedule_id)

    @extend_schema_field(RunFiguresSerializer(allow_null=True))
    def get_figures(self, row: Run) -> dict[str, Any] | None:
        """Input of the run; null until it has succeeded."""
        found: dict[str, Any] | None = row.figures
        return found

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_next_run(self, row: Run) -> Any:
        """Next time of the run's schedule; null without a schedule, or if the schedule is off."""
        return None if row.schedule is None else schedules.next_run(row.schedule)


class AnalyticsRunLogSerializer(serializers.Serializer[Any]):
    """Last part of the output of a run's process."""

    log = serializers.CharField(help_text="text of the output")
    truncated = serializers.BooleanField(help_text="whether earlier output is left out")


@extend_schema_serializer(
    examples=[
        OpenApiExample("now", {"job": "delay"}),
        OpenApiExample("recompute", {"job": "delay", "since": "2026-01-31T00:00:00Z"}),
    ]
)
class AnalyticsRunCreateSerializer(serializers.Serializer[Any]):
    """Run to start. Without `since`, `until` and `rebuild` it processes only new telemetry."""

    job = Choice(tuple(JOBS), help_text="name of the job")
    window = Length(
        required=False, help_text='length of the windows, like "1 minute"; default: as in the job\'s schedule'
    )
    since = Time(required=False, allow_null=True, help_text="recompute results from this time")
    until = Time(required=False, allow_null=True, help_text="recompute results before this time")
    rebuild = Flag(required=False, help_text="true: recompute all results")


class ScheduleSerializer(serializers.ModelSerializer[Schedule]):
    """Schedule of a job."""

    url = serializers.SerializerMethodField()
    job = serializers.ChoiceField(choices=list(JOBS))
    enabled = serializers.BooleanField(source="task.enabled", help_text="whether the schedule is on")
    period = serializers.SerializerMethodField(help_text="interval in seconds; null for a crontab")
    timetable = serializers.SerializerMethodField(help_text="interval or crontab as text")
    problem = serializers.SerializerMethodField(
        help_text="why the schedule cannot run, and what to change; null if it can run"
    )
    next_run = serializers.SerializerMethodField()
    last_run = serializers.SerializerMethodField(help_text="address of the newest run")

    class Meta:
        model = Schedule
        fields = (
            "id",
            "url",
            "name",
            "job",
            "window",
            "enabled",
            "period",
            "timetable",
            "problem",
            "last_due",
            "next_run",
            "last_run",
        )
        read_only_fields = fields

    def get_url(self, row: Schedule) -> str:
        """Address of the schedule."""
        return url(SCHEDULES, row.pk)

    def get_period(self, row: Schedule) -> int | None:
        """Interval in seconds; null for a crontab."""
        found = timetable.period(row.task)
        return None if found is None else int(found.total_seconds())

    def get_timetable(self, row: Schedule) -> str:
        """Interval in words, or the fields of a crontab."""
        return timetable_text(row.task)

    def get_problem(self, row: Schedule) -> str | None:
        """Why the schedule cannot run; null if it can."""
        return schedules.problem(row)

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_next_run(self, row: Schedule) -> Any:
        """Next time of the schedule; null if it is off or cannot run."""
        return schedules.next_run(row)

    def get_last_run(self, row: Schedule) -> str | None:
        """Address of the newest run."""
        newest = row.runs.order_by("-id").values_list("id", flat=True).first()
        return None if newest is None else url(RUNS, newest)


@extend_schema_serializer(examples=[OpenApiExample("hourly", {"period": 3600, "window": "5 minutes"})])
class ScheduleChangeSerializer(serializers.Serializer[Any]):
    """Changes of a schedule. Crontabs are edited on the admin pages."""

    enabled = Flag(required=False, help_text="whether the schedule is on")
    period = Integer(
        min_value=SHORTEST_PERIOD,
        max_value=LONGEST_PERIOD,
        required=False,
        help_text="interval in seconds",
    )
    window = Length(required=False, help_text="length of the windows; each length has separate results")
