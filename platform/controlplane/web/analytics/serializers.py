"""Runs and schedules of analytics, as the API reads and shows them."""

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
    """A length of time like "1 minute"."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": 40, **options})

    def to_internal_value(self, data: Any) -> str:
        """The text, as it is written for its length."""
        text = super().to_internal_value(data)
        try:
            return length_text(parse_length(text))
        except ValueError as error:
            self.refuse("no_length", str(error))


class VolumeSerializer(serializers.Serializer[Any]):
    """Some of telemetry's files."""

    files = serializers.IntegerField()
    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()


class WholeSerializer(serializers.Serializer[Any]):
    """All of telemetry's files that the job could read."""

    files = serializers.IntegerField()
    bytes = serializers.IntegerField()


class UnreadableSerializer(serializers.Serializer[Any]):
    """A file that cannot be read."""

    file = serializers.CharField()
    reason = serializers.CharField()


COUNTS = {"type": "object", "additionalProperties": {"type": "integer"}}


@extend_schema_field(COUNTS)
class Counts(serializers.ReadOnlyField):
    """Numbers by names."""


class DrawnSamplesSerializer(serializers.Serializer[Any]):
    """What became of the events that a run of `event_samples` drew."""

    taken = serializers.IntegerField(help_text="kept as samples")
    earlier = serializers.IntegerField(help_text="not later than what was taken of their publisher before")
    reported = serializers.IntegerField(
        help_text="of publishers whose samples are reported to traffic/samples/ as well"
    )
    unfit = Counts(help_text="what no live advertisement may have sent, by what is wrong")


class CutOffSerializer(serializers.Serializer[Any]):
    """The time before which rows count, the same for all datasets of a run."""

    at = serializers.DateTimeField(
        allow_null=True, help_text="null where no writer was at work, so that all rows counted"
    )
    writer = serializers.CharField(allow_null=True, help_text="the writer that was the furthest behind")
    listed_at = serializers.DateTimeField(help_text="when the files were listed")
    left = Counts(help_text="rows that the run left for the next one, by dataset")


class RunFiguresSerializer(serializers.Serializer[Any]):
    """What a run read: new files first, then all those with rows for the windows that these change."""

    new = VolumeSerializer(help_text="files that no run had seen")
    read = VolumeSerializer(help_text="files that the results were computed from")
    there = WholeSerializer(help_text="all files of the time that is kept")
    kept = serializers.IntegerField(
        help_text="spans left as they were, since files that they came from are gone"
    )
    rejected = Counts(help_text="rows and files of the new ones that do not count, by reason")
    notes = Counts(help_text="what is in no result, by kind")
    unreadable = UnreadableSerializer(many=True)
    cut_off = CutOffSerializer(default=None, allow_null=True, help_text="null for runs of earlier releases")
    samples = DrawnSamplesSerializer(
        allow_null=True, default=None, help_text="of `event_samples`; null for other jobs"
    )


class AnalyticsRunSerializer(serializers.ModelSerializer[Run]):
    """A run."""

    url = serializers.SerializerMethodField()
    job = serializers.ChoiceField(choices=list(JOBS))
    window = serializers.SerializerMethodField()
    state = serializers.ChoiceField(choices=AnalyticsRunState.values)
    trigger = serializers.ChoiceField(choices=AnalyticsTrigger.values)
    schedule = serializers.SerializerMethodField(help_text="the schedule that it was claimed for")
    figures = serializers.SerializerMethodField()
    next_run = serializers.SerializerMethodField(help_text="when its schedule is due next")

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
        """Where it can be read again."""
        return url(RUNS, row.pk)

    def get_window(self, row: Run) -> str:
        """The length of its windows."""
        return length_text(row.series.window)

    def get_schedule(self, row: Run) -> str | None:
        """Where it can be read."""
        return None if row.schedule_id is None else url(SCHEDULES, row.schedule_id)

    @extend_schema_field(RunFiguresSerializer(allow_null=True))
    def get_figures(self, row: Run) -> dict[str, Any] | None:
        """What it read; null before it has succeeded."""
        found: dict[str, Any] | None = row.figures
        return found

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_next_run(self, row: Run) -> Any:
        """By its schedule; null without one, and while it is off."""
        return None if row.schedule is None else schedules.next_run(row.schedule)


class AnalyticsRunLogSerializer(serializers.Serializer[Any]):
    """The end of what a run's process wrote."""

    log = serializers.CharField()
    truncated = serializers.BooleanField(help_text="whether more came before")


@extend_schema_serializer(
    examples=[
        OpenApiExample("now", {"job": "delay"}),
        OpenApiExample("anew", {"job": "delay", "since": "2026-01-31T00:00:00Z"}),
    ]
)
class AnalyticsRunCreateSerializer(serializers.Serializer[Any]):
    """A run; without `since`, `until` and `rebuild` it takes in what is new."""

    job = Choice(tuple(JOBS))
    window = Length(
        required=False, help_text='like "1 minute"; that of the job\'s schedule where it is left out'
    )
    since = Time(required=False, allow_null=True, help_text="results from this time on are made anew")
    until = Time(required=False, allow_null=True, help_text="results before this time are made anew")
    rebuild = Flag(required=False, help_text="all results are made anew")


class ScheduleSerializer(serializers.ModelSerializer[Schedule]):
    """When a job runs by itself."""

    url = serializers.SerializerMethodField()
    job = serializers.ChoiceField(choices=list(JOBS))
    enabled = serializers.BooleanField(source="task.enabled")
    period = serializers.SerializerMethodField(help_text="seconds; null where it is no interval")
    timetable = serializers.SerializerMethodField(help_text="the same for people, crontabs too")
    problem = serializers.SerializerMethodField(
        help_text="why it cannot run, and what to change; null where it can"
    )
    next_run = serializers.SerializerMethodField()
    last_run = serializers.SerializerMethodField(help_text="its newest run")

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
        """Where it can be read again."""
        return url(SCHEDULES, row.pk)

    def get_period(self, row: Schedule) -> int | None:
        """The length of its interval."""
        found = timetable.period(row.task)
        return None if found is None else int(found.total_seconds())

    def get_timetable(self, row: Schedule) -> str:
        """An interval in words, a crontab in its fields."""
        return timetable_text(row.task)

    def get_problem(self, row: Schedule) -> str | None:
        """Why it cannot run."""
        return schedules.problem(row)

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_next_run(self, row: Schedule) -> Any:
        """Null while it is off, and where it cannot run."""
        return schedules.next_run(row)

    def get_last_run(self, row: Schedule) -> str | None:
        """Where it can be read."""
        newest = row.runs.order_by("-id").values_list("id", flat=True).first()
        return None if newest is None else url(RUNS, newest)


@extend_schema_serializer(examples=[OpenApiExample("hourly", {"period": 3600, "window": "5 minutes"})])
class ScheduleChangeSerializer(serializers.Serializer[Any]):
    """What can be changed of a schedule; crontabs are edited in the admin pages."""

    enabled = Flag(required=False)
    period = Integer(min_value=SHORTEST_PERIOD, max_value=LONGEST_PERIOD, required=False, help_text="seconds")
    window = Length(required=False, help_text="another length begins results of their own")
